// Python's door to the plans of accesses: what goes to each server, and what ranks exchange in collective
// I/O.
#include "striate/layout/access_plan.hpp"

#include <utility>

#include "columns.hpp"
#include "engines.hpp"
#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/progressive.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"
#include "striate/layout/varstrip.hpp"
#include "striate/storage/two_phase.hpp"

namespace striate::bind {

namespace {

using Int64 = Column<std::int64_t>;

template <class Layout>
Named access_plan(const Layout& layout, Int64 offsets, Int64 sizes) {
    if (offsets.size() != sizes.size()) throw nb::value_error("offsets and sizes differ in length");
    AccessPlan plan;
    {
        nb::gil_scoped_release release;
        plan = plan_access(layout, {borrow(offsets), borrow(sizes)});
    }
    nb::dict columns;
    columns["server"] = hand_over(std::move(plan.server));
    columns["first_run"] = hand_over(std::move(plan.first_run));
    columns["physical"] = hand_over(std::move(plan.physical));
    columns["size"] = hand_over(std::move(plan.bytes));
    columns["offset"] = hand_over(std::move(plan.offset));
    columns["request_bytes"] = hand_over(std::move(plan.request_bytes));
    return columns;
}

Named two_phase(Int64 first_run, Int64 offsets, Int64 sizes, Int64 aggregators, std::int64_t buffer_bytes,
                std::int64_t align_bytes, bool cyclic) {
    TwoPhasePlan plan;
    {
        nb::gil_scoped_release release;
        plan = plan_two_phase({borrow(first_run), borrow(offsets), borrow(sizes)},
                              {borrow(aggregators), buffer_bytes, align_bytes, cyclic});
    }
    nb::dict columns;
    columns["rounds"] = plan.rounds;
    columns["domain_begin"] = hand_over(std::move(plan.domain_begin));
    columns["domain_end"] = hand_over(std::move(plan.domain_end));
    columns["move_round"] = hand_over(std::move(plan.move_round));
    columns["move_rank"] = hand_over(std::move(plan.move_rank));
    columns["move_aggregator"] = hand_over(std::move(plan.move_aggregator));
    columns["move_bytes"] = hand_over(std::move(plan.move_bytes));
    columns["first_piece"] = hand_over(std::move(plan.first_piece));
    columns["piece_offset"] = hand_over(std::move(plan.piece_offset));
    columns["piece_size"] = hand_over(std::move(plan.piece_size));
    columns["access_round"] = hand_over(std::move(plan.access_round));
    columns["access_aggregator"] = hand_over(std::move(plan.access_aggregator));
    columns["access_bytes"] = hand_over(std::move(plan.access_bytes));
    columns["first_access_run"] = hand_over(std::move(plan.first_access_run));
    columns["access_offset"] = hand_over(std::move(plan.access_offset));
    columns["access_size"] = hand_over(std::move(plan.access_size));
    return columns;
}

}  // namespace

void register_access_plan(nb::module_& module) {
    const char* about = "Columns of the requests, one per server, and of their runs.";
    module.def("access_plan", &access_plan<SimpleStripe>, about);
    module.def("access_plan", &access_plan<TwoDStripe>, about);
    module.def("access_plan", &access_plan<GroupedBlocks>, about);
    module.def("access_plan", &access_plan<VarStrip>, about);
    module.def("access_plan", &access_plan<Progressive>, about);
    module.def("two_phase_plan", &two_phase, nb::arg("first_run"), nb::arg("offsets"), nb::arg("sizes"),
               nb::arg("aggregators"), nb::arg("buffer_bytes"), nb::arg("align_bytes"), nb::arg("cyclic"),
               "Columns of the moves between ranks and aggregators, and of what aggregators access.");
}

}  // namespace striate::bind
