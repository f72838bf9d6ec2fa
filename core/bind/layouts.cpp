// Python's door to the layouts: one class each, the same methods on all.
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

#include "columns.hpp"
#include "engines.hpp"
#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/layout_columns.hpp"
#include "striate/layout/progressive.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"
#include "striate/layout/varstrip.hpp"

namespace striate::bind {

namespace {

using Int64 = Column<std::int64_t>;
using Filled = MutableColumn<std::int64_t>;

template <class First, class... Others>
void require_one_length(const First& first, const Others&... others) {
    if (((others.size() != first.size()) || ...)) throw nb::value_error("columns differ in length");
}

template <class Layout>
bool locate_columns(const Layout& layout, Int64 offsets, Filled servers, Filled physical) {
    require_one_length(offsets, servers, physical);
    nb::gil_scoped_release release;
    return locate(layout, borrow(offsets), borrow(servers), borrow(physical));
}

template <class Layout>
bool logical_columns(const Layout& layout, Int64 servers, Int64 physical, Filled offsets) {
    require_one_length(servers, physical, offsets);
    nb::gil_scoped_release release;
    return logical(layout, borrow(servers), borrow(physical), borrow(offsets));
}

template <class Layout>
bool run_length_columns(const Layout& layout, Int64 offsets, Filled lengths) {
    require_one_length(offsets, lengths);
    nb::gil_scoped_release release;
    return run_length(layout, borrow(offsets), borrow(lengths));
}

template <class Layout>
bool strip_number_columns(const Layout& layout, Int64 offsets, Filled numbers) {
    require_one_length(offsets, numbers);
    nb::gil_scoped_release release;
    return strip_number(layout, borrow(offsets), borrow(numbers));
}

template <class Layout>
bool physical_size_columns(const Layout& layout, Int64 servers, Int64 sizes, Filled lengths) {
    require_one_length(servers, sizes, lengths);
    nb::gil_scoped_release release;
    return physical_size(layout, borrow(servers), borrow(sizes), borrow(lengths));
}

using Owned64 = Owned<std::int64_t>;

template <class Layout>
std::tuple<Owned64, Owned64, Owned64, Owned64, Owned64> split_columns(const Layout& layout, Int64 offsets,
                                                                      Int64 sizes, std::size_t most) {
    require_one_length(offsets, sizes);
    Pieces pieces;
    {
        nb::gil_scoped_release release;
        pieces = split(layout, borrow(offsets), borrow(sizes), most);
    }
    return {hand_over(std::move(pieces.run)), hand_over(std::move(pieces.server)),
            hand_over(std::move(pieces.physical)), hand_over(std::move(pieces.offset)),
            hand_over(std::move(pieces.size))};
}

template <class Layout>
nb::class_<Layout> add_layout(nb::module_& module, const char* name) {
    return nb::class_<Layout>(module, name)
        .def("locate", &locate_columns<Layout>,
             "Fill servers and physical; false when some offset has no place.")
        .def("logical", &logical_columns<Layout>, "Fill offsets; false when some place holds no byte.")
        .def("run_length", &run_length_columns<Layout>, "Fill lengths; false when some offset is below zero.")
        .def("strip_number", &strip_number_columns<Layout>,
             "Fill numbers; false when some offset is below zero.")
        .def("physical_size", &physical_size_columns<Layout>,
             "Fill lengths; false when a server does not exist.")
        .def("split", &split_columns<Layout>, "Columns run, server, physical, offset, size of the pieces.");
}

}  // namespace

void register_layouts(nb::module_& module) {
    nb::set_leak_warnings(false);  // a layout kept by a module until the interpreter ends is no leak
    add_layout<SimpleStripe>(module, "SimpleStripe").def(nb::init<std::int64_t, std::int64_t>());
    add_layout<TwoDStripe>(module, "TwoDStripe")
        .def(nb::init<std::int64_t, std::int64_t, std::int64_t, std::int64_t>());
    add_layout<GroupedBlocks>(module, "GroupedBlocks")
        .def(nb::init<std::int64_t, std::int64_t, std::int64_t, std::int64_t>())
        .def_prop_ro("block_bytes", &GroupedBlocks::block_bytes);
    add_layout<VarStrip>(module, "VarStrip").def("__init__", [](VarStrip* self, Int64 servers, Int64 sizes) {
        new (self) VarStrip(borrow(servers), borrow(sizes));
    });
    add_layout<Progressive>(module, "Progressive")
        .def("__init__", [](Progressive* self, std::int64_t servers, Int64 ends, Int64 counts, Int64 units,
                            Int64 targets) {
            new (self) Progressive(servers, borrow(ends), borrow(counts), borrow(units), borrow(targets));
        });
}

}  // namespace striate::bind
