// Cookies kept under small numbers, for events with no room for a whole one.
#pragma once

#include <cstdint>
#include <vector>

namespace striate {

class Cookies {
  public:
    [[nodiscard]] std::uint32_t keep(std::uint64_t cookie) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(kept_.size()));
            kept_.emplace_back();
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        kept_[place] = cookie;
        return place;
    }

    [[nodiscard]] std::uint64_t take(std::uint32_t place) {
        free_.push_back(place);
        return kept_[place];
    }

  private:
    std::vector<std::uint64_t> kept_;
    std::vector<std::uint32_t> free_;
};

}  // namespace striate
