#include "striate/storage/metadata_service.hpp"

#include <algorithm>

namespace striate {

MetadataService::MetadataService(std::span<const MetadataRules> rules, std::uint32_t first_interface,
                                 FileWire& wire, FileHost& host)
    : first_interface_(first_interface), wire_(wire), host_(host) {
    for (const MetadataRules& server : rules) servers_.push_back({server, {}, 0, {}});
}

bool MetadataService::hears(Kind kind, std::int64_t file) const {
    if (servers_.empty()) return false;
    const auto server = static_cast<std::size_t>(file % std::ssize(servers_));
    return kind != Kind::close || servers_[server].rules.close >= 0;
}

Ticks MetadataService::work_of(const MetadataRules& rules, Kind kind, bool creates) {
    switch (kind) {
        case Kind::open:
            return creates ? rules.create : rules.open;
        case Kind::stat:
            return rules.stat;
        case Kind::erase:
            return rules.erase;
        default:
            return std::max<Ticks>(rules.close, 0);
    }
}

void MetadataService::ask(const FileCaller& caller, Kind kind, std::int64_t file, bool creates) {
    const auto server = static_cast<std::uint32_t>(file % std::ssize(servers_));
    std::uint32_t place = static_cast<std::uint32_t>(calls_.size());
    if (free_calls_.empty()) {
        calls_.emplace_back();
    } else {
        place = free_calls_.back();
        free_calls_.pop_back();
    }
    calls_[place] = {caller, server, kind, file, work_of(servers_[server].rules, kind, creates), 0, false};
    send(place, true);
}

void MetadataService::send(std::uint32_t index, bool to_server) {
    const Call& call = calls_[index];
    const std::uint32_t server = first_interface_ + call.server;
    const std::uint32_t client = call.caller.rank;
    wire_.send(to_server ? client : server, to_server ? server : client, wire_.forwarder(client),
               {to_server ? request_bytes : answer_bytes, false, true}, mark | index);
}

void MetadataService::on_delivered(std::uint64_t cookie) {
    const auto index = static_cast<std::uint32_t>(cookie);
    Call& call = calls_[index];
    if (call.answered) {
        const FileCaller caller = call.caller;
        free_calls_.push_back(index);
        return host_.access_over(caller.owner, caller.request);
    }
    Server& server = servers_[call.server];
    call.came = host_.now();
    server.waiting.push_back(index);
    serve(server);
    server.totals.longest_queue = std::max(server.totals.longest_queue, std::ssize(server.waiting));
}

void MetadataService::serve(Server& server) {
    while (!server.waiting.empty() && server.running < server.rules.concurrent) {
        const std::uint32_t index = server.waiting.front();
        server.waiting.pop_front();
        ++server.running;
        ++server.totals.operations;
        server.totals.busy += calls_[index].work;
        server.totals.waited += host_.now() - calls_[index].came;
        host_.set_file_timer(host_.now() + calls_[index].work, mark | index);
    }
}

void MetadataService::on_timer(std::uint64_t cookie) {
    const auto index = static_cast<std::uint32_t>(cookie);
    Server& server = servers_[calls_[index].server];
    --server.running;
    calls_[index].answered = true;
    if (timeline_ != nullptr) record(calls_[index]);
    send(index, false);
    serve(server);
}

// From the moment a server hears of a call to its answer.
void MetadataService::record(const Call& call) const {
    const BarKind kind = call.kind == Kind::open    ? BarKind::open
                         : call.kind == Kind::stat  ? BarKind::stat
                         : call.kind == Kind::erase ? BarKind::erase
                                                    : BarKind::close;
    timeline_->add({.start = call.came,
                    .end = host_.now(),
                    .place = first_place_ + static_cast<std::int32_t>(call.server),
                    .rank = static_cast<std::int32_t>(call.caller.rank),
                    .other = static_cast<std::int32_t>(call.file),
                    .level = BarLevel::server,
                    .kind = kind});
}

}  // namespace striate
