// Files seen as memory, read where they lie in the system's cache, and what happens when a page of them is
// gone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>

namespace striate {

// The first `bytes` bytes of an open file as memory to be read; the descriptor may be closed afterwards.
class MappedFile {
  public:
    // Throws std::runtime_error when the file cannot be mapped.
    MappedFile(int descriptor, std::size_t bytes);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::span<const std::byte> content() const { return content_; }

  private:
    std::span<const std::byte> content_;
};

// A page of a mapped file could not be read: the file was cut meanwhile, or its disk failed.
struct PageLost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Runs `work`, which reads mapped files; throws PageLost where the system would end the process (SIGBUS).
// `work` may be left at any read: it holds nothing that has to be freed.
void read_guarded(const std::function<void()>& work);

}  // namespace striate
