// Reads a striate.engine.file_servers.FileServers into the rules of the file service.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "../columns.hpp"
#include "file_layouts.hpp"
#include "programs.hpp"
#include "striate/programs/program_run.hpp"

namespace striate::bind {

inline std::vector<Disk> borrow_disks(Borrower& borrower, nb::handle files) {
    const auto kind = borrower.column<std::uint8_t>(files, "disk_kind");
    const auto number = [&](const char* name) { return borrower.column<double>(files, name); };
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(files, name); };
    const auto read_rate = number("read_rate"), write_rate = number("write_rate"), turns = number("turns");
    const auto read_latency = whole("read_latency"), write_latency = whole("write_latency");
    const auto average_seek = whole("average_seek"), track_seek = whole("track_seek"), near = whole("near");
    const auto channels = whole("channels"), depth = whole("queue_depth"), slice = whole("slice");
    const auto peak = number("peak_rate");
    std::vector<Disk> disks;
    for (std::size_t i = 0; i < kind.size(); ++i) {
        disks.push_back({static_cast<DiskKind>(kind[i]), read_rate[i], write_rate[i], read_latency[i],
                         write_latency[i], average_seek[i], track_seek[i], turns[i], near[i],
                         static_cast<std::int32_t>(channels[i]), static_cast<std::int32_t>(depth[i]),
                         slice[i], peak[i]});
    }
    return disks;
}

inline std::vector<ServerRules> borrow_servers(Borrower& borrower, nb::handle files,
                                               std::int64_t packet_bytes, std::int64_t io_request,
                                               bool compat) {
    const auto policy = borrower.column<std::uint8_t>(files, "policy");
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(files, name); };
    const auto memory = whole("memory"), concurrent = whole("concurrent"), first_disk = whole("first_disk");
    const auto dirty = whole("dirty"), sync = whole("sync");
    const auto kept = whole("kept_reads"), ahead = whole("read_ahead"), chunk = whole("chunk");
    const auto raid = whole("raid"), capacity = whole("capacity"), burst_disk = whole("burst_disk");
    const auto burst_capacity = whole("burst_capacity"), drain_above = whole("burst_drain_above");
    const std::vector<Disk> disks = borrow_disks(borrower, files);
    const Rounding rounding = compat ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond;
    std::vector<ServerRules> servers;
    for (std::size_t i = 0; i < policy.size(); ++i) {
        ServerRules server;
        server.packet_bytes = packet_bytes;
        server.queue.policy = static_cast<CachePolicy>(policy[i]);
        server.queue.largest_bytes = io_request;
        server.queue.memory_bytes = memory[i];
        server.queue.concurrent = static_cast<std::int32_t>(concurrent[i]);
        server.dirty_bytes = dirty[i];
        server.sync_ticks = sync[i];
        server.queue.second_part_first = compat;
        server.device.disks.assign(disks.begin() + first_disk[i], disks.begin() + first_disk[i + 1]);
        server.device.raid = raid[i] == 5 ? Raid::parity : Raid::striped;
        server.device.chunk_bytes = chunk[i];
        server.device.capacity_bytes = capacity[i];
        server.device.rounding = rounding;
        server.read_cache.capacity_bytes = kept[i];
        server.read_cache.read_ahead_bytes = ahead[i];
        if (burst_disk[i] >= 0) {
            Device fast;
            fast.disks = {disks[static_cast<std::size_t>(burst_disk[i])]};
            fast.rounding = rounding;
            server.burst = BurstDevice{{burst_capacity[i], drain_above[i], io_request}, fast};
        }
        servers.push_back(server);
    }
    return servers;
}

inline std::vector<MetadataRules> borrow_metadata(Borrower& borrower, nb::handle table) {
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(table, name); };
    const auto open = whole("open"), create = whole("create"), stat = whole("stat"), erase = whole("delete");
    const auto close = whole("close"), concurrent = whole("concurrent");
    std::vector<MetadataRules> rules;
    for (std::size_t i = 0; i < open.size(); ++i) {
        rules.push_back(
            {open[i], create[i], stat[i], erase[i], close[i], static_cast<std::int32_t>(concurrent[i])});
    }
    return rules;
}

inline ForwardRules borrow_forwarding(Borrower& borrower, nb::handle table, std::size_t servers) {
    ForwardRules rules;
    const auto of_rank = borrower.column<std::int32_t>(table, "of_rank");
    const auto aggregate = borrower.column<std::int64_t>(table, "aggregate");
    const auto relays_to = borrower.column<std::uint8_t>(table, "relays_to");  // forwarder after forwarder
    rules.of_rank.assign(of_rank.begin(), of_rank.end());
    for (std::size_t i = 0; i < aggregate.size(); ++i) {
        const auto mine = relays_to.subspan(i * servers, servers);
        rules.forwarders.push_back({{mine.begin(), mine.end()}, aggregate[i]});
    }
    return rules;
}

// Row i: files from first[i] on, count[i] of them, are accessed so; the last row is for all others.
inline std::function<CollectiveRule(std::int64_t)> borrow_collective(Borrower& borrower, nb::handle table) {
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(table, name); };
    const auto first = whole("first"), count = whole("count"), method = whole("method");
    const auto aggregators = whole("aggregators"), buffer = whole("buffer"), align = whole("align");
    const auto cyclic = whole("cyclic");
    struct Row {
        std::int64_t past;
        CollectiveRule rule;
    };
    auto rows = std::make_shared<std::map<std::int64_t, Row>>();
    CollectiveRule others;
    for (std::size_t i = 0; i < method.size(); ++i) {
        others = {static_cast<CollectiveMethod>(method[i]), aggregators[i], buffer[i], align[i],
                  cyclic[i] != 0};
        if (i + 1 < method.size()) (*rows)[first[i]] = {first[i] + count[i], others};
    }
    return [rows, others](std::int64_t file) {
        const auto after = rows->upper_bound(file);
        if (after == rows->begin()) return others;
        const Row& row = std::prev(after)->second;
        return file < row.past ? row.rule : others;
    };
}

inline FileRules borrow_file_rules(Borrower& borrower, nb::handle files, std::int64_t packet_bytes,
                                   bool compat) {
    FileRules rules;
    rules.packet_bytes = packet_bytes;
    rules.io_request_bytes = nb::cast<std::int64_t>(files.attr("io_request"));
    rules.servers = borrow_servers(borrower, files, packet_bytes, rules.io_request_bytes, compat);
    rules.metadata = borrow_metadata(borrower, files.attr("metadata"));
    rules.forwarding = borrow_forwarding(borrower, files.attr("forwarding"), rules.servers.size());
    rules.write_window_bytes = nb::cast<std::int64_t>(files.attr("write_window"));
    rules.read_window_bytes = nb::cast<std::int64_t>(files.attr("read_window"));
    rules.lock_move_ticks = nb::cast<Ticks>(files.attr("lock_move"));
    rules.size_update_ticks = nb::cast<Ticks>(files.attr("size_update"));
    rules.inode_lock = nb::cast<bool>(files.attr("inode_lock"));
    rules.write_copy_rate = nb::cast<double>(files.attr("write_copy"));
    rules.read_copy_rate = nb::cast<double>(files.attr("read_copy"));
    rules.piece_ticks = nb::cast<Ticks>(files.attr("piece_cpu"));
    rules.exchange_copy_rate = nb::cast<double>(files.attr("exchange_copy"));
    rules.thread_ticks = nb::cast<Ticks>(files.attr("io_thread"));
    rules.thread_idle_ticks = nb::cast<Ticks>(files.attr("thread_idle"));
    rules.open_by_all = nb::cast<bool>(files.attr("open_by_all"));
    rules.sync_alone = nb::cast<bool>(files.attr("sync_alone"));
    rules.flush_on_close = nb::cast<bool>(files.attr("flush_on_close"));
    rules.collective = borrow_collective(borrower, files.attr("collective"));
    const auto layouts = std::make_shared<const FileLayouts>(
        borrow_layouts(borrower, files.attr("layouts"), std::ssize(rules.servers),
                       nb::cast<std::int64_t>(files.attr("stripe_unit"))));
    rules.plan = [layouts](std::int64_t file, const RunsView& runs) { return layouts->plan(file, runs); };
    rules.physical_end = [layouts](std::int64_t file, std::int64_t server, std::int64_t size) {
        return layouts->physical_end(file, server, size);
    };
    return rules;
}

}  // namespace striate::bind
