#include "striate/programs/point_to_point.hpp"

namespace striate {

std::uint32_t PointToPoint::take(const Operation& operation) {
    if (free_.empty()) {
        operations_.push_back(operation);
        return static_cast<std::uint32_t>(operations_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    operations_[index] = operation;
    return index;
}

void PointToPoint::send(const Caller& caller, const Envelope& envelope, std::int64_t bytes, bool rendezvous) {
    begin_send(caller, envelope, bytes + tag_bytes, rendezvous);
}

void PointToPoint::send_raw(const Caller& caller, const Envelope& envelope, std::int64_t payload) {
    begin_send(caller, envelope, payload, false);
}

void PointToPoint::begin_send(const Caller& caller, const Envelope& envelope, std::int64_t payload,
                              bool rendezvous) {
    ++messages_;
    const std::uint32_t send = take({.caller = caller,
                                     .envelope = envelope,
                                     .source = envelope.source,
                                     .bytes = payload,
                                     .place = matching_.announce(envelope),
                                     .state = State::send,
                                     .rendezvous = rendezvous});
    host_.transmit(envelope.source, envelope.target, rendezvous ? question_bytes : payload,
                   cookie_of(send, rendezvous ? Phase::question : Phase::eager));
}

void PointToPoint::receive(const Caller& caller, std::uint32_t target, const Pattern& pattern,
                           std::int64_t room) {
    const std::uint32_t receive = take({.caller = caller,
                                        .envelope = {pattern.context, pattern.tag, 0, target},
                                        .source = pattern.source,
                                        .bytes = room,
                                        .state = State::receive});
    const std::uint32_t send = matching_.post(target, pattern, receive);
    if (send != none) match(send, receive);
}

void PointToPoint::arrive(std::uint32_t send) {
    matches_.clear();
    matching_.arrive(operations_[send].envelope, operations_[send].place, send, matches_);
    const std::vector<Matching::Match> now = matches_;  // completing one may lead back here
    for (const auto& [matched, receive] : now) match(matched, receive);
}

void PointToPoint::match(std::uint32_t send, std::uint32_t receive) {
    Operation& operation = operations_[send];
    expect_room(operation.envelope, operation.bytes - tag_bytes, operations_[receive].bytes);
    host_.matched(operations_[receive].caller.owner, operations_[receive].caller.request, operation.envelope,
                  operation.bytes);
    if (operation.rendezvous) {
        operation.partner = receive;
        host_.transmit(operation.envelope.target, operation.envelope.source, answer_bytes,
                       cookie_of(send, Phase::answer));
        return;
    }
    operation.received = true;
    release_if_done(send);
    complete_receive(receive);
}

void PointToPoint::complete_receive(std::uint32_t receive) {
    const Caller caller = operations_[receive].caller;
    operations_[receive].state = State::free;
    free_.push_back(receive);
    host_.part_over(caller.owner, caller.request);
}

void PointToPoint::sender_done(std::uint32_t send) {
    operations_[send].sent = true;
    const Caller caller = operations_[send].caller;
    release_if_done(send);
    host_.part_over(caller.owner, caller.request);
}

void PointToPoint::release_if_done(std::uint32_t send) {
    Operation& operation = operations_[send];
    if (!operation.sent || !operation.received) return;
    operation.state = State::free;
    free_.push_back(send);
}

void PointToPoint::on_sent(std::uint64_t cookie) {
    const auto phase = static_cast<Phase>(cookie & 3);
    if (phase == Phase::eager || phase == Phase::data) sender_done(static_cast<std::uint32_t>(cookie >> 2));
}

void PointToPoint::on_delivered(std::uint64_t cookie) {
    const auto send = static_cast<std::uint32_t>(cookie >> 2);
    switch (static_cast<Phase>(cookie & 3)) {
        case Phase::eager:
        case Phase::question:
            return arrive(send);
        case Phase::answer:
            return host_.take_step(operations_[send].envelope.source, cookie);
        case Phase::data: {
            const std::uint32_t receive = operations_[send].partner;
            operations_[send].received = true;
            release_if_done(send);
            return complete_receive(receive);
        }
    }
}

void PointToPoint::on_step(std::uint64_t cookie) {
    const auto send = static_cast<std::uint32_t>(cookie >> 2);
    const Operation& operation = operations_[send];
    host_.transmit(operation.envelope.source, operation.envelope.target, operation.bytes,
                   cookie_of(send, Phase::data));
}

std::vector<PointToPoint::Open> PointToPoint::open_operations() const {
    std::vector<Open> open;
    for (const Operation& operation : operations_) {
        if (operation.state == State::free) continue;
        const bool is_send = operation.state == State::send;
        open.push_back({is_send, operation.caller.owner, operation.envelope.context,
                        is_send ? operation.envelope.source : operation.envelope.target,
                        is_send ? operation.envelope.target : operation.source, operation.envelope.tag});
    }
    return open;
}

}  // namespace striate
