// Memory that the processes of a node share: a file of the memory file system, in large pages where they can
// be had.
#pragma once

#include <cstddef>
#include <span>

namespace striate {

inline constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

// Gives the first `bytes` bytes of an open file their memory, all of it, so that touching it cannot fail
// later. Large pages are a wish: the rest comes in small ones. Throws std::runtime_error when there is too
// little.
void reserve_shared(int descriptor, std::size_t bytes);

// The first `bytes` bytes of an open file as memory that others see, at an address where large pages fit; the
// descriptor may be closed afterwards.
class SharedMemory {
  public:
    // Throws std::runtime_error when the file cannot be mapped. `populate`: its pages are touched at once.
    SharedMemory(int descriptor, std::size_t bytes, bool populate);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] std::span<std::byte> content() const { return content_; }

  private:
    std::span<std::byte> content_;
};

}  // namespace striate
