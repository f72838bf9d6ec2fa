// The version of the core, so that Python can refuse a stale build.
#pragma once

namespace striate {

inline constexpr const char* version = "0.1.0";

}  // namespace striate
