// What clients ask of servers: an access becomes a part for each server, window after window.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "striate/events/clock_sums.hpp"
#include "striate/network/rate.hpp"
#include "striate/pool.hpp"
#include "striate/storage/file_service.hpp"

namespace striate {

namespace {

// Clients begin with different servers, so that not all wait for the same one: with requests each with
// another, with data in pairs.
void begin_at(std::size_t first, std::vector<std::uint32_t>& parts) {
    if (parts.empty()) return;
    std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first % parts.size()),
                parts.end());
}

// Where a server lies in the hash table of the simulator of paper 001: found from its published times.
std::size_t in_table(std::uint32_t server, std::size_t entries) {
    const std::size_t places = entries <= 12 ? 16 : 32;
    return (5 + 11 * std::size_t{server}) % places;
}

}  // namespace

std::uint32_t FileService::begin(const Caller& caller, bool write) {
    ++active_;
    Call call;
    call.caller = caller;
    call.write = write;
    return take(calls_, free_calls_, std::move(call));
}

std::uint32_t FileService::add_part(std::uint32_t call, std::uint32_t server) {
    Part part;
    part.call = call;
    part.server = server;
    if (!free_parts_.empty()) {  // with the memory of the one that was there
        part.runs = std::move(parts_[free_parts_.back()].runs);
        part.runs.clear();
    }
    return take(parts_, free_parts_, std::move(part));
}

// Its place is free for another part once nothing more of it can come.
void FileService::end_part(std::uint32_t part) {
    parts_[part].over = true;
    if (parts_[part].heard) free_parts_.push_back(part);
}

void FileService::access(const Caller& caller, std::int64_t file, bool write, const RunsView& runs) {
    const std::uint32_t call = begin(caller, write);
    calls_[call].file = file;
    // ROMIO makes accesses with gaps at once, by blocking calls.
    const Ticks begins = runs.offsets.size() == 1 ? thread_begins(caller) : host_.now();
    if (window(write) == 0 && !takes_turns(calls_[call]) && begins == host_.now()) return ask_for(call, runs);
    calls_[call].later = {{runs.offsets.begin(), runs.offsets.end()}, {runs.sizes.begin(), runs.sizes.end()}};
    if (begins > host_.now()) return host_.set_file_timer(begins, thread_mark | call);
    ask_in_turn(call);
}

void FileService::ask_in_turn(std::uint32_t call) {
    const Caller caller = calls_[call].caller;
    const bool turns = takes_turns(calls_[call]);
    if (!turns || turns_.begin(host_.node_of(caller.rank), calls_[call].file, call)) ask_for_window(call);
}

// When the thread that makes a rank's non-blocking accesses is there: it begins with the first of them, and
// with the next one after it has ended for want of work.
Ticks FileService::thread_begins(const Caller& caller) {
    const Ticks now = host_.now();
    if (rules_.thread_ticks == 0 || caller.request < 0) return now;
    Thread& own = threads_[caller.rank];
    if (own.ends < now) own.begins = after(now, rules_.thread_ticks);
    const Ticks begins = std::max(now, own.begins);
    own.ends = after(begins, rules_.thread_idle_ticks);
    return begins;
}

// A client has so many bytes of a call in flight, in the order of the call, before it asks for more; 0: all.
void FileService::ask_for_window(std::uint32_t index) {
    Call& call = calls_[index];
    Runs now;
    std::int64_t room =
        window(call.write) > 0 ? window(call.write) : std::numeric_limits<std::int64_t>::max();
    while (room > 0 && call.next < call.later.sizes.size()) {
        const std::int64_t left = call.later.sizes[call.next] - call.from;
        const std::int64_t bytes = std::min(room, left);
        now.offsets.push_back(call.later.offsets[call.next] + call.from);
        now.sizes.push_back(bytes);
        room -= bytes;
        call.from += bytes;
        if (bytes < left) break;
        ++call.next;
        call.from = 0;
    }
    ask_for(index, {now.offsets, now.sizes});
}

void FileService::ask_for(std::uint32_t call, const RunsView& runs) {
    const Caller caller = calls_[call].caller;
    const std::int64_t file = calls_[call].file;
    const bool write = calls_[call].write;
    const AccessPlan plan = rules_.plan(file, runs);
    std::vector<std::uint32_t> made;
    made.reserve(plan.server.size());
    for (std::size_t request = 0; request < plan.server.size(); ++request) {
        const auto server = static_cast<std::uint32_t>(plan.server[request]);
        const std::uint32_t part = add_part(call, server);
        parts_[part].file = file;
        parts_[part].heard = false;
        parts_[part].total = plan.request_bytes[request];
        parts_[part].grain = grain_of(caller, server, write);
        for (auto run = plan.first_run[request]; run < plan.first_run[request + 1]; ++run) {
            const auto at = static_cast<std::size_t>(run);
            parts_[part].runs.push_back({plan.physical[at], plan.bytes[at]});
            servers_[server]->reach(file, plan.physical[at] + plan.bytes[at]);
        }
        if (write && locks()) {
            parts_[part].lock = locks_.lock_of(server, file);
            parts_[part].has_lock = locks_.take_locked(parts_[part].lock, host_.node_of(caller.rank));
        }
        made.push_back(part);
    }
    calls_[call].unasked = static_cast<std::uint32_t>(made.size());
    calls_[call].open += static_cast<std::uint32_t>(made.size()) * (write ? 2 : 1) + 1;
    if (write && rules_.size_update_ticks > 0) {
        calls_[call].new_requests = sizes_.count(file, runs, rules_.io_request_bytes);
    }
    if (!rules_.spread_clients) {
        std::stable_sort(made.begin(), made.end(), [&](std::uint32_t left, std::uint32_t right) {
            return in_table(parts_[left].server, made.size()) < in_table(parts_[right].server, made.size());
        });
    }
    calls_[call].asked = made;
    if (rules_.spread_clients) {
        begin_at(caller.rank / 2 + 1, calls_[call].asked);
        begin_at(caller.rank + 1, made);
    }
    for (const std::uint32_t part : made) {
        const auto count = static_cast<std::int64_t>(parts_[part].runs.size());
        send(Word::ask, part, true, request_bytes + run_bytes * count);
    }
    copy(call, runs);
    one_less(call);  // an access to nothing is over at once
}

// From the moment of the request on: a copy goes page by page beside the moves of the other pages, so that
// neither waits for the end of the other.
void FileService::copy(std::uint32_t call, const RunsView& runs) {
    const double rate = calls_[call].write ? rules_.write_copy_rate : rules_.read_copy_rate;
    if (rate <= 0) return;
    const std::int64_t bytes = std::accumulate(runs.sizes.begin(), runs.sizes.end(), std::int64_t{0});
    if (bytes == 0) return;
    ++calls_[call].open;
    host_.work_for_file(calls_[call].caller.rank, job_ticks(bytes, rate), copy_mark | call);
}

void FileService::sync(const Caller& caller) {
    const std::uint32_t call = begin(caller, false);
    calls_[call].open = static_cast<std::uint32_t>(servers_.size()) + 1;
    for (std::uint32_t server = 0; server < servers_.size(); ++server) {
        send(Word::flush, add_part(call, server), true, request_bytes);
    }
    one_less(call);
}

void FileService::exists(std::int64_t file, std::int64_t size) {
    for (std::uint32_t server = 0; rules_.physical_end && server < servers(); ++server) {
        const std::int64_t end = rules_.physical_end(file, server, size);
        if (end > 0) servers_[server]->reach(file, end);
    }
}

void FileService::erase(std::int64_t file) {
    for (const auto& server : servers_) server->erase(file);
    sizes_.erase(file);
}

// One request stands for all of a window: they queue where the file begins.
void FileService::count_new_bytes(std::uint32_t call) {
    const std::int64_t first = 0, one = 1;
    const AccessPlan plan = rules_.plan(calls_[call].file, {{&first, 1}, {&one, 1}});
    const std::uint32_t part = add_part(call, static_cast<std::uint32_t>(plan.server.front()));
    parts_[part].total = std::exchange(calls_[call].new_requests, 0);
    ++calls_[call].open;
    send(Word::count, part, true, request_bytes);
}

void FileService::one_less(std::uint32_t call) {
    if (--calls_[call].open > 0) return;
    const bool counts = calls_[call].new_requests > 0;
    if (counts) count_new_bytes(call);
    if (calls_[call].next < calls_[call].later.sizes.size()) return ask_for_window(call);
    if (counts) return;
    const Caller caller = calls_[call].caller;
    if (takes_turns(calls_[call])) {
        if (const auto next = turns_.over(host_.node_of(caller.rank), calls_[call].file))
            ask_for_window(*next);
    }
    free_calls_.push_back(call);
    --active_;
    host_.access_over(caller.owner, caller.request);
}

// In trains, what need not wait for its end is sent as one: what has been read, and what a cache takes with
// room to spare. What is acknowledged by the disks, or gathered on its way, goes packet by packet.
std::int64_t FileService::grain_of(const Caller& caller, std::uint32_t server, bool write) const {
    constexpr std::int64_t largest = 4 << 20, fills = 8;  // so many of them fill a cache
    const StorageServer& at = *servers_[server];
    const bool whole =
        rules_.trains && wire_.forwarder(caller.rank, server) == FileWire::none && (!write || at.sorts());
    if (!whole) return rules_.packet_bytes;
    const std::int64_t room = write && at.memory_bytes() > 0 ? at.memory_bytes() / fills : largest;
    return std::max(rules_.packet_bytes, std::min(room, largest));
}

// The next packet appears when the one before it has started at the sender, or when its bytes have been read.
void FileService::send_data(std::uint32_t index) {
    Part& part = parts_[index];
    const bool write = calls_[part.call].write;
    const bool all_ready = !write && part.grain > rules_.packet_bytes;
    const std::int64_t most = all_ready ? std::max(part.ready - part.sent, rules_.packet_bytes) : part.grain;
    const std::int64_t bytes = std::min(most, part.total - part.sent);
    part.starved = !write && part.ready - part.sent < bytes;
    if (part.starved) return;
    const bool continues = part.sent > 0;
    part.sent += bytes;
    ++part.in_flight;
    send(Word::data, index, write, FileWire::Packet{bytes, continues, part.sent == part.total});
}

}  // namespace striate
