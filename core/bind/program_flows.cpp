// Python's door to the rungs over programs of ranks.
#include "striate/flows/program_flows.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "engines.hpp"
#include "files.hpp"
#include "programs.hpp"

namespace striate::bind {

namespace {

FlowOrder order_of(const std::string& name) {
    if (name == "path") return FlowOrder::path;
    if (name == "macro-rr") return FlowOrder::round_robin;
    if (name == "macro-queue") return FlowOrder::queue;
    if (name == "micro") return FlowOrder::micro;
    throw nb::value_error("no such rung");
}

nb::dict program_flows(const std::string& rung, nb::handle table, nb::list communicators, nb::handle network,
                       nb::handle interfaces, nb::handle collectives, Column<std::int32_t> rank_node,
                       Column<std::int32_t> node_cpus, Column<double> node_speed, std::int64_t eager_bytes,
                       std::int64_t packet_bytes, bool round_robin, bool free_near, nb::handle files,
                       nb::handle extents) {
    Borrower borrower;
    std::vector<GroupColumns> groups;
    for (const nb::handle communicator : communicators) groups.push_back(borrower.groups(communicator));
    const FileRules rules =
        files.is_none() ? FileRules{} : borrow_file_rules(borrower, files, packet_bytes, false);
    const ProgramInput input{.programs = borrower.programs(table),
                             .communicators = groups,
                             .collectives = borrower.collectives(collectives),
                             .rank_node = borrow(rank_node),
                             .node_cpus = borrow(node_cpus),
                             .node_instructions_per_second = borrow(node_speed),
                             .eager_bytes = eager_bytes,
                             .extents = borrower.extents(extents),
                             .files = files.is_none() ? nullptr : &rules};
    const NetworkColumns components = borrower.network(network);
    const NicColumns nics = borrower.nics(interfaces);
    const FlowOrder order = order_of(rung);
    ProgramFlowResult result;
    {
        nb::gil_scoped_release release;
        Stations stations(components, nics,
                          {.packet_bytes = packet_bytes,
                           .routing = round_robin ? Routing::round_robin : Routing::shortest,
                           .free_near = free_near});
        result = run_program_flows(stations, input, order);
    }
    nb::dict columns;
    columns["ticks"] = result.ticks;
    columns["graphs"] = result.graphs;
    columns["messages"] = result.messages;
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
    module.def("program_flows", &program_flows, nb::arg("rung"), nb::arg("programs"),
               nb::arg("communicators"), nb::arg("network"), nb::arg("interfaces"), nb::arg("collectives"),
               nb::kw_only(), nb::arg("rank_node"), nb::arg("node_cpus"), nb::arg("node_speed"),
               nb::arg("eager_bytes"), nb::arg("packet_bytes"), nb::arg("round_robin"), nb::arg("free_near"),
               nb::arg("files").none(), nb::arg("extents"),
               "Run a rung over the operations of ranks, each a work-flow graph.");
}

}  // namespace striate::bind
