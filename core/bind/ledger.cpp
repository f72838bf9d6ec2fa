// Python's door to the ledger: sums per rank and server.
#include "striate/programs/ledger.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "engines.hpp"
#include "file_layouts.hpp"
#include "programs.hpp"

namespace striate::bind {

namespace {

Named sum_up_columns(nb::object table, nb::typed<nb::list, nb::any> communicators, nb::object extents,
                     nb::object collectives, nb::object network, Column<std::int32_t> rank_component,
                     Column<double> interface_bandwidth, Column<std::int64_t> interface_latency,
                     std::int64_t stripe_unit, std::int64_t servers, nb::object layouts, bool metadata,
                     bool free_near, bool independent_only) {
    Borrower keep;
    std::vector<GroupColumns> groups;
    for (nb::handle family : communicators) groups.push_back(keep.groups(family));
    std::optional<FileLayouts> files;
    if (servers > 0) files = borrow_layouts(keep, layouts, servers, stripe_unit);
    const LedgerInput input{keep.programs(table),
                            groups,
                            keep.extents(extents),
                            keep.collective_sums(collectives),
                            keep.network(network),
                            borrow(rank_component),
                            borrow(interface_bandwidth),
                            borrow(interface_latency),
                            stripe_unit,
                            files ? &*files : nullptr,
                            metadata,
                            free_near,
                            independent_only};
    Ledger ledger;
    {
        nb::gil_scoped_release release;
        ledger = sum_up(input);
    }
    nb::dict result;
    result["compute_seconds"] = hand_over(std::move(ledger.compute_seconds));
    result["instructions"] = hand_over(std::move(ledger.instructions));
    result["communication_seconds"] = hand_over(std::move(ledger.communication_seconds));
    result["computes"] = hand_over(std::move(ledger.computes));
    result["exchanges"] = hand_over(std::move(ledger.exchanges));
    result["sent_bytes"] = hand_over(std::move(ledger.sent_bytes));
    result["received_bytes"] = hand_over(std::move(ledger.received_bytes));
    result["sent_messages"] = hand_over(std::move(ledger.sent_messages));
    result["received_messages"] = hand_over(std::move(ledger.received_messages));
    result["blocking_bytes"] = hand_over(std::move(ledger.blocking_bytes));
    result["blocking_messages"] = hand_over(std::move(ledger.blocking_messages));
    result["accesses"] = hand_over(std::move(ledger.accesses));
    result["read_bytes"] = hand_over(std::move(ledger.read_bytes));
    result["written_bytes"] = hand_over(std::move(ledger.written_bytes));
    result["server_read"] = hand_over(std::move(ledger.server_read));
    result["server_written"] = hand_over(std::move(ledger.server_written));
    result["server_reads"] = hand_over(std::move(ledger.server_reads));
    result["server_writes"] = hand_over(std::move(ledger.server_writes));
    result["barriers"] = ledger.barriers;
    std::vector<std::int64_t> kind, file, calls, creates;
    for (const FileCalls::Heard& heard : ledger.heard) {
        kind.push_back(static_cast<std::int64_t>(heard.kind));
        file.push_back(heard.file);
        calls.push_back(heard.calls);
        creates.push_back(heard.creates);
    }
    result["heard_kind"] = hand_over(std::move(kind));
    result["heard_file"] = hand_over(std::move(file));
    result["heard_calls"] = hand_over(std::move(calls));
    result["heard_creates"] = hand_over(std::move(creates));
    return result;
}

}  // namespace

void register_ledger(nb::module_& module) {
    module.def("sum_up", &sum_up_columns, nb::arg("programs"), nb::arg("communicators"), nb::arg("extents"),
               nb::arg("collectives"), nb::arg("network"), nb::arg("rank_component"),
               nb::arg("interface_bandwidth"), nb::arg("interface_latency"), nb::arg("stripe_unit"),
               nb::arg("servers"), nb::arg("layouts"), nb::arg("metadata"), nb::arg("free_near"),
               nb::arg("independent_only"), "Sums of work per rank and per server over one application.");
    module.attr("kinds") = static_cast<int>(kinds);
}

}  // namespace striate::bind
