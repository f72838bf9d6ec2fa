#include "striate/programs/matching.hpp"

#include <algorithm>

#include "striate/refusal.hpp"

namespace striate {

namespace {

std::uint64_t pair_key(const Envelope& envelope) {
    return static_cast<std::uint64_t>(envelope.source) << 32 | envelope.target;
}

}  // namespace

void expect_room(const Envelope& envelope, std::int64_t bytes, std::int64_t room) {
    if (room <= 0 || bytes <= room) return;
    throw Refusal(Reason::truncated, {.rank = envelope.source,
                                      .peer = envelope.target,
                                      .tag = envelope.tag,
                                      .bytes = bytes,
                                      .room = room});
}

std::uint32_t Matching::announce(const Envelope& envelope) { return pairs_[pair_key(envelope)].announced++; }

void Matching::arrive(const Envelope& envelope, std::uint32_t place, std::uint32_t send,
                      std::vector<Match>& matches) {
    Pair& pair = pairs_[pair_key(envelope)];
    if (place != pair.accepted) {
        pair.overtaking.push_back({envelope, place, send});
        return;
    }
    accept(envelope, send, matches);
    ++pair.accepted;
    const auto is_next = [&](const Overtaking& early) { return early.place == pair.accepted; };
    for (auto next = std::find_if(pair.overtaking.begin(), pair.overtaking.end(), is_next);
         next != pair.overtaking.end();
         next = std::find_if(pair.overtaking.begin(), pair.overtaking.end(), is_next)) {
        accept(next->envelope, next->send, matches);
        pair.overtaking.erase(next);
        ++pair.accepted;
    }
    // A pair with nothing in flight may start counting anew.
    if (pair.accepted == pair.announced) pairs_.erase(pair_key(envelope));
}

void Matching::accept(const Envelope& envelope, std::uint32_t send, std::vector<Match>& matches) {
    auto& posted = posted_[envelope.target];
    const auto found = std::find_if(posted.begin(), posted.end(),
                                    [&](const Posted& receive) { return receive.pattern.accepts(envelope); });
    if (found == posted.end()) {
        unexpected_[envelope.target].push_back({envelope, send});
        return;
    }
    matches.push_back({send, found->receive});
    posted.erase(found);
}

std::uint32_t Matching::post(std::uint32_t target, const Pattern& pattern, std::uint32_t receive) {
    auto& early = unexpected_[target];
    const auto found = std::find_if(early.begin(), early.end(),
                                    [&](const Early& send) { return pattern.accepts(send.envelope); });
    if (found == early.end()) {
        posted_[target].push_back({pattern, receive});
        return none;
    }
    const std::uint32_t send = found->send;
    early.erase(found);
    return send;
}

std::size_t Matching::unexpected() const {
    std::size_t count = 0;
    for (const auto& early : unexpected_) count += early.size();
    return count;
}

}  // namespace striate
