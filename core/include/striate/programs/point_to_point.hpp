// Messages between ranks: short ones go at once, long ones ask first; each is matched with its receive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "striate/programs/matching.hpp"

namespace striate {

// What point-to-point needs of the world around it.
class MessageHost {
  public:
    virtual ~MessageHost() = default;
    virtual void transmit(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                          std::uint64_t cookie) = 0;
    // A command step on the rank's CPU; calls on_step(cookie) when it is over.
    virtual void take_step(std::uint32_t rank, std::uint64_t cookie) = 0;
    // A send or receive of `owner` is over; `request` is what it was called with.
    virtual void part_over(std::uint32_t owner, std::int64_t request) = 0;
    // A receive of `owner` has found its message, of so many bytes.
    virtual void matched(std::uint32_t owner, std::int64_t request, const Envelope& message,
                         std::int64_t bytes) = 0;
};

class PointToPoint {
  public:
    // Payload beside the data: of a message, of the question before a long one, of its answer.
    static constexpr std::int64_t tag_bytes = 8, question_bytes = 8, answer_bytes = 100;

    PointToPoint(std::size_t ranks, MessageHost& host) : matching_(ranks), host_(host) {}

    struct Caller {
        std::uint32_t owner;   // whose part it is
        std::int64_t request;  // blocking, or what `wait` will name
    };

    // A program's send: `bytes` and a tag, eager or with a rendezvous (long, or synchronous).
    void send(const Caller& caller, const Envelope& envelope, std::int64_t bytes, bool rendezvous);
    // A collective's send: `payload` as it is, at once.
    void send_raw(const Caller& caller, const Envelope& envelope, std::int64_t payload);
    // Takes at most `room` bytes, or with 0 whatever comes.
    void receive(const Caller& caller, std::uint32_t target, const Pattern& pattern, std::int64_t room = 0);

    void on_sent(std::uint64_t cookie);
    void on_delivered(std::uint64_t cookie);
    void on_step(std::uint64_t cookie);

    [[nodiscard]] std::int64_t messages() const { return messages_; }

    // What is still open at the end of a run, for a report.
    struct Open {
        bool is_send;
        std::uint32_t owner;
        std::int64_t context;
        std::int64_t rank, peer, tag;  // peer and tag of a receive may be `any`
    };
    [[nodiscard]] std::vector<Open> open_operations() const;

  private:
    enum class Phase : std::uint64_t { eager, question, answer, data };
    enum class State : std::uint8_t { free, send, receive };

    struct Operation {
        Caller caller{};
        Envelope envelope{};  // of a receive: target, and the pattern's context and tag
        std::int64_t source = 0;
        std::int64_t bytes = 0;  // of the message; of a receive, its room
        std::uint32_t place = 0;
        std::uint32_t partner = none;  // the receive of a matched rendezvous
        State state = State::free;
        bool sent = false;      // the sender's part is over
        bool received = false;  // the message has arrived and found its receive
        bool rendezvous = false;
    };

    static std::uint64_t cookie_of(std::uint32_t operation, Phase phase) {
        return static_cast<std::uint64_t>(operation) << 2 | static_cast<std::uint64_t>(phase);
    }
    [[nodiscard]] std::uint32_t take(const Operation& operation);
    void begin_send(const Caller& caller, const Envelope& envelope, std::int64_t payload, bool rendezvous);
    void arrive(std::uint32_t send);
    void match(std::uint32_t send, std::uint32_t receive);
    void complete_receive(std::uint32_t receive);
    void sender_done(std::uint32_t send);
    void release_if_done(std::uint32_t send);

    Matching matching_;
    MessageHost& host_;
    std::vector<Operation> operations_;
    std::vector<std::uint32_t> free_;
    std::vector<Matching::Match> matches_;
    std::int64_t messages_ = 0;
};

}  // namespace striate
