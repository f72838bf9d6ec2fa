// Python's door to the rungs over work-flow graphs.
#include "striate/flows/flows.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "columns.hpp"
#include "engines.hpp"
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

template <class Source>
Named run(const Source& source, const std::string& rung, std::int64_t blocks_ahead) {
    FlowResult result;
    {
        nb::gil_scoped_release release;
        result = run_flows(source, rung_of(rung), blocks_ahead);
    }
    nb::dict columns;
    columns["ticks"] = result.ticks;
    columns["floor"] = result.floor;
    columns["graphs"] = result.graphs;
    columns["sends"] = result.sends;
    columns["most_fan_out"] = result.most_fan_out;
    columns["most_partners"] = result.most_partners;
    columns["station_work"] = hand_over(std::move(result.station_work));
    columns["disk_work"] = hand_over(std::move(result.disk_work));
    columns["disk_reads"] = hand_over(std::move(result.disk_reads));
    columns["processor_work"] = hand_over(std::move(result.processor_work));
    columns["sent_work"] = hand_over(std::move(result.sent_work));
    columns["communication_work"] = hand_over(std::move(result.communication_work));
    return columns;
}

// The graphs of a source one by one, as columns of `listed_flows`.
template <class Source>
Named list_graphs(const Source& source) {
    std::vector<std::int64_t> first{0}, read, compute, first_receiver{0};
    std::vector<std::uint8_t> local;
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
    columns["first_receiver"] = hand_over(std::move(first_receiver));
    columns["receiver"] = hand_over(std::move(receiver));
    return columns;
}

// `rung` may also be `list`: the graphs themselves.
Named mesh_queries(const std::string& rung, std::uint32_t disks, std::uint32_t disks_per_processor,
                   std::int64_t communication_ticks, bool overlap, bool links, Column<double> read_scale,
                   Column<std::int64_t> station_ticks, Column<std::int64_t> first_station,
                   Column<std::uint32_t> station, std::uint32_t mesh_columns, std::uint32_t mesh_rows,
                   double reach, bool scattered, std::int64_t read_ticks, std::int64_t compute_ticks,
                   double read_variation, std::uint64_t seed, Column<std::int64_t> columns,
                   Column<std::int64_t> rows, Column<std::int64_t> layers, Column<std::int64_t> left,
                   Column<std::int64_t> top, std::int64_t blocks_ahead) {
    if (columns.size() != rows.size() || rows.size() != layers.size() || layers.size() != left.size() ||
        left.size() != top.size()) {
        throw nb::value_error("columns, rows and layers differ in length");
    }
    std::vector<MeshQueries::Window> windows;
    for (std::size_t group = 0; group < columns.size(); ++group) {
        windows.push_back({columns.data()[group], rows.data()[group], layers.data()[group],
                           left.data()[group], top.data()[group]});
    }
    const MeshQueries source(
        {disks, disks_per_processor, communication_ticks, overlap, links, borrow(read_scale),
         borrow(station_ticks), borrow(first_station), borrow(station), poll_signals},
        {mesh_columns, mesh_rows, reach, scattered, read_ticks, compute_ticks, read_variation, seed},
        std::move(windows));
    return rung == "list" ? list_graphs(source) : run(source, rung, blocks_ahead);
}

Named listed_flows(const std::string& rung, std::uint32_t disks, std::uint32_t disks_per_processor,
                   std::int64_t communication_ticks, bool overlap, bool links, Column<double> read_scale,
                   Column<std::int64_t> station_ticks, Column<std::int64_t> first_station,
                   Column<std::uint32_t> station, Column<std::int64_t> first, Column<std::int64_t> read_ticks,
                   Column<std::int64_t> compute_ticks, Column<std::uint8_t> local,
                   Column<std::int64_t> first_receiver, Column<std::uint32_t> receiver,
                   std::int64_t blocks_ahead) {
    const ListedFlows source(
        {disks, disks_per_processor, communication_ticks, overlap, links, borrow(read_scale),
         borrow(station_ticks), borrow(first_station), borrow(station), poll_signals},
        {borrow(first), borrow(read_ticks), borrow(compute_ticks), borrow(local), borrow(first_receiver),
         borrow(receiver)});
    return run(source, rung, blocks_ahead);
}

}  // namespace

void register_flows(nb::module_& module) {
    module.def("mesh_queries", &mesh_queries, nb::arg("rung"), nb::kw_only(), nb::arg("disks"),
               nb::arg("disks_per_processor"), nb::arg("communication_ticks"), nb::arg("overlap"),
               nb::arg("links"), nb::arg("read_scale"), nb::arg("station_ticks"), nb::arg("first_station"),
               nb::arg("station"), nb::arg("mesh_columns"), nb::arg("mesh_rows"), nb::arg("reach"),
               nb::arg("scattered"), nb::arg("read_ticks"), nb::arg("compute_ticks"),
               nb::arg("read_variation"), nb::arg("seed"), nb::arg("columns"), nb::arg("rows"),
               nb::arg("layers"), nb::arg("left"), nb::arg("top"), nb::arg("blocks_ahead"),
               "Run a rung over windows of a grid of blocks, mapped onto a mesh of processors.");
    module.def("listed_flows", &listed_flows, nb::arg("rung"), nb::kw_only(), nb::arg("disks"),
               nb::arg("disks_per_processor"), nb::arg("communication_ticks"), nb::arg("overlap"),
               nb::arg("links"), nb::arg("read_scale"), nb::arg("station_ticks"), nb::arg("first_station"),
               nb::arg("station"), nb::arg("first"), nb::arg("read_ticks"), nb::arg("compute_ticks"),
               nb::arg("local"), nb::arg("first_receiver"), nb::arg("receiver"), nb::arg("blocks_ahead"),
               "Run a rung over graphs given one by one.");
}

}  // namespace striate::bind
