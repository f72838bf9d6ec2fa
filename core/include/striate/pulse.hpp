// A long loop asks now and then whether it may go on.
#pragma once

#include <cstdint>
#include <functional>

namespace striate {

// `poll` may throw, which ends the loop; it is called once in `beats` calls of `beat`.
class Pulse {
  public:
    static constexpr std::uint32_t beats = 1 << 14;

    explicit Pulse(const std::function<void()>& poll) : poll_(poll) {}

    void beat() {
        if (++count_ % beats == 0 && poll_) poll_();
    }

  private:
    const std::function<void()>& poll_;
    std::uint32_t count_ = 0;
};

}  // namespace striate
