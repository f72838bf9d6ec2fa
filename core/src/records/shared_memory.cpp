#include "striate/records/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace striate {

namespace {

constexpr int collapse = 25;  // MADV_COLLAPSE, Linux 6.1; older systems refuse it

[[noreturn]] void fail(const char* what, int number) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(number));
}

// An address of free room for `bytes` bytes that is a multiple of a large page.
std::byte* aligned_room(std::size_t bytes) {
    const std::size_t room = bytes + large_page_bytes;
    void* found = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) fail("cannot map", errno);
    const auto first = reinterpret_cast<std::uintptr_t>(found);
    const std::size_t before = (large_page_bytes - first % large_page_bytes) % large_page_bytes;
    auto* aligned = static_cast<std::byte*>(found) + before;
    if (before > 0) munmap(found, before);
    if (const std::size_t after = large_page_bytes - before; after > 0) munmap(aligned + bytes, after);
    return aligned;
}

// One small page of each large one is there already: the system makes a large page around it, and has nothing
// but that page to copy. Ends at the first that it does not make.
void take_large_pages(int descriptor, std::size_t bytes) {
    const SharedMemory memory(descriptor, bytes, false);
    for (std::size_t at = 0; at + large_page_bytes <= bytes; at += large_page_bytes) {
        if (posix_fallocate(descriptor, static_cast<off_t>(at), 1) != 0) return;
        if (madvise(memory.content().data() + at, large_page_bytes, collapse) != 0) return;
    }
}

}  // namespace

void reserve_shared(int descriptor, std::size_t bytes) {
    if (bytes == 0) return;
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) fail("cannot reserve", errno);
    if (bytes >= large_page_bytes) take_large_pages(descriptor, bytes);
    if (const int number = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)); number != 0)
        fail("cannot reserve", number);
}

SharedMemory::SharedMemory(int descriptor, std::size_t bytes, bool populate) {
    if (bytes == 0) return;
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (bytes + page - 1) / page * page;
    std::byte* room = aligned_room(whole);
    const int flags = MAP_SHARED | MAP_FIXED | (populate ? MAP_POPULATE : 0);
    if (mmap(room, whole, PROT_READ | PROT_WRITE, flags, descriptor, 0) == MAP_FAILED) {
        const int number = errno;
        munmap(room, whole);
        fail("cannot map", number);
    }
    content_ = {room, bytes};
}

SharedMemory::~SharedMemory() {
    if (!content_.empty()) munmap(content_.data(), content_.size());
}

}  // namespace striate
