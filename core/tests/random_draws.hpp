// What random cases are drawn from.
#pragma once

#include <cstdint>
#include <random>

class RandomDraws {
  public:
    explicit RandomDraws(std::uint64_t seed) : random_(seed) {}

    std::int64_t pick(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool one_in(std::int64_t chances) { return pick(1, chances) == 1; }
    // Round rates make ties and short periods, odd ones make neither.
    double rate() {
        return one_in(2) ? 1e9 * static_cast<double>(pick(1, 4))
                         : static_cast<double>(pick(50'000'000, 5'000'000'000));
    }

  private:
    std::mt19937_64 random_;
};
