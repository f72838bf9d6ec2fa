// Python's door to folding: operations in, one by one or as columns; rows with loops out.
#include "striate/programs/fold.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "answers.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

using Numbers = std::vector<std::int64_t>;

void extend(Folder& folder, Column<std::int64_t> shapes, Column<std::int64_t> widths,
            Column<std::int64_t> free) {
    nb::gil_scoped_release release;
    const auto values = borrow(free);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto width = static_cast<std::size_t>(widths.data()[i]);
        folder.add(shapes.data()[i], values.subspan(at, width));
        at += width;
    }
}

}  // namespace

void register_fold(nb::module_& module) {
    AnswerClass<FoldedRows>(module, "FoldedRows", "A folded program as rows in order.")
        .column("shape", &FoldedRows::shape)
        .column("count", &FoldedRows::count)
        .column("pair", &FoldedRows::pair)
        .column("free", &FoldedRows::free)
        .column("first_stride", &FoldedRows::first_stride)
        .column("stride", &FoldedRows::stride);
    nb::class_<Folder>(module, "Folder", "Folds a stream of operations back into loops as it arrives.")
        .def(nb::init<bool>(), nb::arg("folds"))
        .def(
            "add", [](Folder& folder, std::int64_t shape, const Numbers& free) { folder.add(shape, free); },
            nb::arg("shape"), nb::arg("free"))
        .def("extend", &extend, nb::arg("shapes"), nb::arg("widths"), nb::arg("free"),
             "Add operations in order; operation i has widths[i] of the free values.")
        .def(
            "add_loop",
            [](Folder& folder, const Numbers& shapes, const Numbers& widths, const Numbers& first,
               const Numbers& second,
               std::int64_t count) { folder.add_loop(shapes, widths, first, second, count); },
            nb::arg("shapes"), nb::arg("widths"), nb::arg("first"), nb::arg("second"), nb::arg("count"),
            "Add `count` passes at once, given the first two of them.")
        .def("rows", &Folder::rows);
}

}  // namespace striate::bind
