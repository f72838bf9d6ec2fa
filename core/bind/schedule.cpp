// Python's door to the packet-level network: schedules of messages and programs of ranks in, times out.
#include "striate/network/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "engines.hpp"
#include "inputs/hooks.hpp"
#include "inputs/program_input.hpp"
#include "inputs/programs.hpp"
#include "packet_run.hpp"
#include "signals.hpp"
#include "striate/programs/program_run.hpp"

namespace striate::bind {

namespace {

NetworkSettings settings_of(std::int64_t packet_bytes, bool compat_clock, bool round_robin) {
    return {packet_bytes, compat_clock ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond,
            round_robin ? Routing::round_robin : Routing::shortest};
}

RunOptions options_of(bool warp, bool flows, bool heap_ties = false) {
    return {.fidelity = flows ? Fidelity::flows : Fidelity::packets,
            .warp = warp,
            .queue = heap_ties ? QueueKind::timed_heap : QueueKind::automatic,
            .poll = poll_signals};
}

ScheduleResult simulate_schedule_columns(nb::handle network, nb::handle interfaces, nb::handle steps,
                                         std::int64_t packet_bytes, bool compat_clock, bool round_robin,
                                         bool warp, bool flows) {
    Borrower borrower;
    const NetworkColumns components = borrower.network(network);
    const NicColumns nics = borrower.nics(interfaces);
    const ScheduleColumns schedule = borrower.schedule(steps);
    nb::gil_scoped_release release;
    Stations stations(components, nics, settings_of(packet_bytes, compat_clock, round_robin));
    return simulate_schedule(stations, schedule, options_of(warp, flows));
}

PacketRun run_program_columns(const EngineInput& given, const Hooks& plugins, bool compat_clock,
                              bool heap_ties, bool warp, bool flows, bool log_disks,
                              std::int64_t timeline_bytes, bool collective_steps) {
    BorrowedInput input(given, compat_clock);
    RunHooks hooks(plugins);
    hooks.put_into(input.settings);
    hooks.put_into(input.programs);
    if (input.files) {
        input.files->log = log_disks;
        hooks.put_into(*input.files);
    }
    Timeline timeline(static_cast<std::size_t>(std::max<std::int64_t>(timeline_bytes, 0)), collective_steps);
    RunOptions options = options_of(warp, false, heap_ties);
    if (flows) options.fidelity = Fidelity::trains;
    if (heap_ties && input.files) options.queue = QueueKind::entry_heap;
    if (timeline_bytes > 0) options.timeline = &timeline;
    ProgramResult result;
    {
        nb::gil_scoped_release release;
        Stations stations(input.network, input.nics, input.settings);
        result = run_programs(stations, input.programs, options);
    }
    return {std::move(result), options.timeline};
}

}  // namespace

void register_schedule(nb::module_& module) {
    AnswerClass<ScheduleResult>(module, "ScheduleRun", "Times of every step of a schedule, in picoseconds.")
        .column("start", &ScheduleResult::start)
        .column("sent", &ScheduleResult::sent)
        .column("delivered", &ScheduleResult::delivered)
        .column("station_waited", &ScheduleResult::waited)
        .number("events", &ScheduleResult::events)
        .number("skipped", &ScheduleResult::skipped)
        .number("end", &ScheduleResult::end);
    module.def("simulate_schedule", &simulate_schedule_columns, nb::arg("network"), nb::arg("interfaces"),
               nb::arg("steps"), nb::kw_only(), nb::arg("packet_bytes"), nb::arg("compat_clock") = false,
               nb::arg("round_robin") = false, nb::arg("warp") = true, nb::arg("flows") = false,
               "Play a schedule of messages packet by packet, or with `flows` as fluids.");
    module.def("run_programs", &run_program_columns, nb::arg("given"), nb::arg("hooks").none(), nb::kw_only(),
               nb::arg("compat_clock"), nb::arg("heap_ties"), nb::arg("warp"), nb::arg("flows"),
               nb::arg("log_disks"), nb::arg("timeline_bytes"), nb::arg("collective_steps"),
               "Play the programs of an EngineInput packet by packet.");
}

}  // namespace striate::bind
