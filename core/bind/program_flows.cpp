// Python's door to the rungs over programs of ranks.
#include "striate/flows/program_flows.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "engines.hpp"
#include "program_input.hpp"

namespace striate::bind {

namespace {

FlowOrder order_of(const std::string& name) {
    if (name == "path") return FlowOrder::path;
    if (name == "chain") return FlowOrder::chain;
    if (name == "macro-rr") return FlowOrder::round_robin;
    if (name == "macro-queue") return FlowOrder::queue;
    if (name == "micro") return FlowOrder::micro;
    throw nb::value_error("no such rung");
}

Named program_flows(const std::string& rung, const EngineInput& given) {
    const BorrowedInput input(given);
    const FlowOrder order = order_of(rung);
    ProgramFlowResult result;
    {
        nb::gil_scoped_release release;
        Stations stations(input.network, input.nics, input.settings);
        result = run_program_flows(stations, input.programs, order);
    }
    nb::dict columns;
    columns["ticks"] = result.ticks;
    columns["graphs"] = result.graphs;
    columns["messages"] = result.messages;
    columns["network_work"] = result.network_work;
    columns["delays"] = result.delays;
    columns["rank_end"] = hand_over(std::move(result.rank_end));
    columns["compute_work"] = hand_over(std::move(result.compute_work));
    columns["communication_work"] = hand_over(std::move(result.communication_work));
    columns["station_work"] = hand_over(std::move(result.station_work));
    columns["disk_work"] = hand_over(std::move(result.disk_work));
    columns["disk_alone"] = hand_over(std::move(result.disk_alone));
    columns["written"] = hand_over(std::move(result.written));
    columns["disk_jobs"] = hand_over(std::move(result.disk_jobs));
    columns["calls"] = hand_over(std::move(result.calls));
    return columns;
}

}  // namespace

void register_program_flows(nb::module_& module) {
    module.def("program_flows", &program_flows, nb::arg("rung"), nb::arg("given"),
               "Run a rung over the operations of an EngineInput, each a work-flow graph.");
}

}  // namespace striate::bind
