#include "striate/storage/file_service.hpp"

#include <algorithm>
#include <utility>

#include "striate/pool.hpp"
#include "striate/refusal.hpp"

namespace striate {

FileService::FileService(const FileRules& rules, std::uint32_t ranks, FileHost& host)
    : rules_(rules),
      ranks_(ranks),
      host_(host),
      wire_(rules.forwarding,
            ranks + static_cast<std::uint32_t>(rules.servers.size() + rules.metadata.size()), host),
      metadata_(rules.metadata, ranks + static_cast<std::uint32_t>(rules.servers.size()), wire_, host) {
    if (rules.packet_bytes < 1 || rules.io_request_bytes < 1) {
        throw Refusal(Reason::empty_unit);
    }
    StorageListener& listener = *this;
    for (ServerRules server : rules.servers) {
        server.flush_by_writer = rules.sync_alone;
        servers_.push_back(std::make_unique<StorageServer>(server, servers(), host, listener));
        if (rules.log) servers_.back()->log_to(log_);
    }
}

void FileService::send(Word word, std::uint32_t part, bool to_server, std::int64_t payload) {
    send(word, part, to_server, FileWire::Packet{payload, false, true});
}

void FileService::send(Word word, std::uint32_t part, bool to_server, const FileWire::Packet& packet) {
    const std::uint32_t client = calls_[parts_[part].call].caller.rank;
    const std::uint32_t server = ranks_ + parts_[part].server;
    if (word == Word::acknowledge) record_part(part, BarKind::write);
    if (word == Word::flushed) record_part(part, BarKind::sync);
    wire_.send(to_server ? client : server, to_server ? server : client,
               wire_.forwarder(client, parts_[part].server), packet, cookie_of(word, part));
}

// ---- the network's calls

void FileService::on_sent(std::uint64_t cookie) {
    if (!wire_.sent(cookie) || (cookie & MetadataService::mark) != 0) return;
    const std::uint32_t index = index_of(cookie);
    const std::uint32_t call = parts_[index].call;
    if (word_of(cookie) == Word::ask && calls_[call].write && --calls_[call].unasked == 0) {
        return host_.take_file_step(calls_[call].caller.rank, call);
    }
    if (word_of(cookie) != Word::data) return;
    if (parts_[index].sent < parts_[index].total) return send_data(index);
    if (calls_[call].write) return one_less(call);
    record_part(index, BarKind::read);
}

void FileService::on_step(std::uint64_t cookie) {
    if ((cookie & copy_mark) != 0) return one_less(index_of(cookie));
    const std::vector<std::uint32_t> asked = std::exchange(calls_[index_of(cookie)].asked, {});
    for (const std::uint32_t part : asked) {
        if (parts_[part].has_lock) send_data(part);
    }
}

void FileService::on_delivered(std::uint64_t cookie) {
    if (!wire_.delivered(cookie)) return;
    if ((cookie & MetadataService::mark) != 0) return metadata_.on_delivered(cookie);
    const std::uint32_t part = index_of(cookie);
    const std::uint32_t server = parts_[part].server;
    switch (word_of(cookie)) {
        case Word::ask:
            parts_[part].heard = true;
            if (parts_[part].over) return end_part(part);
            if (parts_[part].arrived == 0) parts_[part].since = host_.now();
            if (!calls_[parts_[part].call].write) return begin_reading(part);
            if (!parts_[part].has_lock) ask_for_lock(part);
            return;
        case Word::grant:  // data also waits for the step of the call
            parts_[part].has_lock = true;
            if (calls_[parts_[part].call].asked.empty()) send_data(part);
            return;
        case Word::data:
            return data_arrives(part);
        case Word::flush:
            parts_[part].since = host_.now();
            return servers_[server]->flush(
                part, rules_.sync_alone ? calls_[parts_[part].call].caller.rank : StorageServer::everybody);
        case Word::count:
            return host_.set_file_timer(
                sizes_.done(server, host_.now(), parts_[part].total * rules_.size_update_ticks),
                size_mark | part);
        case Word::acknowledge:
        case Word::flushed:
        case Word::counted:
            end_part(part);
            return one_less(parts_[part].call);
    }
}

void FileService::data_arrives(std::uint32_t index) {
    Part& part = parts_[index];
    --part.in_flight;
    if (calls_[part.call].write) {
        if (!part.heard && part.arrived == 0) part.since = host_.now();
        const bool at_once = servers_[part.server]->acknowledges_at_once();
        const std::int64_t end = std::min(part.arrived + part.grain, part.total);
        const std::int64_t job =
            std::max(std::min(part.grain, servers_[part.server]->largest_bytes()), rules_.packet_bytes);
        while (parts_[index].arrived < end) {
            const std::int64_t bytes = std::min(job, end - parts_[index].arrived);
            parts_[index].arrived += bytes;
            write_packet(index, bytes);
        }
        if (at_once && parts_[index].arrived == parts_[index].total) acknowledge(index);
        return;
    }
    if (part.sent < part.total || part.in_flight > 0) return;
    end_part(index);
    one_less(part.call);
}

// ---- servers

// A packet becomes one job for every stretch of neighbouring bytes in it.
void FileService::write_packet(std::uint32_t index, std::int64_t bytes) {
    Part& part = parts_[index];
    if (const FileRange& run = part.runs[part.run];
        bytes <= run.bytes - part.in_run) {  // most are one stretch
        const std::int64_t offset = run.offset + part.in_run;
        part.in_run += bytes;
        if (part.in_run == run.bytes) {
            ++part.run;
            part.in_run = 0;
        }
        const std::uint32_t writer = calls_[part.call].caller.rank;
        return servers_[part.server]->write({{part.file, offset, bytes, true}, index, writer});
    }
    std::vector<FileRange> stretches;
    while (bytes > 0) {
        const FileRange& run = part.runs[part.run];
        const std::int64_t size = std::min(bytes, run.bytes - part.in_run);
        const std::int64_t offset = run.offset + part.in_run;
        if (!stretches.empty() && stretches.back().offset + stretches.back().bytes == offset) {
            stretches.back().bytes += size;
        } else {
            stretches.push_back({offset, size});
        }
        bytes -= size;
        part.in_run += size;
        if (part.in_run == run.bytes) {
            ++part.run;
            part.in_run = 0;
        }
    }
    const std::int64_t file = part.file;
    const std::uint32_t writer = calls_[part.call].caller.rank;
    StorageServer& server = *servers_[part.server];
    for (const FileRange& stretch : stretches) {
        server.write({{file, stretch.offset, stretch.bytes, true}, index, writer});
    }
}

// A list of runs goes to the queue at once, so that it can be reordered; one long run request by request.
void FileService::begin_reading(std::uint32_t index) {
    if (parts_[index].runs.size() == 1) return read_chunk(index);
    while (parts_[index].run < parts_[index].runs.size()) read_chunk(index);
}

void FileService::read_chunk(std::uint32_t index) {
    Part& part = parts_[index];
    if (part.run == part.runs.size()) return;
    const FileRange run = part.runs[part.run];
    const std::int64_t bytes = std::min(rules_.io_request_bytes, run.bytes - part.in_run);
    const std::int64_t offset = run.offset + part.in_run;
    part.in_run += bytes;
    if (part.in_run == run.bytes) {
        ++part.run;
        part.in_run = 0;
    }
    StorageServer& server = *servers_[part.server];
    const std::uint32_t chunk = take(chunks_, free_chunks_, Chunk{index, bytes, 1});
    const std::uint32_t reader = calls_[part.call].caller.rank;
    const std::uint32_t pieces = server.read({{part.file, offset, bytes, false}, chunk, reader});
    chunks_[chunk].missing += pieces;
    chunk_ready(chunk);
}

void FileService::chunk_ready(std::uint32_t index) {
    if (--chunks_[index].missing > 0) return;
    const Chunk chunk = chunks_[index];
    free_chunks_.push_back(index);
    Part& part = parts_[chunk.part];
    const bool waits = part.starved || part.ready == 0;
    const bool alone = part.runs.size() == 1;
    part.ready += chunk.bytes;
    if (waits) send_data(chunk.part);
    if (alone) read_chunk(chunk.part);
}

// Where a write is acknowledged when its bytes are stored: the last ones are.
void FileService::write_taken(std::uint64_t cookie, std::int64_t bytes) {
    const auto index = static_cast<std::uint32_t>(cookie);
    parts_[index].ready += bytes;
    if (parts_[index].ready == parts_[index].total) acknowledge(index);
}

// The write is over; its lock may go to the next node.
void FileService::acknowledge(std::uint32_t index) {
    send(Word::acknowledge, index, false, acknowledgement_bytes);
    if (locks() && locks_.over(parts_[index].lock)) move_lock(parts_[index].lock);
}

void FileService::ask_for_lock(std::uint32_t index) {
    const std::uint32_t lock = parts_[index].lock;
    switch (locks_.ask(lock, host_.node_of(calls_[parts_[index].call].caller.rank), index)) {
        case ExtentLocks::Answer::granted:
            return send(Word::grant, index, false, acknowledgement_bytes);
        case ExtentLocks::Answer::moves:
            return move_lock(lock);
        case ExtentLocks::Answer::waits:
            return;
    }
}

void FileService::on_timer(std::uint64_t cookie) {
    if ((cookie & MetadataService::mark) != 0) return metadata_.on_timer(cookie);
    if ((cookie & size_mark) != 0) {
        return send(Word::counted, index_of(cookie), false, acknowledgement_bytes);
    }
    if ((cookie & thread_mark) != 0) return ask_in_turn(index_of(cookie));
    if ((cookie & lock_mark) != 0) {
        for (const std::uint32_t part : locks_.moved(index_of(cookie))) {
            send(Word::grant, part, false, acknowledgement_bytes);
        }
        return;
    }
    servers_[cookie >> 32]->on_timer(static_cast<std::uint32_t>(cookie));
}

void FileService::record(Timeline* timeline) {
    timeline_ = timeline;
    for (const auto& server : servers_) server->record(timeline);
    const auto servers = static_cast<std::int32_t>(servers_.size());
    metadata_.record(timeline, servers);
    wire_.record(timeline, servers + static_cast<std::int32_t>(metadata_.servers()));
}

// From the moment a server hears of its part of a call to its answer.
void FileService::record_part(std::uint32_t index, BarKind kind) {
    if (timeline_ == nullptr) return;
    const Part& part = parts_[index];
    const auto rank = static_cast<std::int32_t>(calls_[part.call].caller.rank);
    const bool flush = kind == BarKind::sync;
    timeline_->add({.start = part.since,
                    .end = host_.now(),
                    .bytes = part.total,
                    .more = part.runs.empty() ? -1 : part.runs.front().offset,
                    .place = static_cast<std::int32_t>(part.server),
                    .rank = rank,
                    .other = flush ? -1 : static_cast<std::int32_t>(part.file),
                    .level = BarLevel::server,
                    .kind = kind});
}

}  // namespace striate
