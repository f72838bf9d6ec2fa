// Python's door to the ledger: sums per rank and server.
#include "striate/programs/ledger.hpp"

#include <optional>

#include "answers.hpp"
#include "engines.hpp"
#include "inputs/file_layouts.hpp"
#include "inputs/programs.hpp"
#include "signals.hpp"

namespace striate::bind {

namespace {

class LedgerInputObject : public nb::object {
    NB_OBJECT(LedgerInputObject, nb::object, "striate.rungs.ledger.LedgerInput", is_any)
    static bool is_any(PyObject*) { return true; }
};

Ledger sum_up_input(const LedgerInputObject& given) {
    Borrower keep;
    std::vector<GroupColumns> groups;
    for (const nb::handle family : nb::list(given.attr("communicators"))) {
        groups.push_back(keep.groups(family));
    }
    const auto servers = number(given, "servers"), stripe_unit = number(given, "stripe_unit");
    std::optional<FileLayouts> files;
    if (servers > 0) files = borrow_layouts(keep, given.attr("layouts"), servers, stripe_unit);
    const LedgerInput input{
        .programs = keep.programs(given.attr("programs")),
        .communicators = groups,
        .extents = keep.extents(given.attr("extents")),
        .collectives = keep.collective_sums(given.attr("collectives")),
        .network = keep.network(given.attr("network")),
        .rank_component = keep.column<std::int32_t>(given, "rank_component"),
        .interface_bandwidth = keep.column<double>(given, "interface_bandwidth"),
        .interface_latency = keep.column<std::int64_t>(given, "interface_latency"),
        .stripe_unit = stripe_unit,
        .layouts = files ? &*files : nullptr,
        .metadata = flag(given, "metadata"),
        .free_near = flag(given, "free_near"),
        .independent_only = flag(given, "independent_only"),
        .poll = poll_signals,
    };
    nb::gil_scoped_release release;
    return sum_up(input);
}

}  // namespace

void register_ledger(nb::module_& module) {
    AnswerClass<Ledger>(module, "Ledger", "Sums of work of one application, per rank and per server.")
        .column("compute_seconds", &Ledger::compute_seconds)
        .column("instructions", &Ledger::instructions)
        .column("communication_seconds", &Ledger::communication_seconds)
        .column("computes", &Ledger::computes)
        .column("exchanges", &Ledger::exchanges)
        .column("sent_bytes", &Ledger::sent_bytes)
        .column("received_bytes", &Ledger::received_bytes)
        .column("sent_messages", &Ledger::sent_messages)
        .column("received_messages", &Ledger::received_messages)
        .column("blocking_bytes", &Ledger::blocking_bytes)
        .column("blocking_messages", &Ledger::blocking_messages)
        .column("accesses", &Ledger::accesses)
        .column("read_bytes", &Ledger::read_bytes)
        .column("written_bytes", &Ledger::written_bytes)
        .column("server_read", &Ledger::server_read)
        .column("server_written", &Ledger::server_written)
        .column("server_reads", &Ledger::server_reads)
        .column("server_writes", &Ledger::server_writes)
        .number("barriers", &Ledger::barriers)
        .column("heard_kind", &Ledger::heard, &FileCalls::Heard::kind)
        .column("heard_file", &Ledger::heard, &FileCalls::Heard::file)
        .column("heard_calls", &Ledger::heard, &FileCalls::Heard::calls)
        .column("heard_creates", &Ledger::heard, &FileCalls::Heard::creates);
    module.def("sum_up", &sum_up_input, nb::arg("given"),
               "Sums of work per rank and per server over one application.");
    module.attr("kinds") = static_cast<int>(kinds);
}

}  // namespace striate::bind
