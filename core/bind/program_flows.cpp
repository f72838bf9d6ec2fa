// Python's door to the rungs over programs of ranks.
#include "striate/flows/program_flows.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "answers.hpp"
#include "engines.hpp"
#include "inputs/program_input.hpp"
#include "signals.hpp"

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

ProgramFlowResult program_flows(const std::string& rung, const EngineInput& given) {
    const BorrowedInput input(given);
    const FlowOrder order = order_of(rung);
    nb::gil_scoped_release release;
    Stations stations(input.network, input.nics, input.settings);
    return run_program_flows(stations, input.programs, order, poll_signals);
}

}  // namespace

void register_program_flows(nb::module_& module) {
    using Run = ProgramFlowResult;
    AnswerClass<Run>(module, "ProgramFlowRun",
                     "What a rung over graphs gave to each resource, in picoseconds.\n\n"
                     "`ticks` is the end of the last rank; columns go by rank, station or I/O server.")
        .number("ticks", &Run::ticks)
        .number("graphs", &Run::graphs)
        .number("messages", &Run::messages)
        .number("network_work", &Run::network_work)
        .number("delays", &Run::delays)
        .column("compute_work", &Run::compute_work)
        .column("communication_work", &Run::communication_work)
        .column("station_work", &Run::station_work)
        .column("disk_work", &Run::disk_work)
        .column("written", &Run::written)
        .column("disk_jobs", &Run::disk_jobs)
        .column("calls", &Run::calls);
    module.def("program_flows", &program_flows, nb::arg("rung"), nb::arg("given"),
               "Run a rung over the operations of an EngineInput, each a work-flow graph.");
}

}  // namespace striate::bind
