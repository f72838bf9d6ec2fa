// Python's door to the rungs over work-flow graphs.
#include "striate/flows/flows.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "answers.hpp"
#include "engines.hpp"
#include "inputs/programs.hpp"
#include "signals.hpp"

namespace striate::bind {

namespace {

FlowRung rung_of(const std::string& name) {
    if (name == "resource") return FlowRung::resource;
    if (name == "macro-rr") return FlowRung::macro_round_robin;
    if (name == "macro-queue") return FlowRung::macro_queue;
    if (name == "micro") return FlowRung::micro;
    throw nb::value_error("no such rung");
}

class FlowMachineObject : public nb::object {
    NB_OBJECT(FlowMachineObject, nb::object, "striate.workload.flow_columns.FlowMachine", is_any)
    static bool is_any(PyObject*) { return true; }
};

class MeshColumns : public nb::object {
    NB_OBJECT(MeshColumns, nb::object, "striate.workload.flow_columns.MeshColumns", is_any)
    static bool is_any(PyObject*) { return true; }
};

class GraphColumns : public nb::object {
    NB_OBJECT(GraphColumns, nb::object, "striate.workload.flow_columns.GraphColumns", is_any)
    static bool is_any(PyObject*) { return true; }
};

FlowMachine borrow_machine(Borrower& keep, nb::handle machine) {
    return {.disks = static_cast<std::uint32_t>(number(machine, "disks")),
            .disks_per_processor = static_cast<std::uint32_t>(number(machine, "disks_per_processor")),
            .communication_ticks = number(machine, "communication_ticks"),
            .overlap = flag(machine, "overlap"),
            .links = flag(machine, "links"),
            .one_cpu = flag(machine, "one_cpu"),
            .read_scale = keep.column<double>(machine, "read_scale"),
            .station_ticks = keep.column<std::int64_t>(machine, "station_ticks"),
            .first_station = keep.column<std::int64_t>(machine, "first_station"),
            .station = keep.column<std::uint32_t>(machine, "station"),
            .keep_going = poll_signals};
}

MeshQueries borrow_queries(Borrower& keep, nb::handle machine, nb::handle queries) {
    const auto whole = [&](const char* name) { return keep.column<std::int64_t>(queries, name); };
    const auto columns = whole("columns"), rows = whole("rows"), layers = whole("layers");
    const auto left = whole("left"), top = whole("top");
    std::vector<MeshQueries::Window> windows;
    for (std::size_t group = 0; group < columns.size(); ++group) {
        windows.push_back({columns[group], rows[group], layers[group], left[group], top[group]});
    }
    return {borrow_machine(keep, machine),
            {.mesh_columns = static_cast<std::uint32_t>(number(queries, "mesh_columns")),
             .mesh_rows = static_cast<std::uint32_t>(number(queries, "mesh_rows")),
             .reach = nb::cast<double>(queries.attr("reach")),
             .scattered = flag(queries, "scattered"),
             .read_ticks = number(queries, "read_ticks"),
             .compute_ticks = number(queries, "compute_ticks"),
             .read_variation = nb::cast<double>(queries.attr("read_variation")),
             .seed = nb::cast<std::uint64_t>(queries.attr("seed"))},
            std::move(windows)};
}

template <class Source>
FlowResult run(const Source& source, FlowRung rung, nb::handle machine) {
    const std::int64_t blocks_ahead = number(machine, "blocks_ahead");
    nb::gil_scoped_release release;
    return run_flows(source, rung, blocks_ahead);
}

// The graphs of a source one by one.
template <class Source>
GraphColumns list_graphs(const Source& source) {
    std::vector<std::int64_t> first{0}, read, compute, first_receiver{0};
    std::vector<std::uint8_t> local, write;
    std::vector<double> size;
    std::vector<std::uint32_t> receiver;
    Flow flow;
    for (std::size_t group = 0; group < source.groups(); ++group) {
        for (std::uint32_t disk = 0; disk < source.machine().disks; ++disk) {
            auto cursor = source.begin(group, disk);
            for (std::int64_t left = source.count(group, disk); left > 0; --left) {
                source.take(group, disk, cursor, flow);
                read.push_back(flow.read_ticks);
                compute.push_back(flow.compute_ticks);
                local.push_back(flow.local ? 1 : 0);
                write.push_back(flow.write ? 1 : 0);
                size.push_back(flow.size);
                receiver.insert(receiver.end(), flow.receiver.begin(),
                                flow.receiver.begin() + flow.receivers);
                first_receiver.push_back(static_cast<std::int64_t>(receiver.size()));
            }
            first.push_back(static_cast<std::int64_t>(read.size()));
        }
    }
    nb::dict columns;
    columns["first"] = hand_over(std::move(first));
    columns["read_ticks"] = hand_over(std::move(read));
    columns["compute_ticks"] = hand_over(std::move(compute));
    columns["local"] = hand_over(std::move(local));
    columns["write"] = hand_over(std::move(write));
    columns["size"] = hand_over(std::move(size));
    columns["first_receiver"] = hand_over(std::move(first_receiver));
    columns["receiver"] = hand_over(std::move(receiver));
    return nb::borrow<GraphColumns>(
        nb::module_::import_("striate.workload.flow_columns").attr("GraphColumns")(**columns));
}

FlowResult mesh_queries(const std::string& rung, const FlowMachineObject& machine,
                        const MeshColumns& queries) {
    Borrower keep;
    return run(borrow_queries(keep, machine, queries), rung_of(rung), machine);
}

GraphColumns mesh_graphs(const FlowMachineObject& machine, const MeshColumns& queries) {
    Borrower keep;
    return list_graphs(borrow_queries(keep, machine, queries));
}

FlowResult listed_flows(const std::string& rung, const FlowMachineObject& machine,
                        const GraphColumns& graphs) {
    Borrower keep;
    const ListedFlows source(borrow_machine(keep, machine),
                             {.first = keep.column<std::int64_t>(graphs, "first"),
                              .read_ticks = keep.column<std::int64_t>(graphs, "read_ticks"),
                              .compute_ticks = keep.column<std::int64_t>(graphs, "compute_ticks"),
                              .local = keep.column<std::uint8_t>(graphs, "local"),
                              .write = keep.column<std::uint8_t>(graphs, "write"),
                              .size = keep.column<double>(graphs, "size"),
                              .first_receiver = keep.column<std::int64_t>(graphs, "first_receiver"),
                              .receiver = keep.column<std::uint32_t>(graphs, "receiver")});
    return run(source, rung_of(rung), machine);
}

}  // namespace

void register_flows(nb::module_& module) {
    AnswerClass<FlowResult>(module, "FlowRun",
                            "What a rung over a stream gave to each resource, in picoseconds.\n\n"
                            "`ticks` is the end, `floor` what no order of events ends before; columns go by\n"
                            "disk, processor or shared component.")
        .number("ticks", &FlowResult::ticks)
        .number("floor", &FlowResult::floor)
        .number("graphs", &FlowResult::graphs)
        .number("sends", &FlowResult::sends)
        .number("most_fan_out", &FlowResult::most_fan_out)
        .number("most_partners", &FlowResult::most_partners)
        .column("station_work", &FlowResult::station_work)
        .column("disk_work", &FlowResult::disk_work)
        .column("disk_reads", &FlowResult::disk_reads)
        .column("processor_work", &FlowResult::processor_work)
        .column("communication_work", &FlowResult::communication_work);
    module.def("mesh_queries", &mesh_queries, nb::arg("rung"), nb::arg("machine"), nb::arg("queries"),
               "Run a rung over windows of a grid of blocks, mapped onto a mesh of processors.");
    module.def("mesh_graphs", &mesh_graphs, nb::arg("machine"), nb::arg("queries"),
               "The graphs of such windows one by one.");
    module.def("listed_flows", &listed_flows, nb::arg("rung"), nb::arg("machine"), nb::arg("graphs"),
               "Run a rung over graphs given one by one.");
}

}  // namespace striate::bind
