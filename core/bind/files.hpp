// Reads a striate.predict.file_servers.FileServers into the rules of the file service, and hands totals back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "file_layouts.hpp"
#include "programs.hpp"
#include "striate/program_run.hpp"

namespace striate::bind {

inline std::vector<Disk> borrow_disks(Borrower& borrower, nb::handle files) {
    const auto kind = borrower.column<std::uint8_t>(files, "disk_kind");
    const auto number = [&](const char* name) { return borrower.column<double>(files, name); };
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(files, name); };
    const auto read_rate = number("read_rate"), write_rate = number("write_rate"), turns = number("turns");
    const auto read_latency = whole("read_latency"), write_latency = whole("write_latency");
    const auto average_seek = whole("average_seek"), track_seek = whole("track_seek"), near = whole("near");
    const auto channels = whole("channels"), depth = whole("queue_depth");
    std::vector<Disk> disks;
    for (std::size_t i = 0; i < kind.size(); ++i) {
        disks.push_back({static_cast<DiskKind>(kind[i]), read_rate[i], write_rate[i], read_latency[i],
                         write_latency[i], average_seek[i], track_seek[i], turns[i], near[i],
                         static_cast<std::int32_t>(channels[i]), static_cast<std::int32_t>(depth[i])});
    }
    return disks;
}

inline FileRules borrow_file_rules(Borrower& borrower, nb::handle files, std::int64_t packet_bytes,
                                   bool compat) {
    const auto policy = borrower.column<std::uint8_t>(files, "policy");
    const auto whole = [&](const char* name) { return borrower.column<std::int64_t>(files, name); };
    const auto memory = whole("memory"), concurrent = whole("concurrent"), first_disk = whole("first_disk");
    const auto kept = whole("kept_reads"), ahead = whole("read_ahead");
    const std::vector<Disk> disks = borrow_disks(borrower, files);
    FileRules rules;
    rules.packet_bytes = packet_bytes;
    rules.io_request_bytes = nb::cast<std::int64_t>(files.attr("io_request"));
    for (std::size_t i = 0; i < policy.size(); ++i) {
        ServerRules server;
        server.queue.policy = static_cast<CachePolicy>(policy[i]);
        server.queue.largest_bytes = rules.io_request_bytes;
        server.queue.memory_bytes = memory[i];
        server.queue.concurrent = static_cast<std::int32_t>(concurrent[i]);
        server.queue.second_part_first = compat;
        server.device.disks.assign(disks.begin() + first_disk[i], disks.begin() + first_disk[i + 1]);
        server.device.rounding = compat ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond;
        server.read_cache.capacity_bytes = kept[i];
        server.read_cache.read_ahead_bytes = ahead[i];
        rules.servers.push_back(server);
    }
    const auto layouts = std::make_shared<const FileLayouts>(
        borrow_layouts(borrower, files.attr("layouts"), static_cast<std::int64_t>(policy.size()),
                       nb::cast<std::int64_t>(files.attr("stripe_unit"))));
    rules.plan = [layouts](std::int64_t file, const RunsView& runs) { return layouts->plan(file, runs); };
    return rules;
}

inline void add_server_columns(nb::dict& columns, std::span<const ServerTotals> servers) {
    const auto column = [&](std::int64_t ServerTotals::* field) {
        std::vector<std::int64_t> values;
        for (const ServerTotals& server : servers) values.push_back(server.*field);
        return hand_over(std::move(values));
    };
    columns["disk_operations"] = column(&ServerTotals::operations);
    columns["disk_sequential"] = column(&ServerTotals::sequential);
    columns["disk_near_seeks"] = column(&ServerTotals::near_seeks);
    columns["disk_bytes_read"] = column(&ServerTotals::bytes_read);
    columns["disk_bytes_written"] = column(&ServerTotals::bytes_written);
    columns["cache_hit_bytes"] = column(&ServerTotals::cache_hits);
}

}  // namespace striate::bind
