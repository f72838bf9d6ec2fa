// Exponential and uniform draws that are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace striate {

// SplitMix64: one state.
class Draws {
  public:
    // Exponential, of unit mean.
    double operator()() { return -std::log(uniform()); }

    // Between 0 and 1, both ends left out.
    double uniform() {
        std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31;
        return (static_cast<double>(mixed >> 11) + 0.5) * 0x1p-53;
    }

  private:
    std::uint64_t state_ = 1;
};

}  // namespace striate
