// Python's door to the plans of accesses: what goes to each server.
#include "striate/layout/access_plan.hpp"

#include <utility>

#include "answers.hpp"
#include "engines.hpp"
#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/progressive.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"
#include "striate/layout/varstrip.hpp"

namespace striate::bind {

namespace {

using Int64 = Column<std::int64_t>;

template <class Layout>
AccessPlan access_plan(const Layout& layout, Int64 offsets, Int64 sizes) {
    if (offsets.size() != sizes.size()) throw nb::value_error("offsets and sizes differ in length");
    nb::gil_scoped_release release;
    return plan_access(layout, {borrow(offsets), borrow(sizes)});
}

}  // namespace

void register_access_plan(nb::module_& module) {
    AnswerClass<AccessPlan>(
        module, "AccessPlan",
        "Request i goes to `server[i]`, in order of the servers; its runs are `first_run[i]` to\n"
        "`first_run[i + 1]`. Runs keep the order of the access; those that are neighbours on their server "
        "are\n"
        "one. `offset` is where the first byte of a run lies in the file accessed.")
        .column("server", &AccessPlan::server)
        .column("request_bytes", &AccessPlan::request_bytes)
        .column("first_run", &AccessPlan::first_run)
        .column("physical", &AccessPlan::physical)
        .column("size", &AccessPlan::bytes)
        .column("offset", &AccessPlan::offset);
    const char* about = "Columns of the requests, one per server, and of their runs.";
    module.def("access_plan", &access_plan<SimpleStripe>, about);
    module.def("access_plan", &access_plan<TwoDStripe>, about);
    module.def("access_plan", &access_plan<GroupedBlocks>, about);
    module.def("access_plan", &access_plan<VarStrip>, about);
    module.def("access_plan", &access_plan<Progressive>, about);
}

}  // namespace striate::bind
