// Who gets which message: sends and receives matched in order, any source and any tag included.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "striate/network/stations.hpp"
#include "striate/programs/program.hpp"

namespace striate {

// What a message shows before it is opened. Context separates communicators, and collectives from other
// messages.
struct Envelope {
    std::int64_t context;
    std::int64_t tag;
    std::uint32_t source, target;  // world ranks
};

// A receive names its target; source and tag may be `any`.
struct Pattern {
    std::int64_t context;
    std::int64_t tag;
    std::int64_t source;

    // Tags below `any` are those of calls that are made of messages; only who names one receives it.
    [[nodiscard]] bool accepts(const Envelope& envelope) const {
        return context == envelope.context && (source == any || source == envelope.source) &&
               (tag == any ? envelope.tag >= 0 : tag == envelope.tag);
    }
};

// Refuses what is truncated; a receive of 0 bytes takes whatever comes.
void expect_room(const Envelope& envelope, std::int64_t bytes, std::int64_t room);

// MPI's rule: between two ranks, messages are matched in the order they were sent, even when a short one
// overtakes a long one on the way; receives are served in the order they were posted. Operations are numbers
// of the caller.
class Matching {
  public:
    explicit Matching(std::size_t ranks) : posted_(ranks), unexpected_(ranks) {}

    // A send has been called; returns its place among those of its pair.
    [[nodiscard]] std::uint32_t announce(const Envelope& envelope);

    struct Match {
        std::uint32_t send, receive;
    };

    // The envelope of a send has arrived. Appends what can be matched now: none, it, or it and some it held
    // up.
    void arrive(const Envelope& envelope, std::uint32_t place, std::uint32_t send,
                std::vector<Match>& matches);

    // A receive is posted: the send it matches, or none. A send that has matched is gone.
    [[nodiscard]] std::uint32_t post(std::uint32_t target, const Pattern& pattern, std::uint32_t receive);

    // Sends whose envelope has arrived and that nobody has received.
    [[nodiscard]] std::size_t unexpected() const;

    struct Early {
        Envelope envelope;
        std::uint32_t send;
    };
    [[nodiscard]] const std::vector<Early>& unexpected_at(std::uint32_t target) const {
        return unexpected_[target];
    }

  private:
    struct Posted {
        Pattern pattern;
        std::uint32_t receive;
    };
    struct Overtaking {
        Envelope envelope;
        std::uint32_t place, send;
    };
    struct Pair {
        std::uint32_t announced = 0, accepted = 0;
        std::vector<Overtaking> overtaking;  // arrived before one sent earlier
    };

    void accept(const Envelope& envelope, std::uint32_t send, std::vector<Match>& matches);

    std::vector<std::vector<Posted>> posted_;
    std::vector<std::vector<Early>> unexpected_;
    std::unordered_map<std::uint64_t, Pair> pairs_;
};

}  // namespace striate
