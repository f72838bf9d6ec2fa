// Python's view of what the core refuses: one exception with a reason and the numbers that say why.
#include "striate/refusal.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "engines.hpp"

namespace striate::bind {

namespace nb = nanobind;

namespace {

void bind_values(nb::module_& module) {
    nb::class_<RankRow>(module, "RankRow", "Where a rank stands; row -1: it has ended.")
        .def_ro("rank", &RankRow::rank)
        .def_ro("row", &RankRow::row);
    nb::class_<Wait>(module, "Wait",
                     "Who waits for whom; of long lists the first few, and how many there are.")
        .def_ro("kind", &Wait::kind)
        .def_ro("places", &Wait::places)
        .def_ro("peers", &Wait::peers)
        .def_ro("tag", &Wait::tag)
        .def_ro("file", &Wait::file)
        .def_ro("communicator", &Wait::communicator)
        .def_ro("all_places", &Wait::all_places)
        .def_ro("all_peers", &Wait::all_peers);
    nb::class_<Refusal>(module, "Refusal",
                        "What the core refuses; numbers that the reason does not name are -1.")
        .def_ro("reason", &Refusal::reason)
        .def_ro("waits", &Refusal::waits)
        .def_prop_ro("rank", [](const Refusal& refusal) { return refusal.numbers.rank; })
        .def_prop_ro("row", [](const Refusal& refusal) { return refusal.numbers.row; })
        .def_prop_ro("peer", [](const Refusal& refusal) { return refusal.numbers.peer; })
        .def_prop_ro("tag", [](const Refusal& refusal) { return refusal.numbers.tag; })
        .def_prop_ro("request", [](const Refusal& refusal) { return refusal.numbers.request; })
        .def_prop_ro("server", [](const Refusal& refusal) { return refusal.numbers.server; })
        .def_prop_ro("file", [](const Refusal& refusal) { return refusal.numbers.file; })
        .def_prop_ro("end", [](const Refusal& refusal) { return refusal.numbers.end; })
        .def_prop_ro("from_", [](const Refusal& refusal) { return refusal.numbers.from; })
        .def_prop_ro("to", [](const Refusal& refusal) { return refusal.numbers.to; })
        .def_prop_ro("bytes", [](const Refusal& refusal) { return refusal.numbers.bytes; })
        .def_prop_ro("room", [](const Refusal& refusal) { return refusal.numbers.room; })
        .def_prop_ro("count", [](const Refusal& refusal) { return refusal.numbers.count; })
        .def_prop_ro("rate", [](const Refusal& refusal) { return refusal.numbers.rate; });
}

void bind_reasons(nb::module_& module) {
    nb::enum_<WaitKind>(module, "WaitKind")
        .value("send", WaitKind::send)
        .value("receive", WaitKind::receive)
        .value("collective_send", WaitKind::collective_send)
        .value("collective_receive", WaitKind::collective_receive)
        .value("others", WaitKind::others)
        .value("file", WaitKind::file)
        .value("meeting", WaitKind::meeting)
        .value("step", WaitKind::step);
    nb::enum_<Reason>(module, "Reason")
        .value("deadlock", Reason::deadlock)
        .value("unreceived", Reason::unreceived)
        .value("truncated", Reason::truncated)
        .value("server_full", Reason::server_full)
        .value("no_server", Reason::no_server)
        .value("no_route", Reason::no_route)
        .value("unreachable", Reason::unreachable)
        .value("unknown_request", Reason::unknown_request)
        .value("unknown_operation", Reason::unknown_operation)
        .value("no_schedule", Reason::no_schedule)
        .value("nonblocking_collective", Reason::nonblocking_collective)
        .value("nonblocking_collective_io", Reason::nonblocking_collective_io)
        .value("files_as_fluid", Reason::files_as_fluid)
        .value("too_few_servers", Reason::too_few_servers)
        .value("too_many_bytes", Reason::too_many_bytes)
        .value("too_many_packets", Reason::too_many_packets)
        .value("too_many_passes", Reason::too_many_passes)
        .value("too_many_file_passes", Reason::too_many_file_passes)
        .value("too_many_offsets", Reason::too_many_offsets)
        .value("job_too_long", Reason::job_too_long)
        .value("run_too_long", Reason::run_too_long)
        .value("blocks_ahead", Reason::blocks_ahead)
        .value("too_many_disks", Reason::too_many_disks)
        .value("window_too_large", Reason::window_too_large)
        .value("unknown_receiver", Reason::unknown_receiver)
        .value("too_many_receivers", Reason::too_many_receivers)
        .value("negative_time", Reason::negative_time)
        .value("no_aggregator", Reason::no_aggregator)
        .value("unknown_aggregator", Reason::unknown_aggregator)
        .value("empty_buffer", Reason::empty_buffer)
        .value("place_beyond", Reason::place_beyond)
        .value("too_many_pieces", Reason::too_many_pieces)
        .value("rate_out_of_range", Reason::rate_out_of_range)
        .value("transfer_too_large", Reason::transfer_too_large)
        .value("instruction_rate", Reason::instruction_rate)
        .value("negative_latency", Reason::negative_latency)
        .value("empty_unit", Reason::empty_unit)
        .value("too_few_disks", Reason::too_few_disks)
        .value("idle_disk", Reason::idle_disk)
        .value("burst_limits", Reason::burst_limits)
        .value("no_cpu", Reason::no_cpu);
}

}  // namespace

// RefusalError.refusal says what it is; anything else that is thrown becomes one of Python's own exceptions.
void register_refusals(nb::module_& module) {
    bind_reasons(module);
    bind_values(module);
    static PyObject* error = PyErr_NewException("striate._core.RefusalError", PyExc_Exception, nullptr);
    module.attr("RefusalError") = nb::borrow(error);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Refusal& refusal) {
            nb::object raised = nb::borrow(error)(refusal.what());
            raised.attr("refusal") = nb::cast(refusal);
            PyErr_SetObject(error, raised.ptr());
        }
    });
    module.def(
        "_fail", [](const std::string& message) { throw std::logic_error(message); }, nb::arg("message"),
        "Throw std::logic_error, as a bug of the core would.");
}

}  // namespace striate::bind
