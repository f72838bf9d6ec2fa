// Division by a number that does not change: one multiplication and one shift instead of a division.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace striate {

// Exact for every 0 <= number < 2^63. Granlund and Montgomery (1994), theorem 4.2, with 63-bit numerators:
// for l = ceil(log2 d) and m = ceil(2^(63 + l) / d), floor(m n / 2^(63 + l)) = floor(n / d), and m fits 64
// bits.
class Divider {
  public:
    // Throws std::invalid_argument unless 1 <= divisor.
    explicit Divider(std::int64_t divisor) : divisor_(divisor) {
        if (divisor < 1) throw std::invalid_argument("a divisor must be positive");
        const auto unsigned_divisor = static_cast<std::uint64_t>(divisor);
        shift_ = static_cast<int>(std::bit_width(unsigned_divisor - 1));
        const auto power = static_cast<unsigned __int128>(1) << (63 + shift_);
        magic_ = static_cast<std::uint64_t>((power + unsigned_divisor - 1) / unsigned_divisor);
    }

    [[nodiscard]] std::int64_t quotient(std::int64_t number) const {
        const auto doubled = static_cast<std::uint64_t>(number)
                             << 1;  // room for d = 1: the high word is m n / 2^63
        const auto product = static_cast<unsigned __int128>(magic_) * doubled;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64) >> shift_);
    }

    [[nodiscard]] std::int64_t remainder(std::int64_t number, std::int64_t its_quotient) const {
        return number - its_quotient * divisor_;
    }

    [[nodiscard]] std::int64_t remainder(std::int64_t number) const {
        return remainder(number, quotient(number));
    }

    [[nodiscard]] std::int64_t divisor() const { return divisor_; }

  private:
    std::int64_t divisor_;
    std::uint64_t magic_ = 0;
    int shift_ = 0;
};

}  // namespace striate
