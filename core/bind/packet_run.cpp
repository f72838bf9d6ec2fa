// What a packet-level run hands back to Python: columns by name, typed and read-only. Times are picoseconds.
#include "packet_run.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <type_traits>
#include <utility>

#include "answers.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

// Each chunk as its bytes, without a copy.
template <class Row>
std::vector<Owned<std::uint8_t>> row_chunks(RowChunks<Row>& rows) {
    std::vector<Owned<std::uint8_t>> chunks;
    for (std::vector<Row>& chunk : rows.take()) {
        auto* heap = new std::vector<Row>(std::move(chunk));
        nb::capsule owner(heap,
                          [](void* pointer) noexcept { delete static_cast<std::vector<Row>*>(pointer); });
        chunks.push_back(Owned<std::uint8_t>(reinterpret_cast<std::uint8_t*>(heap->data()),
                                             {heap->size() * sizeof(Row)}, owner));
    }
    return chunks;
}

template <class Row, class Value>
auto column_of(const std::vector<Row>& rows, const Value& value) {
    std::vector<std::decay_t<decltype(value(rows[0]))>> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(value(row));
    return hand_over(std::move(values));
}

using Class = nb::class_<PacketRun>;

template <class T>
void whole(Class& run, const char* name, Owned<T> PacketRun::* column) {
    run.def_prop_ro(name, [column](const PacketRun& of) { return of.*column; }, nb::rv_policy::automatic);
}

template <class Row, class Value>
void of_rows(Class& run, const char* name, std::vector<Row> ProgramResult::* rows, const Value& value) {
    run.def_prop_ro(
        name, [rows, value](const PacketRun& of) { return column_of(of.result.*rows, value); },
        nb::rv_policy::automatic);
}

void bind_stations(Class& run) {
    const auto put = [&](const char* name, auto value) {
        of_rows(run, name, &ProgramResult::stations, value);
    };
    put("station_busy", [](const StationTotals& station) { return station.busy; });
    put("station_bytes", [](const StationTotals& station) { return station.bytes; });
}

void bind_servers(Class& run) {
    const auto put = [&](const char* name, auto value) {
        of_rows(run, name, &ProgramResult::servers, value);
    };
    put("disk_operations", [](const ServerTotals& server) { return server.operations; });
    put("disk_sequential", [](const ServerTotals& server) { return server.sequential; });
    put("disk_near_seeks", [](const ServerTotals& server) { return server.near_seeks; });
    put("disk_bytes_read", [](const ServerTotals& server) { return server.bytes_read; });
    put("disk_bytes_written", [](const ServerTotals& server) { return server.bytes_written; });
    put("cache_hit_bytes", [](const ServerTotals& server) { return server.cache_hits; });
    put("cache_miss_bytes", [](const ServerTotals& server) { return server.cache_misses; });
    put("server_busy", [](const ServerTotals& server) { return server.storage.busy; });
    put("longest_queue", [](const ServerTotals& server) { return server.storage.longest_queue; });
    put("queue_seconds", [](const ServerTotals& server) { return server.storage.queue_seconds; });
    put("most_dirty_bytes", [](const ServerTotals& server) { return server.storage.most_dirty_bytes; });
    put("burst_bytes_written", [](const ServerTotals& server) { return server.storage.burst_written; });
    put("burst_bytes_read", [](const ServerTotals& server) { return server.storage.burst_read; });
    put("burst_busy", [](const ServerTotals& server) { return server.storage.burst_busy; });
}

void bind_forwarders(Class& run) {
    const auto put = [&](const char* name, auto value) {
        of_rows(run, name, &ProgramResult::forwarders, value);
    };
    put("forwarder_messages", [](const ForwarderTotals& forwarder) { return forwarder.messages; });
    put("forwarder_bytes", [](const ForwarderTotals& forwarder) { return forwarder.bytes; });
    put("forwarder_most_bytes", [](const ForwarderTotals& forwarder) { return forwarder.most_bytes; });
}

void bind_metadata(Class& run) {
    const auto put = [&](const char* name, auto value) {
        of_rows(run, name, &ProgramResult::metadata, value);
    };
    put("metadata_operations", [](const MetadataTotals& server) { return server.operations; });
    put("metadata_busy", [](const MetadataTotals& server) { return server.busy; });
    put("metadata_waited", [](const MetadataTotals& server) { return server.waited; });
    put("metadata_longest_queue", [](const MetadataTotals& server) { return server.longest_queue; });
}

void bind_occupancy_curve(nb::module_& module) {
    using Slice = OccupancyCurve::Slice;
    auto occupancy = nb::class_<OccupancyCurve>(
        module, "OccupancyCurve",
        "Occupancy of a server over time, in slices of `width` picoseconds: time integrals and maxima of\n"
        "bytes on their way to the disks, bytes in its read cache, and requests that wait.");
    occupancy.def_prop_ro("width", &OccupancyCurve::width)
        .def_prop_ro(
            "covered",
            [](const OccupancyCurve& of) {
                return column_of(of.slices(), [](const Slice& slice) { return slice.covered; });
            },
            nb::rv_policy::automatic)
        .def(
            "sums",
            [](const OccupancyCurve& of, std::size_t amount) {
                return column_of(of.slices(), [&](const Slice& slice) { return slice.sum.at(amount); });
            },
            nb::arg("amount"), nb::rv_policy::automatic)
        .def(
            "most",
            [](const OccupancyCurve& of, std::size_t amount) {
                return column_of(of.slices(), [&](const Slice& slice) { return slice.most.at(amount); });
            },
            nb::arg("amount"), nb::rv_policy::automatic);
}

struct DiskLog {
    std::vector<DiskEntry> rows;
};

void bind_disk_log(nb::module_& module) {
    AnswerClass<DiskLog>(module, "DiskLog", "One row per job of a disk; times in picoseconds.")
        .column("server", &DiskLog::rows, &DiskEntry::server)
        .column("file", &DiskLog::rows, [](const DiskEntry& entry) { return entry.access.file; })
        .column("offset", &DiskLog::rows, [](const DiskEntry& entry) { return entry.access.offset; })
        .column("bytes", &DiskLog::rows, [](const DiskEntry& entry) { return entry.access.bytes; })
        .column("write", &DiskLog::rows, [](const DiskEntry& entry) { return entry.access.write; })
        .column("start", &DiskLog::rows, &DiskEntry::start)
        .column("end", &DiskLog::rows, &DiskEntry::end);
}

}  // namespace

RecordedRows::RecordedRows(Timeline& timeline, Ticks end)
    : bar_chunks(row_chunks(timeline.bars)),
      transfer_chunks(row_chunks(timeline.transfers)),
      occupancy(std::move(timeline.occupancy)),
      dropped(static_cast<std::int64_t>(timeline.dropped())) {
    for (OccupancyCurve& curve : occupancy) curve.finish(end);
}

PacketRun::PacketRun(ProgramResult&& found, Timeline* timeline)
    : rank_end(hand_over(std::move(found.rank_end))),
      node_busy(hand_over(std::move(found.node_busy))),
      station_waited(hand_over(std::move(found.waited))),
      result(std::move(found)) {
    if (timeline != nullptr) recorded.emplace(*timeline, result.end);
}

void register_packet_run(nb::module_& module) {
    bind_disk_log(module);
    bind_occupancy_curve(module);
    nb::class_<RecordedRows>(module, "RecordedRows", "Rows of a timeline, in chunks; `dropped` had no room.")
        .def_prop_ro(
            "bar_chunks", [](const RecordedRows& rows) { return rows.bar_chunks; }, nb::rv_policy::automatic)
        .def_prop_ro(
            "transfer_chunks", [](const RecordedRows& rows) { return rows.transfer_chunks; },
            nb::rv_policy::automatic)
        .def_ro("occupancy", &RecordedRows::occupancy,
                "One curve per I/O server that was asked for anything.")
        .def_ro("dropped", &RecordedRows::dropped);
    Class run(module, "PacketRun",
              "What a run took; times in picoseconds, `waited` and queues in seconds.\n\n"
              "Columns go by rank, node, station (components, edges, interfaces, links out, links in),\n"
              "I/O server (disks, caches, queues) and metadata server.");
    whole(run, "rank_end", &PacketRun::rank_end);
    whole(run, "node_busy", &PacketRun::node_busy);
    whole(run, "station_waited", &PacketRun::station_waited);
    bind_stations(run);
    bind_servers(run);
    bind_metadata(run);
    bind_forwarders(run);
    run.def_prop_ro("messages", [](const PacketRun& of) { return of.result.messages; })
        .def_prop_ro("events", [](const PacketRun& of) { return of.result.events; })
        .def_prop_ro("skipped", [](const PacketRun& of) { return of.result.skipped; })
        .def_prop_ro("end", [](const PacketRun& of) { return of.result.end; })
        .def_prop_ro(
            "disk_log", [](const PacketRun& of) { return DiskLog{of.result.disk_log}; },
            "One row per job of a disk, where asked for.")
        .def_ro("recorded", &PacketRun::recorded, "The timeline, where asked for.");
}

}  // namespace striate::bind
