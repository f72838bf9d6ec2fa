#include "striate/records/chunks.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "striate/records/mapped_file.hpp"

using striate::ChunkedRecords;
using striate::gather_chunks;
using striate::MappedFile;
using striate::read_guarded;

namespace {

// A file of `bytes` bytes, each its own number, that is removed when it is closed.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::size_t bytes) {
        std::array<char, 32> name{"/tmp/striate-XXXXXX"};
        descriptor = mkstemp(name.data());
        unlink(name.data());
        std::vector<std::uint8_t> content(bytes);
        for (std::size_t k = 0; k < bytes; ++k) content[k] = static_cast<std::uint8_t>(k);
        good = write(descriptor, content.data(), bytes) == static_cast<ssize_t>(bytes);
    }
    ~TemporaryFile() { close(descriptor); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor = -1;
    bool good = false;
};

}  // namespace

TEST_CASE("records come out of their chunks, and a chunk that is not there is zeros") {
    std::mt19937 random(1);
    for (const std::size_t size : {1U, 3U, 8U, 40U}) {
        std::vector<std::byte> memory(5 * 7 * size);
        for (auto& byte : memory) byte = static_cast<std::byte>(random());
        std::vector<const std::byte*> at;  // the chunks lie backwards, the third one nowhere
        for (std::size_t chunk = 0; chunk < 5; ++chunk) at.push_back(memory.data() + (4 - chunk) * 7 * size);
        at[2] = nullptr;
        std::vector<std::int32_t> indices(200);
        for (auto& index : indices) index = static_cast<std::int32_t>(random() % 35);
        std::vector<std::byte> target(indices.size() * size, std::byte{9});
        gather_chunks<std::int32_t>(target, indices, ChunkedRecords{at, 7, size});
        for (std::size_t k = 0; k < indices.size(); ++k) {
            const auto chunk = static_cast<std::size_t>(indices[k] / 7);
            const auto within = static_cast<std::size_t>(indices[k] % 7);
            for (std::size_t byte = 0; byte < size; ++byte) {
                const std::byte wanted =
                    chunk == 2 ? std::byte{0} : memory[((4 - chunk) * 7 + within) * size + byte];
                CHECK(target[k * size + byte] == wanted);
            }
        }
    }
}

TEST_CASE("positions outside the chunks and targets that are too small are refused") {
    const std::vector<std::byte> memory(70);
    const std::vector<const std::byte*> at{memory.data(), memory.data() + 35};
    std::vector<std::byte> target(10);
    const ChunkedRecords source{at, 7, 5};
    const std::vector<std::int64_t> beyond{14}, below{-1}, many{0, 1, 2};
    CHECK_THROWS(gather_chunks<std::int64_t>(target, beyond, source));
    CHECK_THROWS(gather_chunks<std::int64_t>(target, below, source));
    CHECK_THROWS(gather_chunks<std::int64_t>(target, many, source));
}

TEST_CASE("a file is read where it is mapped; one that was cut meanwhile is an exception, not the end") {
    TemporaryFile file(3 * 4096);
    CHECK(file.good);
    const MappedFile mapped(file.descriptor, 3 * 4096);
    CHECK(mapped.content()[4097] == std::byte{1});
    const std::vector<const std::byte*> at{mapped.content().data()};
    std::vector<std::byte> target(1);
    const std::vector<std::int32_t> indices{2 * 4096 + 5};
    const auto read = [&] {
        read_guarded([&] { gather_chunks<std::int32_t>(target, indices, ChunkedRecords{at, 3 * 4096, 1}); });
    };
    read();
    CHECK(target[0] == std::byte{5});
    CHECK(ftruncate(file.descriptor, 4096) == 0);
    for (int again = 0; again < 2; ++again) CHECK_THROWS(read());
}
