#include "striate/network/traffic.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "striate/events/clock_sums.hpp"
#include "striate/pool.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

std::int64_t packets_of(std::int64_t payload, std::int64_t packet_bytes) {
    return payload == 0 ? 1 : (payload - 1) / packet_bytes + 1;
}

}  // namespace

Traffic::Traffic(Stations& stations)
    : totals(stations.size()), stations_(stations), odd_(stations.settings().rounding) {}

Ticks Traffic::service_of(const Slot& slot, std::int64_t bytes) {
    if ((slot.flags & Slot::first_hop) != 0 && streams[slot.stream].bottleneck > 0) {
        return odd_.ticks(bytes, streams[slot.stream].bottleneck);
    }
    const bool local = (slot.flags & Slot::local) != 0;
    return stations_.service(slot.station, bytes, local, odd_);
}

void Traffic::account(const Slot& slot, std::int64_t packets) {
    StationTotals& total = totals[slot.station];
    total.busy = after(total.busy, times(packets, slot.service));
    total.packets += packets;
    total.bytes += packets * runs[slot.run].bytes;
    if ((slot.flags & Slot::last_hop) != 0) packets_out_ += packets;
}

void Traffic::load_run(std::uint32_t index) {
    if (runs[slots[index].run].next == none) commit_turn(slots[index].stream);
    Slot& slot = slots[index];
    const std::uint32_t done = slot.run;
    slot.run = runs[done].next;
    if ((slot.flags & Slot::last_hop) != 0) free_run(done);  // no hop is behind the last one
    const Run& run = runs[slot.run];
    slot.left = run.count;
    slot.service = service_of(slot, run.bytes);
    if ((slot.flags & Slot::first_hop) == 0) {
        const Slot& before = slots[index - 1];
        slot.previous_service = before.run == slot.run ? before.service : service_of(before, run.bytes);
    }
    if ((slot.flags & Slot::early) != 0) {
        // Cut-through: the head goes on after the header; the tail must not overtake a slower service here.
        const Ticks head = service_of(slot, std::min(run.bytes, header_bytes));
        slot.delay = std::max(head, slot.service - service_of(slots[index + 1], run.bytes));
    }
    account(slot, run.count);
}

// Whose packets come next: a message alone in its stream sends all it has, several take turns packet by
// packet.
void Traffic::commit_turn(std::uint32_t index) {
    Stream& stream = streams[index];
    const std::uint32_t message = stream.first_message;
    const bool alone = stream.first_message == stream.last_message;
    commit_packet(stream, message, alone);
    if (alone || messages[message].unsent == 0) return;
    stream.first_message = messages[message].next;
    messages[stream.last_message].next = message;
    messages[message].next = none;
    stream.last_message = message;
}

void Traffic::commit_packet(Stream& stream, std::uint32_t index, bool whole) {
    const std::int64_t full = stations_.settings().packet_bytes;
    Message& message = messages[index];
    bool more = true;
    while (more) {
        // The first and the last packet are runs of their own, so that a longer run never starts or ends
        // anything.
        const std::int64_t between = (message.unsent - 1) / full;
        const std::int64_t count = !message.first && whole && between > 0 ? between : 1;
        const std::int64_t payload = std::min(message.unsent, full);
        if (count > std::numeric_limits<std::int32_t>::max()) throw Refusal(Reason::too_many_packets);
        message.unsent -= count * payload;
        more = whole && message.unsent > 0;
        append_run(stream, {.bytes = payload + (message.first ? header_bytes : 0),
                            .count = static_cast<std::uint32_t>(count),
                            .message = index,
                            .next = none,
                            .header = message.first,
                            .ends = message.unsent == 0});
        message.first = false;
    }
}

void Traffic::append_run(Stream& stream, const Run& run) {
    const std::uint32_t index = take(runs, free_runs_, run);
    runs[stream.last_run].next = index;
    stream.last_run = index;
}

void Traffic::free_run(std::uint32_t run) { free_runs_.push_back(run); }

// A second message joins: packets of the first that have not started go back to it, so that both can take
// turns.
void Traffic::take_back(Stream& stream) {
    Message& message = messages[stream.first_message];
    const std::uint32_t current = slots[stream.first_slot].run;
    for (std::uint32_t index = runs[current].next; index != none;) {
        const Run& run = runs[index];
        message.unsent += run.count * (run.bytes - (run.header ? header_bytes : 0));
        message.first = message.first || run.header;
        const std::uint32_t next = run.next;
        free_run(index);
        index = next;
    }
    runs[current].next = none;
    stream.last_run = current;
    const std::uint32_t left = slots[stream.first_slot].left;
    if (left == 0) return;
    message.unsent += left * runs[current].bytes;  // only a run of full packets can be half started
    for (std::uint32_t hop = 0; hop < stream.hops; ++hop) {
        Slot& slot = slots[stream.first_slot + hop];
        if (slot.run != current) continue;  // still busy with packets before this run
        slot.left -= left;
        account(slot, -static_cast<std::int64_t>(left));
    }
    runs[current].count -= left;
}

void Traffic::add(std::uint32_t index, std::int64_t bytes, std::uint64_t cookie, bool header) {
    if (bytes < 0) throw std::invalid_argument("a message of " + std::to_string(bytes) + " bytes");
    Stream& stream = streams[index];
    const bool joins = stream.first_message != none;
    if (joins && stream.first_message == stream.last_message) take_back(stream);
    const std::uint32_t message = take(messages, free_messages_, Message{cookie, bytes, none, header, bytes});
    (joins ? messages[stream.last_message].next : stream.first_message) = message;
    stream.last_message = message;
    ++stream.active;
    ++active_messages;
    packets_in_ += packets_of(bytes, stations_.settings().packet_bytes);
}

std::uint32_t Traffic::slowest(std::uint32_t index) const {
    const Stream& stream = streams[index];
    const auto first = slots.begin() + stream.first_slot;
    const auto slower = [](const Slot& left, const Slot& right) { return left.service < right.service; };
    return static_cast<std::uint32_t>(std::max_element(first, first + stream.hops, slower) - slots.begin());
}

void Traffic::message_sent(const Slot& slot) {
    Stream& stream = streams[slot.stream];
    const std::uint32_t message = runs[slot.run].message;
    stream.first_message = messages[message].next;  // it was at the head: it has just had its turn
    if (stream.first_message == none) stream.last_message = none;
}

void Traffic::message_delivered(const Slot& slot) {
    Stream& stream = streams[slot.stream];
    free_messages_.push_back(runs[slot.run].message);
    --active_messages;
    if (--stream.active > 0 || stream.listed) return;
    stream.listed = true;
    idle_.push_back(slot.stream);
}

void Traffic::expect_quiet() const {
    const auto fail = [](const std::string& what) { throw std::logic_error("after the run " + what); };
    if (packets_in_ != packets_out_) {
        fail(std::to_string(packets_in_) + " packets went in, " + std::to_string(packets_out_) + " came out");
    }
    if (active_messages != 0) fail(std::to_string(active_messages) + " messages are in flight");
    for (const Slot& slot : slots) {
        if (slot.used != 0 || slot.in_flight != 0) fail("a stream holds credit");
        if (slot.waiting != 0 || slot.left != 0) fail("a queue is not empty");
    }
    for (std::uint32_t station = 0; station < stations_.size(); ++station) {
        const Station& at = stations_[station];
        if (at.serving != none || at.last_ready != none)
            fail("station " + std::to_string(station) + " is busy");
    }
}

}  // namespace striate
