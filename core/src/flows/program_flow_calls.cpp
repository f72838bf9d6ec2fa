// Collectives and file accesses as graphs: schedules of messages, and requests to servers with their disks.
#include <algorithm>
#include <limits>

#include "program_flows.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

constexpr std::int64_t stripe_bytes = 64 << 10;  // on one disk of a server before the next takes over
constexpr std::int64_t most_chunks = 4;          // in which a write goes to a server

}  // namespace

// ---- collectives

std::int64_t ProgramFlows::call_number(std::uint32_t rank) {
    return calls_[rank * input_.communicators.size() + place(cursors_.communicator(rank))]++;
}

// A rank in a collective works through its schedule; one without a schedule only meets the others.
void ProgramFlows::start_collective(std::uint32_t rank) {
    const auto [call, request] = collectives_.wanted(rank, input_.open_bytes);
    if (request != blocking) {
        throw Refusal(Reason::nonblocking_collective, {.rank = rank, .row = cursors_.row(rank)});
    }
    const std::int64_t schedule = collectives_.schedule(rank, call);
    const bool known = schedule != CollectiveBook::unknown;
    if (!known || book_.only_meets(schedule)) {
        if (!known && call.kind != Kind::barrier && cursors_.kind(rank) != Kind::open) {
            throw Refusal(
                Reason::no_schedule,
                {.rank = rank, .row = cursors_.row(rank), .bytes = call.bytes, .count = call.members});
        }
        open_part(rank, blocking);
        std::vector<std::uint32_t> everyone;
        if (!meet(rank, everyone)) return;
        Ticks all = 0;
        for (const std::uint32_t other : everyone) all = std::max(all, ranks_[other].now);
        for (const std::uint32_t other : everyone) part_over(other, blocking, all);
        return;
    }
    Rank& own = ranks_[rank];
    own.tag = call_number(rank);
    own.communicator = cursors_.communicator(rank);
    own.first_member = first_member(rank);
    const auto [first, end] = book_.actions(schedule, groups(rank).position[rank]);
    own.action = first;
    own.last_action = end;
    if (first == end) own.action = own.last_action = 0;
}

void ProgramFlows::act(std::uint32_t index) {
    while (ranks_[index].action < ranks_[index].last_action) {
        const std::int64_t now = ranks_[index].action;
        const Action action = book_.action(now);
        const bool exchanges = action == Action::send || action == Action::recv;
        if (!exchanges && ranks_[index].open > 0) {
            ranks_[index].waits = true;
            return;
        }
        ++ranks_[index].action;
        if (!exchanges) ranks_[index].now = std::max(ranks_[index].now, ranks_[index].until);
        if (action == Action::compute) {
            ranks_[index].now = compute(
                index, job_ticks(book_.amount(now), input_.node_instructions_per_second[node(index)]));
        } else if (exchanges) {
            const std::int64_t context = 2 * std::int64_t{ranks_[index].communicator} + 1;
            const auto& member = input_.communicators[place(ranks_[index].communicator)].member;
            const std::int64_t peer = member[place(ranks_[index].first_member + book_.peer(now))];
            if (action == Action::send) {
                send(index, {context, ranks_[index].tag, index, static_cast<std::uint32_t>(peer)},
                     book_.amount(now), blocking, false);
            } else {
                receive(index, {context, ranks_[index].tag, peer}, blocking);
            }
        }
    }
    ranks_[index].waits = ranks_[index].open > 0;
    if (ranks_[index].waits) return;
    ranks_[index].action = ranks_[index].last_action = 0;
    cursors_.step(index);
    resume(index, std::max(ranks_[index].now, ranks_[index].until));
}

// True for the last one to come; `everyone` are then all that have met.
bool ProgramFlows::meet(std::uint32_t rank, std::vector<std::uint32_t>& everyone) {
    const Meeting where{cursors_.communicator(rank), groups(rank).group[rank], call_number(rank)};
    auto& here = meetings_[where];
    here.push_back(rank);
    if (static_cast<std::int64_t>(here.size()) < members(rank)) return false;
    everyone = std::move(here);
    meetings_.erase(where);
    return true;
}

// ---- files

// Whether all members of the rank's group make the call it stands on.
bool ProgramFlows::together(std::uint32_t rank) const {
    return file_calls_->together(cursors_.kind(rank), cursors_.communicator(rank), groups(rank).group[rank],
                                 cursors_.operand(rank, 0));
}

constexpr std::int64_t most_blocks = 1 << 22;  // of one access, all of which are held at once

void ProgramFlows::perform_file(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    if (order_ == FlowOrder::chain) return skip_file(rank);
    if (input_.files == nullptr) {
        throw Refusal(Reason::no_server, {.rank = rank, .row = cursors_.row(rank)});
    }
    switch (kind) {
        case Kind::open:
            if (together(rank)) start_collective(rank);
            return;
        case Kind::read:
        case Kind::write:
            return access(rank);
        case Kind::sync:
            if (together(rank)) return meet_for_file(rank);
            open_part(rank, blocking);
            return part_over(rank, blocking, synced(rank));
        case Kind::read_all:
        case Kind::write_all:
            if (cursors_.operand(rank, 6) != blocking) {
                throw Refusal(Reason::nonblocking_collective_io, {.rank = rank, .row = cursors_.row(rank)});
            }
            return meet_for_file(rank);
        default:
            return;  // close, stat, erase: the step alone
    }
}

// All wait for all; then the first asks for a flush, or each makes its access.
void ProgramFlows::meet_for_file(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    open_part(rank, blocking);
    std::vector<std::uint32_t> everyone;
    if (!meet(rank, everyone)) return;
    Ticks all = 0;
    for (const std::uint32_t other : everyone) all = std::max(all, ranks_[other].now);
    for (const std::uint32_t other : everyone) {
        if (kind == Kind::sync && groups(other).position[other] == 0) all = std::max(all, synced(other));
    }
    for (const std::uint32_t other : everyone) {
        ranks_[other].now = all;
        if (kind != Kind::sync) access(other);
        part_over(other, blocking, all);
    }
}

// A file that costs nothing: an access that does not wait leaves a request that is over.
void ProgramFlows::skip_file(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    const bool accesses =
        kind == Kind::read || kind == Kind::write || kind == Kind::read_all || kind == Kind::write_all;
    if (!accesses || cursors_.operand(rank, 6) == blocking) return;
    open_part(rank, cursors_.operand(rank, 6));
    part_over(rank, cursors_.operand(rank, 6), ranks_[rank].now);
}

void ProgramFlows::access(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    const Kind kind = cursors_.kind(rank);
    const bool write = kind == Kind::write || kind == Kind::write_all;
    ++result_.calls[rank];
    std::vector<std::int64_t> offsets, sizes;
    if (const std::int64_t list = operand(5); list >= 0) {
        for (auto run = place(input_.extents.first[place(list)]);
             run < place(input_.extents.first[place(list) + 1]); ++run) {
            offsets.push_back(operand(1) + input_.extents.offset[run]);
            sizes.push_back(input_.extents.length[run]);
        }
    } else {
        if (operand(3) > most_blocks) throw Refusal(Reason::too_many_pieces);
        for (std::int64_t block = 0; block < operand(3); ++block) {
            pulse_.beat();
            offsets.push_back(operand(1) + operand(4) * block);
            sizes.push_back(operand(2));
        }
    }
    const AccessPlan plan = input_.files->plan(operand(0), {offsets, sizes});
    // Clients begin with different servers, so that not all wait for the same one, and send to all in turn.
    const std::size_t asked = plan.server.size();
    for (std::size_t turn = 0; turn < asked; ++turn) {
        const std::size_t request = (turn + rank / 2 + 1) % asked;
        const std::int64_t bytes = plan.request_bytes[request];
        const std::int64_t packets = std::max<std::int64_t>(1, bytes / input_.files->packet_bytes);
        const std::int64_t chunks = write && order_ == FlowOrder::micro ? std::min(packets, most_chunks) : 1;
        const std::int64_t runs = plan.first_run[request + 1] - plan.first_run[request];
        const std::int64_t read_first = runs == 1 ? std::min(bytes, input_.files->io_request_bytes) : 0;
        const auto first_run = plan.bytes.begin() + plan.first_run[request];
        Part part{.rank = rank,
                  .server = static_cast<std::uint32_t>(plan.server[request]),
                  .request = operand(6),
                  .bytes = bytes / chunks,
                  .runs = runs,
                  .read_first = read_first,
                  .longest = *std::max_element(first_run, first_run + runs),
                  .write = write,
                  .last = false};
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            part.last = chunk == chunks - 1;
            if (part.last) part.bytes = bytes - (chunks - 1) * (bytes / chunks);
            open_part(rank, part.request);
            at(ranks_[rank].now + chunk, Leg::ask, take(parts_, free_parts_, part));
            part.runs = 0;
        }
    }
}

// When all servers that a rank asks have nothing left to write.
Ticks ProgramFlows::synced(std::uint32_t rank) {
    Ticks all = ranks_[rank].now;
    for (std::uint32_t server = 0; server < disk_.size(); ++server) {
        const auto nic = static_cast<std::uint32_t>(ranks_.size()) + server;
        const Ticks asked = fly(rank, nic, FileService::request_bytes, ranks_[rank].now).last;
        const Ticks done = order_ == FlowOrder::path ? asked : std::max(asked, disk_[server].end());
        all = std::max(all, fly(nic, rank, FileService::acknowledgement_bytes, done).last);
    }
    return all;
}

void ProgramFlows::file_leg(Leg leg, std::uint32_t index, Ticks time) {
    const Part part = parts_[index];
    const auto nic = static_cast<std::uint32_t>(ranks_.size()) + part.server;
    if (leg == Leg::ask) {
        const std::int64_t words = FileService::request_bytes + FileService::run_bytes * part.runs;
        if (part.write && part.runs == 0) return at(time, Leg::write_data, index);  // asked for already
        const Flight asked = fly(part.rank, nic, words, time);
        return part.write ? at(asked.sent, Leg::write_data, index) : at(asked.last, Leg::read_disk, index);
    }
    free_parts_.push_back(index);
    if (leg == Leg::write_data) return written(part, fly_file(part.rank, nic, part.bytes, time));
    read(part, time);
}

// The disks of a server share a job stripe by stripe; flash also spreads it over channels, and takes as many
// jobs side by side as the server hands out. Every job pays the latency.
ProgramFlows::Service ProgramFlows::serve(std::uint32_t server, std::int64_t bytes, std::int64_t jobs,
                                          bool write, Ticks time) {
    const Device& device = input_.files->servers[server].device;
    const auto disks = static_cast<std::int64_t>(device.disks.size());
    const std::int64_t size = (bytes + jobs - 1) / jobs;  // of a job
    const std::int64_t rounds = (size + stripe_bytes * disks - 1) / (stripe_bytes * disks);
    const std::int64_t share = disks == 1 ? size : std::min(size, rounds * stripe_bytes);
    Ticks busy = 0, lasts = 0;
    for (const Disk& disk : device.disks) {
        const double rate = write ? disk.write_rate : disk.read_rate;
        const Ticks latency =
            disk.kind == DiskKind::hard ? 0 : (write ? disk.write_latency : disk.read_latency);
        const Ticks whole = service_ticks(share, rate, device.rounding);
        const std::int64_t channels = disk.kind == DiskKind::flash ? disk.channels : 1;
        const std::int64_t wanted = (share + least_channel_bytes - 1) / least_channel_bytes;
        const std::int64_t lanes = std::clamp<std::int64_t>(wanted, 1, channels);
        const std::int64_t beside =
            std::clamp<std::int64_t>(input_.files->servers[server].queue.concurrent, 1, channels / lanes);
        const Ticks job = latency + whole * channels / lanes;
        busy = std::max(busy, jobs * job / beside);
        lasts = std::max(lasts, job);
    }
    result_.disk_work[server] += busy;
    if (order_ == FlowOrder::path) return {time, time};
    const auto [begun, over] = disk_[server].serve(time, busy);
    return {begun, std::max(over, begun + lasts)};
}

// Data go to disk as they come; without a cache the client waits for that, with one only for room in it.
void ProgramFlows::written(const Part& part, const Flight& data) {
    const QueueRules& queue = input_.files->servers[part.server].queue;
    const std::int64_t packet = input_.files->packet_bytes;
    const std::int64_t packets = (part.bytes + packet - 1) / packet;
    const bool merges = queue.policy >= CachePolicy::aggregation;
    result_.disk_jobs[part.server] += part.runs + packets;
    result_.written[part.server] += part.bytes;
    const std::int64_t jobs = merges || order_ == FlowOrder::path ? 1 : packets;
    const Service service = serve(part.server, part.bytes, jobs, true, data.first);
    Ticks ready = data.last;
    if (queue.policy == CachePolicy::direct && order_ == FlowOrder::path) {
        ready += least_write_ticks(part.server);  // the last packet is written after it has come
    } else if (holds_nothing(queue.policy) && order_ != FlowOrder::path) {
        // The last packet, and those beside it, are written after they have come; told early, before.
        const std::int64_t beside =
            std::clamp<std::int64_t>(queue.concurrent, 1, std::max<std::int64_t>(packets, 1));
        const Ticks last = (service.over - service.begun) / std::max<std::int64_t>(packets, 1) * beside;
        ready = std::max(service.over - last, data.last);
        if (queue.policy == CachePolicy::direct) ready += last;
    } else if (queue.memory_bytes > 0 && order_ != FlowOrder::path) {
        const double rate = input_.files->servers[part.server].device.disks.front().write_rate;
        const auto disks = static_cast<double>(input_.files->servers[part.server].device.disks.size());
        const auto room = static_cast<Ticks>(static_cast<double>(queue.memory_bytes) / (rate * disks) * 1e12);
        ready = std::max(ready, service.over - room);
    }
    const auto nic = static_cast<std::uint32_t>(ranks_.size()) + part.server;
    if (part.last) ready = fly(nic, part.rank, FileService::acknowledgement_bytes, ready).last;
    part_over(part.rank, part.request, ready);
}

// What has been read is sent while the disk reads on, one I/O request after the other.
void ProgramFlows::read(const Part& part, Ticks time) {
    if (order_ == FlowOrder::path) return read_alone(part, time);
    const std::int64_t chunk = std::min(part.bytes, input_.files->io_request_bytes);
    const std::int64_t chunks =
        (part.bytes + input_.files->io_request_bytes - 1) / input_.files->io_request_bytes;
    result_.disk_jobs[part.server] += part.runs + chunks;
    const Service service = serve(part.server, part.bytes, chunks, false, time);
    const Ticks first = service.begun + (service.over - service.begun) / std::max<std::int64_t>(chunks, 1);
    const auto nic = static_cast<std::uint32_t>(ranks_.size()) + part.server;
    const Flight data = fly(nic, part.rank, part.bytes, first);
    // The last chunk leaves when it has been read.
    const std::int64_t left = part.bytes - (chunks - 1) * chunk;
    const Ticks tail =
        (data.first - first) + (data.last - data.first) * left / std::max<std::int64_t>(part.bytes, 1);
    part_over(part.rank, part.request, std::max(data.last, service.over + tail));
}

// No read is quicker than its data on an empty network, once the first chunk has been read, nor than the
// disks with all of it; what a read cache may hold costs the disks nothing.
void ProgramFlows::read_alone(const Part& part, Ticks time) {
    const std::int64_t chunks =
        (part.bytes + input_.files->io_request_bytes - 1) / input_.files->io_request_bytes;
    result_.disk_jobs[part.server] += part.runs + chunks;
    const ServerRules& server = input_.files->servers[part.server];
    const bool kept = server.read_cache.capacity_bytes > 0;
    // Runs that overlap may be read as one where the server sieves.
    const bool sieves = server.queue.policy == CachePolicy::server_directed;
    const Ticks first = kept ? time : time + least_disk_ticks(part.server, part.read_first);
    const Ticks over = kept ? time : time + least_disk_ticks(part.server, sieves ? part.longest : part.bytes);
    const auto nic = static_cast<std::uint32_t>(ranks_.size()) + part.server;
    part_over(part.rank, part.request, std::max(fly_file(nic, part.rank, part.bytes, first).last, over));
}

// What no write is quicker than on the disks of a server, however few its bytes.
Ticks ProgramFlows::least_write_ticks(std::uint32_t server) const {
    Ticks least = std::numeric_limits<Ticks>::max();
    for (const Disk& disk : input_.files->servers[server].device.disks) {
        least = std::min(least, disk.kind == DiskKind::hard ? Ticks{0} : disk.write_latency);
    }
    return least;
}

// However an access lies on the disks of a server, one of them reads at least an equal share of it.
Ticks ProgramFlows::least_disk_ticks(std::uint32_t server, std::int64_t bytes) const {
    if (bytes == 0) return 0;
    const Device& device = input_.files->servers[server].device;
    const auto disks = static_cast<std::int64_t>(device.disks.size());
    Ticks least = std::numeric_limits<Ticks>::max();
    for (const Disk& disk : device.disks) {
        const Ticks latency = disk.kind == DiskKind::simple ? disk.read_latency : 0;
        const Ticks share = service_ticks(bytes / disks, disk.read_rate, device.rounding);
        least = std::min(least, latency + share);
    }
    return least;
}

}  // namespace striate
