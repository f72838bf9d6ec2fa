#include "striate/records/shared_memory.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace striate {

namespace {

struct MemoryFile {
    int descriptor = memfd_create("striate-test", 0);
    ~MemoryFile() { close(descriptor); }
};

}  // namespace

TEST_CASE("two mappings of reserved memory see each other's bytes, of any size") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, large_page_bytes - 1, large_page_bytes,
                                    5 * large_page_bytes + 12345}) {
        const MemoryFile file;
        reserve_shared(file.descriptor, bytes);
        const SharedMemory one(file.descriptor, bytes, true), other(file.descriptor, bytes, false);

        REQUIRE(one.content().size() == bytes);
        CHECK(std::ranges::all_of(one.content(), [](std::byte byte) { return byte == std::byte{0}; }));
        one.content().front() = std::byte{7};
        one.content().back() = std::byte{9};
        CHECK((bytes == 1 || other.content().front() == std::byte{7}));
        CHECK(other.content().back() == std::byte{9});
        CHECK(reinterpret_cast<std::uintptr_t>(other.content().data()) % large_page_bytes == 0);
    }
}

TEST_CASE("reserved memory has all its pages") {
    const MemoryFile file;
    const std::size_t bytes = 3 * large_page_bytes + 4096;
    reserve_shared(file.descriptor, bytes);

    struct stat status{};
    fstat(file.descriptor, &status);
    CHECK(static_cast<std::size_t>(status.st_size) == bytes);
    CHECK(static_cast<std::size_t>(status.st_blocks) * 512 >= bytes);
}

TEST_CASE("shared memory of no bytes is empty, and what is no file is refused") {
    const MemoryFile file;
    reserve_shared(file.descriptor, 0);

    CHECK(SharedMemory(file.descriptor, 0, true).content().empty());
    CHECK_THROWS_AS(reserve_shared(-1, 100), std::runtime_error);
    CHECK_THROWS_AS(SharedMemory(-1, 100, true), std::runtime_error);
}

}  // namespace striate
