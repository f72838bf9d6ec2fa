// Python's door to mapped files, to records gathered out of them, and to memory that processes share.
#include "striate/records/chunks.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "columns.hpp"
#include "engines.hpp"
#include "striate/records/mapped_file.hpp"
#include "striate/records/shared_memory.hpp"

namespace striate::bind {

namespace {

// Where every chunk begins; a file of -1 stands for zeros. Refuses chunks that do not lie within their file.
std::vector<const std::byte*> locate(const std::vector<const MappedFile*>& files,
                                     std::span<const std::int64_t> file, std::span<const std::int64_t> offset,
                                     std::size_t chunk_bytes) {
    std::vector<const std::byte*> at(file.size(), nullptr);
    if (offset.size() != file.size()) throw std::out_of_range("expected an offset for every chunk");
    for (std::size_t chunk = 0; chunk < file.size(); ++chunk) {
        if (file[chunk] < 0) continue;
        if (static_cast<std::size_t>(file[chunk]) >= files.size())
            throw std::out_of_range("a chunk lies in a file that is not there");
        const auto content = files[static_cast<std::size_t>(file[chunk])]->content();
        if (offset[chunk] < 0 || static_cast<std::size_t>(offset[chunk]) > content.size() ||
            chunk_bytes > content.size() - static_cast<std::size_t>(offset[chunk]))
            throw std::out_of_range("a chunk lies outside its file");
        at[chunk] = content.data() + offset[chunk];
    }
    return at;
}

template <class Position>
void gather(MutableColumn<std::uint8_t> target, Column<Position> indices,
            const std::vector<const MappedFile*>& files, Column<std::int64_t> file,
            Column<std::int64_t> offset, std::int64_t records, std::size_t size) {
    nb::gil_scoped_release release;
    const auto at = locate(files, borrow(file), borrow(offset), static_cast<std::size_t>(records) * size);
    const ChunkedRecords source{at, records, size};
    read_guarded(
        [&] { gather_chunks<Position>(std::as_writable_bytes(borrow(target)), borrow(indices), source); });
}

template <class Position>
void register_gather(nb::module_& module) {
    module.def("gather_chunks", &gather<Position>, nb::arg("target"), nb::arg("indices").noconvert(),
               nb::arg("files"), nb::arg("file"), nb::arg("offset"), nb::arg("records"), nb::arg("size"),
               "target[k] = record indices[k] of an array whose chunks lie in mapped files.");
}

Owned<std::uint8_t> map_shared(int descriptor, std::size_t bytes) {
    std::unique_ptr<SharedMemory> memory;
    {
        nb::gil_scoped_release release;
        memory = std::make_unique<SharedMemory>(descriptor, bytes, true);
    }
    const auto content = memory->content();
    nb::capsule owner(memory.release(),
                      [](void* pointer) noexcept { delete static_cast<SharedMemory*>(pointer); });
    return Owned<std::uint8_t>(reinterpret_cast<std::uint8_t*>(content.data()), {content.size()}, owner);
}

}  // namespace

void register_chunks(nb::module_& module) {
    nb::exception<PageLost>(module, "PageLostError", PyExc_OSError);
    nb::class_<MappedFile>(module, "MappedFile")
        .def(nb::init<int, std::size_t>(), nb::arg("descriptor"), nb::arg("bytes"));
    register_gather<std::int32_t>(module);
    register_gather<std::int64_t>(module);
    module.def(
        "reserve_shared", &reserve_shared, nb::arg("descriptor"), nb::arg("bytes"),
        nb::call_guard<nb::gil_scoped_release>(),
        "Give an open file of the memory file system so many bytes, in large pages where they can be had.");
    module.def("map_shared", &map_shared, nb::arg("descriptor"), nb::arg("bytes"),
               "The first bytes of an open file as memory that all who map it see.");
}

}  // namespace striate::bind
