// Python's door to the packet-level network: schedules of messages and programs of ranks in, times out.
#include "striate/network/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "engines.hpp"
#include "files.hpp"
#include "programs.hpp"
#include "striate/programs/matching.hpp"
#include "striate/programs/program_run.hpp"
#include "timelines.hpp"

namespace striate::bind {

namespace {

void poll_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

NetworkSettings settings_of(std::int64_t packet_bytes, bool compat_clock, bool round_robin,
                            bool free_near = false) {
    return {packet_bytes, compat_clock ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond,
            round_robin ? Routing::round_robin : Routing::shortest, free_near};
}

RunOptions options_of(bool warp, bool flows, bool heap_ties = false) {
    return {.fidelity = flows ? Fidelity::flows : Fidelity::packets,
            .warp = warp,
            .queue = heap_ties ? QueueKind::timed_heap : QueueKind::automatic,
            .poll = poll_signals};
}

template <class Result>
nb::dict shared_columns(Result& result) {
    std::vector<std::int64_t> busy, packets, bytes;
    for (const StationTotals& total : result.stations) {
        busy.push_back(total.busy);
        packets.push_back(total.packets);
        bytes.push_back(total.bytes);
    }
    nb::dict columns;
    columns["station_busy"] = hand_over(std::move(busy));
    columns["station_packets"] = hand_over(std::move(packets));
    columns["station_bytes"] = hand_over(std::move(bytes));
    columns["station_waited"] = hand_over(std::move(result.waited));
    columns["events"] = result.events;
    columns["skipped"] = result.skipped;
    columns["end"] = result.end;
    return columns;
}

nb::dict simulate_schedule_columns(nb::handle network, nb::handle interfaces, nb::handle steps,
                                   std::int64_t packet_bytes, bool compat_clock, bool round_robin, bool warp,
                                   bool flows) {
    Borrower borrower;
    const NetworkColumns components = borrower.network(network);
    const NicColumns nics = borrower.nics(interfaces);
    const ScheduleColumns schedule = borrower.schedule(steps);
    ScheduleResult result;
    {
        nb::gil_scoped_release release;
        Stations stations(components, nics, settings_of(packet_bytes, compat_clock, round_robin));
        result = simulate_schedule(stations, schedule, options_of(warp, flows));
    }
    nb::dict columns = shared_columns(result);
    columns["start"] = hand_over(std::move(result.start));
    columns["sent"] = hand_over(std::move(result.sent));
    columns["delivered"] = hand_over(std::move(result.delivered));
    return columns;
}

nb::dict run_program_columns(nb::handle table, nb::list communicators, nb::handle network,
                             nb::handle interfaces, nb::handle collectives, Column<std::int32_t> rank_node,
                             Column<std::int32_t> node_cpus, Column<double> node_speed,
                             std::int64_t eager_bytes, std::int64_t packet_bytes, bool compat_clock,
                             bool heap_ties, bool round_robin, bool free_near, bool warp, bool flows,
                             nb::handle files, nb::handle extents, nb::handle rank_start,
                             std::int64_t timeline_bytes, nb::handle rank_wait, nb::handle rank_lag,
                             std::int64_t longest_lag) {
    Borrower borrower;
    std::vector<GroupColumns> groups;
    for (const nb::handle communicator : communicators) groups.push_back(borrower.groups(communicator));
    const FileRules file_rules =
        files.is_none() ? FileRules{} : borrow_file_rules(borrower, files, packet_bytes, compat_clock);
    ProgramInput input{
        borrower.programs(table),
        groups,
        borrower.collectives(collectives),
        borrow(rank_node),
        borrow(node_cpus),
        borrow(node_speed),
        eager_bytes,
        extents.is_none() ? ExtentColumns{} : borrower.extents(extents),
        files.is_none() ? nullptr : &file_rules,
        rank_start.is_none() ? std::span<const std::int64_t>{} : borrower.array<std::int64_t>(rank_start)};
    if (!rank_wait.is_none()) input.rank_wait = borrower.array<std::int64_t>(rank_wait);
    if (!rank_lag.is_none()) input.rank_lag = borrower.array<double>(rank_lag);
    input.longest_lag = longest_lag;
    const NetworkColumns components = borrower.network(network);
    const NicColumns nics = borrower.nics(interfaces);
    ProgramResult result;
    Timeline timeline(static_cast<std::size_t>(std::max<std::int64_t>(timeline_bytes, 0)));
    RunOptions options = options_of(warp, flows, heap_ties);
    if (heap_ties && !files.is_none()) options.queue = QueueKind::entry_heap;
    if (timeline_bytes > 0) options.timeline = &timeline;
    {
        nb::gil_scoped_release release;
        Stations stations(components, nics, settings_of(packet_bytes, compat_clock, round_robin, free_near));
        result = run_programs(stations, input, options);
    }
    nb::dict columns = shared_columns(result);
    columns["rank_end"] = hand_over(std::move(result.rank_end));
    columns["node_busy"] = hand_over(std::move(result.node_busy));
    columns["messages"] = result.messages;
    add_server_columns(columns, result.servers);
    add_metadata_columns(columns, result.metadata);
    add_disk_log(columns, result.disk_log);
    if (timeline_bytes > 0) columns["recording"] = recording_columns(timeline);
    return columns;
}

}  // namespace

void register_schedule(nb::module_& module) {
    nb::exception<Deadlock>(module, "DeadlockError", PyExc_RuntimeError);
    nb::exception<Unreceived>(module, "UnreceivedError", PyExc_RuntimeError);
    nb::exception<Truncated>(module, "TruncatedError", PyExc_RuntimeError);
    nb::exception<ServerFull>(module, "ServerFullError", PyExc_RuntimeError);
    module.def("simulate_schedule", &simulate_schedule_columns, nb::arg("network"), nb::arg("interfaces"),
               nb::arg("steps"), nb::kw_only(), nb::arg("packet_bytes"), nb::arg("compat_clock") = false,
               nb::arg("round_robin") = false, nb::arg("warp") = true, nb::arg("flows") = false,
               "Times (picoseconds) of every step, totals per station, and how many events it took.");
    module.def(
        "run_programs", &run_program_columns, nb::arg("programs"), nb::arg("communicators"),
        nb::arg("network"), nb::arg("interfaces"), nb::arg("collectives"), nb::kw_only(),
        nb::arg("rank_node"), nb::arg("node_cpus"), nb::arg("node_speed"), nb::arg("eager_bytes"),
        nb::arg("packet_bytes"), nb::arg("compat_clock") = false, nb::arg("heap_ties") = false,
        nb::arg("round_robin") = false, nb::arg("free_near") = false, nb::arg("warp") = true,
        nb::arg("flows") = false, nb::arg("files") = nb::none(), nb::arg("extents") = nb::none(),
        nb::arg("rank_start") = nb::none(), nb::arg("timeline_bytes") = 0, nb::arg("rank_wait") = nb::none(),
        nb::arg("rank_lag") = nb::none(), nb::arg("longest_lag") = 0,
        "When every rank ends (picoseconds), totals per node and station, and how many events it took.");
}

}  // namespace striate::bind
