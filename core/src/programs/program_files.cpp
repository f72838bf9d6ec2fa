// File operations of ranks: the program's side of parallel I/O.
#include <algorithm>
#include <utility>

#include "program_runner.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

bool writes(Kind kind) { return kind == Kind::write || kind == Kind::write_all; }

bool reads(Kind kind) { return kind == Kind::read || kind == Kind::read_all; }

bool any_row(const Programs& programs, bool (*is)(Kind)) {
    return std::any_of(programs.kind.begin(), programs.kind.end(),
                       [is](std::uint8_t row) { return is(static_cast<Kind>(row)); });
}

}  // namespace

void ProgramRunner::start_files(std::size_t ranks, const RunOptions& options) {
    FileHost& host = *this;
    FileRules rules = *input_.files;
    rules.spread_clients = options.queue != QueueKind::entry_heap;
    rules.trains = options.fidelity == Fidelity::trains;
    if (timeline_ == nullptr && !any_row(input_.programs, reads)) {  // nobody would see what caches keep
        for (ServerRules& server : rules.servers) {
            if (server.read_cache.replacement == nullptr) server.read_cache.capacity_bytes = 0;
        }
    }
    files_ = std::make_unique<FileService>(rules, static_cast<std::uint32_t>(ranks), host);
    files_->record(timeline_);
    Pulse pulse(options.poll);
    file_calls_ = std::make_unique<FileCalls>(input_.programs, input_.communicators, pulse, input_.extents);
    for (const auto& [file, size] : file_calls_->read_only()) files_->exists(file, size);
    told_.resize(ranks);
    const bool accessed = any_row(input_.programs, reads) || any_row(input_.programs, writes);
    for (std::uint32_t server = 0; server < files_->servers(); ++server) {
        const auto interface = static_cast<std::uint32_t>(ranks) + server;
        if (files_->server(server).may_stop()) network_->guard(interface);
        if (accessed && !files_->server(server).sorts()) network_->keep_order();
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

void ProgramRunner::work_for_file(std::uint32_t rank, Ticks work, std::uint64_t cookie) {
    start_job(rank, work, cookie | of_file);
}

void ProgramRunner::set_receiving(std::uint32_t server, bool receives) {
    network_->set_open(static_cast<std::uint32_t>(requests_.size()) + server, receives);
}

// ---- calls on files

// Whether all members of the rank's group make the call it stands on: then the first of them acts for all.
bool ProgramRunner::together(std::uint32_t rank) const {
    return file_calls_->together(cursors_.kind(rank), cursors_.communicator(rank), groups(rank).group[rank],
                                 cursors_.operand(rank, 0));
}

bool ProgramRunner::leads(std::uint32_t rank) const {
    return !together(rank) || groups(rank).position[rank] == 0;
}

// Opening asks the metadata server, where one rank creates a new file, and spreads what it said; a sync is
// asked for by the first when all have come, and all wait for it. A collective access begins when all have
// come.
void ProgramRunner::perform_file(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    if (!files_) {
        throw Refusal(Reason::no_server, {.rank = rank, .row = cursors_.row(rank)});
    }
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    switch (kind) {
        case Kind::open:
            return open_file(rank);
        case Kind::close:
            return close_file(rank);
        case Kind::sync:
            return flush(rank);
        case Kind::read_all:
        case Kind::write_all:
            return meet_for_file(rank, operand(6), true);
        case Kind::read:
        case Kind::write: {
            open_part(rank, operand(6));
            const FileRuns runs = runs_of(rank);
            return files_->access({rank, rank, operand(6)}, operand(0), writes(kind), runs.view());
        }
        default:  // stat, erase
            if (files_->metadata().hears(kind, operand(0))) return ask_metadata(rank);
            if (kind == Kind::erase) files_->erase(operand(0));
    }
}

void ProgramRunner::ask_metadata(std::uint32_t rank) {
    const Kind kind = cursors_.kind(rank);
    open_part(rank, blocking);
    const bool creates = kind == Kind::open && cursors_.operand(rank, 1) != 0 && leads(rank);
    files_->metadata().ask({rank, rank, blocking}, kind, cursors_.operand(rank, 0), creates);
}

void ProgramRunner::open_file(std::uint32_t rank) {
    const bool asks = leads(rank) || input_.files->open_by_all;
    if (asks && files_->metadata().hears(Kind::open, cursors_.operand(rank, 0))) return ask_metadata(rank);
    if (together(rank)) start_collective(rank);
}

// Without a flush only the first tells the metadata server, where it wants to know; with one all wait for it.
void ProgramRunner::close_file(std::uint32_t rank) {
    if (input_.files->flush_on_close) return flush(rank);
    if (leads(rank) && files_->metadata().hears(Kind::close, cursors_.operand(rank, 0))) ask_metadata(rank);
}

void ProgramRunner::flush(std::uint32_t rank) {
    const bool alone = input_.files->sync_alone && cursors_.kind(rank) == Kind::sync;
    if (together(rank) && !alone) return meet_for_file(rank, blocking, false);
    open_part(rank, blocking);
    files_->sync({rank, rank, blocking});
}

// The files' call: an access, a sync or a question of the metadata server is over.
void ProgramRunner::access_over(std::uint32_t owner, std::int64_t request) {
    if (owner < requests_.size() && request == blocking) {
        switch (cursors_.kind(owner)) {
            case Kind::open:
                if (together(owner)) start_collective(owner);
                break;
            case Kind::erase:
                files_->erase(cursors_.operand(owner, 0));
                break;
            case Kind::sync:
            case Kind::close:
                return flush_is_over(owner);
            default:
                break;
        }
    }
    part_over(owner, request);
}

// A close tells the metadata server, where it wants to know, after the flush or without one.
void ProgramRunner::flush_is_over(std::uint32_t rank) {
    const bool closes = cursors_.kind(rank) == Kind::close;
    const bool told = told_[rank] != 0;
    const bool tells = closes && input_.files->flush_on_close && !told &&
                       files_->metadata().hears(Kind::close, cursors_.operand(rank, 0));
    told_[rank] = tells ? 1 : 0;
    const auto waiting = flushing_.find(rank);
    if (tells) {
        ask_metadata(rank);
        if (waiting == flushing_.end()) part_over(rank, blocking);
        return;
    }
    if (waiting == flushing_.end()) return part_over(rank, blocking);
    const std::vector<Joined> everyone = std::move(waiting->second);
    flushing_.erase(waiting);
    if (told) part_over(rank, blocking);
    for (const Joined& one : everyone) part_over(one.rank, one.request);
}

ProgramRunner::FileRuns ProgramRunner::runs_of(std::uint32_t rank) const {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    FileRuns runs;
    if (const std::int64_t list = operand(5); list >= 0) {
        const auto first = place(input_.extents.first[place(list)]);
        const auto count = place(input_.extents.first[place(list) + 1]) - first;
        const auto sizes = input_.extents.length.subspan(first, count);
        for (const std::int64_t offset : input_.extents.offset.subspan(first, count)) {
            runs.offsets.push_back(operand(1) + offset);
        }
        runs.sizes.assign(sizes.begin(), sizes.end());
        return runs;
    }
    for (std::int64_t block = 0; block < operand(3); ++block) {
        runs.offsets.push_back(operand(1) + operand(4) * block);
        runs.sizes.push_back(operand(2));
    }
    return runs;
}

void ProgramRunner::meet_for_file(std::uint32_t rank, std::int64_t request, bool accesses) {
    open_part(rank, request);
    const std::int32_t communicator = cursors_.communicator(rank);
    const std::int64_t group = groups(rank).group[rank];
    const std::int64_t members = groups(rank).first[place(group) + 1] - first_member(rank);
    const std::int64_t number = calls_[rank * input_.communicators.size() + place(communicator)]++;
    const Meeting where{communicator, group, number};
    auto& here = file_meetings_[where];
    here.push_back({rank, request, cursors_.operand(rank, 0), accesses, writes(cursors_.kind(rank)),
                    cursors_.row(rank), accesses ? runs_of(rank) : FileRuns{}});
    if (static_cast<std::int64_t>(here.size()) < members) return;
    auto everyone = std::move(here);
    file_meetings_.erase(where);
    let_go_on(std::move(everyone), where);
}

// Whether a member's range begins before its predecessor's ends, by position in the group: ROMIO's rule for
// `romio_cb_write = automatic` (ADIOI_GEN_WriteStridedColl).
bool ProgramRunner::interleaved(const std::vector<Joined>& everyone, std::span<const std::int64_t> position) {
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> ranges;  // first byte, last byte
    for (const Joined& one : everyone) {
        if (one.runs.sizes.empty()) continue;
        ranges[position[one.rank]] = {one.runs.offsets.front(),
                                      one.runs.offsets.back() + one.runs.sizes.back() - 1};
    }
    std::int64_t before = -1;
    for (const auto& [member, range] : ranges) {
        if (range.first < before) return true;
        before = range.second;
    }
    return false;
}

// Who has waited for the others takes one step more, to wake up.
void ProgramRunner::let_go_on(std::vector<Joined> everyone, const Meeting& where) {
    if (everyone.front().accesses && input_.files->collective) {
        const CollectiveRule rule = input_.files->collective(everyone.front().file);
        const auto& position = input_.communicators[place(std::get<0>(where))].position;
        const bool direct = rule.method == CollectiveMethod::automatic
                                ? !interleaved(everyone, position)
                                : rule.method == CollectiveMethod::direct;
        if (!direct || input_.files->planner != nullptr)
            return exchange_access(std::move(everyone), where, rule);
    }
    if (everyone.front().accesses) {
        for (Joined& one : everyone) {
            if (&one != &everyone.back()) ++one.steps;
            access_in_steps(std::move(one));
        }
        return;
    }
    const auto& position = input_.communicators[place(std::get<0>(where))].position;
    const auto first = std::find_if(everyone.begin(), everyone.end(),
                                    [&](const Joined& one) { return position[one.rank] == 0; });
    const std::uint32_t asks = first->rank;
    flushing_[asks] = std::move(everyone);
    files_->sync({asks, asks, blocking});
}

void ProgramRunner::access_in_steps(Joined one) {
    if (free_met_.empty()) {
        free_met_.push_back(static_cast<std::uint32_t>(met_.size()));
        met_.emplace_back();
    }
    const std::uint32_t place = free_met_.back();
    free_met_.pop_back();
    met_[place] = std::move(one);
    start_job(met_[place].rank, step(met_[place].rank), place | of_met);
}

void ProgramRunner::step_to_access(std::uint32_t place) {
    if (--met_[place].steps > 0) return start_job(met_[place].rank, step(met_[place].rank), place | of_met);
    const Joined one = std::move(met_[place]);
    free_met_.push_back(place);
    files_->access({one.rank, one.rank, one.request}, one.file, one.writes, one.runs.view());
}

void ProgramRunner::sum_servers() {
    for (std::uint32_t number = 0; number < files_->servers(); ++number) {
        const StorageServer& server = files_->server(number);
        ServerTotals total;
        for (const DiskState& disk : server.device().disks) {
            total.operations += disk.operations;
            total.sequential += disk.sequential;
            total.near_seeks += disk.near_seeks;
            total.bytes_read += disk.bytes_read;
            total.bytes_written += disk.bytes_written;
        }
        total.cache_hits = server.cache().hits();
        total.cache_misses = server.cache().misses();
        total.storage = server.totals();
        result_.servers.push_back(total);
    }
    for (std::size_t server = 0; server < files_->metadata().servers(); ++server) {
        result_.metadata.push_back(files_->metadata().totals(server));
    }
    result_.forwarders = files_->forwarders();
    result_.disk_log = files_->log();
}

}  // namespace striate
