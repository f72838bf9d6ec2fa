// File operations of ranks: the program's side of parallel I/O.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "program_runner.hpp"

namespace striate {

namespace {

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

bool is_collective(Kind kind) { return kind == Kind::read_all || kind == Kind::write_all; }

}  // namespace

void ProgramRunner::start_files(std::size_t ranks) {
    FileHost& host = *this;
    files_ = std::make_unique<FileService>(*input_.files, static_cast<std::uint32_t>(ranks), host);
    files_->record(timeline_);
    for (std::uint32_t server = 0; server < input_.files->servers.size(); ++server) {
        const QueueRules& queue = input_.files->servers[server].queue;
        const bool may_stop = queue.policy == CachePolicy::direct || queue.memory_bytes > 0;
        if (may_stop) network_->guard(static_cast<std::uint32_t>(ranks) + server);
    }
}

void ProgramRunner::transmit_file(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                                  bool continues, std::uint64_t cookie) {
    if (continues) return network_->continue_message(source, target, payload, cookie | of_file);
    network_->start_message(source, target, payload, cookie | of_file);
}

void ProgramRunner::set_file_timer(Ticks time, std::uint64_t cookie) {
    network_->set_timer(time, cookie | of_file_timer);
}

void ProgramRunner::take_file_step(std::uint32_t rank, std::uint64_t cookie) {
    start_job(rank, step(rank), cookie | of_file);
}

void ProgramRunner::set_receiving(std::uint32_t server, bool receives) {
    network_->set_open(static_cast<std::uint32_t>(requests_.size()) + server, receives);
}

// Opening spreads what the first of the group knows about the file; closing costs its step. A sync is asked
// for by the first, and all wait for it. A collective access begins when all have come.
void ProgramRunner::perform_file(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    if (!files_) {
        throw std::invalid_argument("rank " + std::to_string(rank) + ", row " +
                                    std::to_string(cursors_.row(rank)) + ": a file, and no I/O server");
    }
    switch (kind) {
        case Kind::open:
            return start_collective(rank);
        case Kind::sync:
            open_part(rank, blocking);
            if (groups(rank).position[rank] != 0) return meet_for_file(rank);
            return files_->sync({rank, rank, blocking});
        case Kind::read_all:
        case Kind::write_all:
            if (cursors_.operand(rank, 6) != blocking) {
                throw std::invalid_argument("rank " + std::to_string(rank) + ", row " +
                                            std::to_string(cursors_.row(rank)) +
                                            ": collective I/O that does not wait is not known here");
            }
            open_part(rank, blocking);
            return meet_for_file(rank);
        case Kind::read:
        case Kind::write:
            open_part(rank, cursors_.operand(rank, 6));
            return access(rank);
        default:
            return;  // close, stat, erase: the step alone
    }
}

void ProgramRunner::access(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    const Kind kind = cursors_.kind(rank);
    const bool write = kind == Kind::write || kind == Kind::write_all;
    const FileService::Caller caller{rank, rank, operand(6)};
    if (const std::int64_t list = operand(5); list >= 0) {
        const auto first = place(input_.extents.first[place(list)]);
        const auto count = place(input_.extents.first[place(list) + 1]) - first;
        std::vector<std::int64_t> offsets;
        for (const std::int64_t offset : input_.extents.offset.subspan(first, count)) {
            offsets.push_back(operand(1) + offset);
        }
        return files_->access(caller, operand(0), write,
                              {offsets, input_.extents.length.subspan(first, count)});
    }
    std::vector<std::int64_t> offsets, sizes;
    for (std::int64_t block = 0; block < operand(3); ++block) {
        offsets.push_back(operand(1) + operand(4) * block);
        sizes.push_back(operand(2));
    }
    files_->access(caller, operand(0), write, {offsets, sizes});
}

void ProgramRunner::access_over(std::uint32_t owner, std::int64_t request) {
    if (request == blocking && cursors_.kind(owner) == Kind::sync) return meet_for_file(owner);
    part_over(owner, request);
}

// The last one to come goes on first, then the others as they came.
void ProgramRunner::meet_for_file(std::uint32_t rank) {
    const std::int32_t communicator = cursors_.communicator(rank);
    const std::int64_t group = groups(rank).group[rank];
    const std::int64_t members = groups(rank).first[place(group) + 1] - first_member(rank);
    const std::int64_t number = calls_[rank * input_.communicators.size() + place(communicator)]++;
    const Meeting where{communicator, group, number};
    auto& here = meetings_[where];
    here.push_back({rank, blocking});
    if (static_cast<std::int64_t>(here.size()) < members) return;
    auto everyone = std::move(here);
    meetings_.erase(where);
    std::rotate(everyone.begin(), everyone.end() - 1, everyone.end());
    for (const auto& caller : everyone) {
        if (is_collective(cursors_.kind(caller.owner))) {
            access(caller.owner);
        } else {
            part_over(caller.owner, blocking);
        }
    }
}

void ProgramRunner::sum_servers() {
    for (std::uint32_t server = 0; server < input_.files->servers.size(); ++server) {
        ServerTotals total;
        for (const DiskState& disk : files_->device(server).disks) {
            total.operations += disk.operations;
            total.sequential += disk.sequential;
            total.near_seeks += disk.near_seeks;
            total.bytes_read += disk.bytes_read;
            total.bytes_written += disk.bytes_written;
        }
        total.cache_hits = files_->cache_hits(server);
        result_.servers.push_back(total);
    }
}

}  // namespace striate
