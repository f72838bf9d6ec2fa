// Python's door to the packet-level network: a schedule of messages in, times out.
#include "striate/schedule.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

struct PythonNetwork {
    Column<std::uint8_t> kind;
    Column<double> bandwidth, local_bandwidth;
    Column<std::int32_t> edge_source, edge_target;
    Column<double> edge_bandwidth;
    Column<std::int64_t> edge_latency;

    explicit PythonNetwork(nb::handle network)
        : kind(nb::cast<Column<std::uint8_t>>(network.attr("kind"))),
          bandwidth(nb::cast<Column<double>>(network.attr("bandwidth"))),
          local_bandwidth(nb::cast<Column<double>>(network.attr("local_bandwidth"))),
          edge_source(nb::cast<Column<std::int32_t>>(network.attr("edge_source"))),
          edge_target(nb::cast<Column<std::int32_t>>(network.attr("edge_target"))),
          edge_bandwidth(nb::cast<Column<double>>(network.attr("edge_bandwidth"))),
          edge_latency(nb::cast<Column<std::int64_t>>(network.attr("edge_latency"))) {}

    [[nodiscard]] NetworkColumns columns() const {
        return {borrow(bandwidth),    borrow(edge_source), borrow(edge_target),    borrow(edge_bandwidth),
                borrow(edge_latency), borrow(kind),        borrow(local_bandwidth)};
    }
};

void poll_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

nb::dict result_columns(ScheduleResult&& result) {
    std::vector<std::int64_t> busy, packets, bytes;
    for (const StationTotals& total : result.stations) {
        busy.push_back(total.busy);
        packets.push_back(total.packets);
        bytes.push_back(total.bytes);
    }
    nb::dict columns;
    columns["start"] = hand_over(std::move(result.start));
    columns["sent"] = hand_over(std::move(result.sent));
    columns["delivered"] = hand_over(std::move(result.delivered));
    columns["station_busy"] = hand_over(std::move(busy));
    columns["station_packets"] = hand_over(std::move(packets));
    columns["station_bytes"] = hand_over(std::move(bytes));
    columns["events"] = result.events;
    columns["end"] = result.end;
    return columns;
}

nb::dict simulate_schedule_columns(nb::handle network, Column<std::int32_t> nic_component,
                                   Column<double> nic_bandwidth, Column<double> link_bandwidth,
                                   Column<std::int64_t> link_latency, Column<std::uint8_t> analytical,
                                   Column<std::int32_t> source, Column<std::int32_t> target,
                                   Column<std::int64_t> bytes, Column<std::int64_t> delay,
                                   Column<std::int64_t> first_dependency, Column<std::int32_t> dependency,
                                   Column<std::uint8_t> dependency_sent, std::int64_t packet_bytes,
                                   bool compat_clock, bool round_robin, bool warp) {
    const PythonNetwork held(network);
    const NicColumns nics{borrow(nic_component), borrow(nic_bandwidth), borrow(link_bandwidth),
                          borrow(link_latency), borrow(analytical)};
    const ScheduleColumns schedule{borrow(source),         borrow(target),           borrow(bytes),
                                   borrow(delay),          borrow(first_dependency), borrow(dependency),
                                   borrow(dependency_sent)};
    const NetworkSettings settings{
        packet_bytes, compat_clock ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond,
        round_robin ? Routing::round_robin : Routing::shortest};
    ScheduleResult result;
    {
        nb::gil_scoped_release release;
        Stations stations(held.columns(), nics, settings);
        result = simulate_schedule(stations, schedule, {.warp = warp, .poll = poll_signals});
    }
    return result_columns(std::move(result));
}

}  // namespace

void register_schedule(nb::module_& module) {
    module.def("simulate_schedule", &simulate_schedule_columns, nb::arg("network"), nb::kw_only(),
               nb::arg("nic_component"), nb::arg("nic_bandwidth"), nb::arg("link_bandwidth"),
               nb::arg("link_latency"), nb::arg("analytical"), nb::arg("source"), nb::arg("target"),
               nb::arg("bytes"), nb::arg("delay"), nb::arg("first_dependency"), nb::arg("dependency"),
               nb::arg("dependency_sent"), nb::arg("packet_bytes"), nb::arg("compat_clock") = false,
               nb::arg("round_robin") = false, nb::arg("warp") = true,
               "Times (picoseconds) of every step, totals per station, and how many events it took.");
}

}  // namespace striate::bind
