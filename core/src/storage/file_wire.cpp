#include "striate/storage/file_wire.hpp"

#include <algorithm>

namespace striate {

std::int32_t FileWire::forwarder(std::uint32_t rank, std::int64_t server) const {
    if (rules_.of_rank.empty()) return none;
    const std::int32_t mine = rules_.of_rank[rank];
    if (mine == none || server == none) return mine;
    const Forwarder& relay = rules_.forwarders[static_cast<std::size_t>(mine)];
    return relay.relays_to[static_cast<std::size_t>(server)] != 0 ? mine : none;
}

void FileWire::send(std::uint32_t source, std::uint32_t target, std::int32_t forwarder, const Packet& packet,
                    std::uint64_t cookie) {
    if (forwarder == none) {
        return host_.transmit_file(source, target, packet.payload, packet.continues, cookie);
    }
    Relay& relay = relays_[cookie];
    relay.forwarder = static_cast<std::uint32_t>(forwarder);
    relay.source = source;
    relay.target = target;
    relay.coming.push(packet);
    host_.transmit_file(source, first_interface_ + relay.forwarder, packet.payload, packet.continues,
                        cookie | to_forwarder);
}

bool FileWire::sent(std::uint64_t& cookie) {
    if ((cookie & onwards) == 0) {
        cookie &= ~to_forwarder;
        return true;
    }
    cookie &= ~onwards;
    const auto found = relays_.find(cookie);
    found->second.sending = false;
    if (found->second.ended && found->second.waiting.empty()) {
        if (timeline_ != nullptr) record(found->second);
        relays_.erase(found);
    } else {
        pass_on(cookie, found->second);
    }
    return false;
}

bool FileWire::delivered(std::uint64_t& cookie) {
    if ((cookie & to_forwarder) == 0) {
        cookie &= ~onwards;
        return true;
    }
    cookie &= ~to_forwarder;
    Relay& relay = relays_[cookie];
    const Packet packet = relay.coming.pop();
    if (relay.bytes == 0) relay.since = host_.now();
    relay.bytes += packet.payload;
    ForwarderTotals& total = totals_[relay.forwarder];
    total.messages += static_cast<std::int64_t>(packet.last);
    total.bytes += packet.payload;
    total.most_bytes = std::max(total.most_bytes, waiting_[relay.forwarder] += packet.payload);
    relay.waiting.push(packet);
    relay.dirty_bytes += packet.payload;
    relay.ended = relay.ended || packet.last;
    if (packet.last || relay.dirty_bytes >= rules_.forwarders[relay.forwarder].aggregate_bytes) {
        relay.ready = relay.waiting.size();
        relay.dirty_bytes = 0;
    }
    pass_on(cookie, relay);
    return false;
}

void FileWire::pass_on(std::uint64_t cookie, Relay& relay) {
    if (relay.sending || relay.ready == 0) return;
    const Packet packet = relay.waiting.pop();
    --relay.ready;
    waiting_[relay.forwarder] -= packet.payload;
    relay.sending = true;
    host_.transmit_file(first_interface_ + relay.forwarder, relay.target, packet.payload, packet.continues,
                        cookie | onwards);
}

// From the first packet that came to the last that has gone on; of both ends the rank has the lower number.
void FileWire::record(const Relay& relay) const {
    timeline_->add({.start = relay.since,
                    .end = host_.now(),
                    .bytes = relay.bytes,
                    .place = first_place_ + static_cast<std::int32_t>(relay.forwarder),
                    .rank = static_cast<std::int32_t>(std::min(relay.source, relay.target)),
                    .level = BarLevel::server,
                    .kind = BarKind::transfer});
}

}  // namespace striate
