// Python's door to lists of byte runs.
#include "striate/layout/extents.hpp"

#include <utility>

#include "columns.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

using Int64 = Column<std::int64_t>;
using TwoColumns = std::pair<Owned<std::int64_t>, Owned<std::int64_t>>;

RunsView view(const Int64& offsets, const Int64& sizes) {
    if (offsets.size() != sizes.size()) throw nb::value_error("offsets and sizes differ in length");
    return {borrow(offsets), borrow(sizes)};
}

template <Runs (*combine)(const RunsView&)>
TwoColumns of_one(Int64 offsets, Int64 sizes) {
    const RunsView runs = view(offsets, sizes);
    Runs result;
    {
        nb::gil_scoped_release release;
        result = combine(runs);
    }
    return {hand_over(std::move(result.offsets)), hand_over(std::move(result.sizes))};
}

template <Runs (*combine)(const RunsView&, const RunsView&)>
TwoColumns of_two(Int64 offsets, Int64 sizes, Int64 other_offsets, Int64 other_sizes) {
    const RunsView first = view(offsets, sizes);
    const RunsView second = view(other_offsets, other_sizes);
    Runs result;
    {
        nb::gil_scoped_release release;
        result = combine(first, second);
    }
    return {hand_over(std::move(result.offsets)), hand_over(std::move(result.sizes))};
}

}  // namespace

void register_extents(nb::module_& module) {
    module.def("sort_runs", &of_one<sorted>, "Runs by offset, stable.");
    module.def("merge_runs", &of_one<merged>, "The same bytes as the fewest runs, in order.");
    module.def("subtract_runs", &of_two<difference>, "Bytes of the first merged list that the second lacks.");
}

}  // namespace striate::bind
