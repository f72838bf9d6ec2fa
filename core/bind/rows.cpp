// Python's door to rows of several variables.
#include "striate/records/rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "columns.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

using Sizes = std::vector<std::size_t>;

template <class Position>
void move(MutableColumn<std::uint8_t> target, std::optional<Column<Position>> to,
          const std::vector<Column<std::uint8_t>>& sources, const Sizes& sizes,
          std::optional<Column<Position>> from, std::size_t count) {
    if (sources.size() != sizes.size()) throw std::out_of_range("expected a size for every source");
    std::vector<RowPart> parts;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        parts.push_back({std::as_bytes(borrow(sources[k])), sizes[k]});
    nb::gil_scoped_release release;
    move_rows<Position>(std::as_writable_bytes(borrow(target)),
                        to ? borrow(*to) : std::span<const Position>{}, parts,
                        from ? borrow(*from) : std::span<const Position>{}, count);
}

void split(MutableColumn<std::uint8_t> target, Column<std::uint8_t> rows, const Sizes& sizes) {
    nb::gil_scoped_release release;
    split_rows(std::as_writable_bytes(borrow(target)), std::as_bytes(borrow(rows)), sizes);
}

template <class Position>
void register_move(nb::module_& module) {
    module.def("move_rows", &move<Position>, nb::arg("target"), nb::arg("to").noconvert().none(),
               nb::arg("sources"), nb::arg("sizes"), nb::arg("from_").noconvert().none(), nb::arg("count"),
               "Row to[k] of the target becomes record from_[k] of every source, one behind another.");
}

}  // namespace

void register_rows(nb::module_& module) {
    register_move<std::int32_t>(module);
    register_move<std::int64_t>(module);
    module.def("split_rows", &split, nb::arg("target"), nb::arg("rows"), nb::arg("sizes"),
               "All records of the first part of the rows, then all of the second, and so on.");
}

}  // namespace striate::bind
