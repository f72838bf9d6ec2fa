// Metadata servers: what opening, creating, asking about, closing and deleting files costs.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "striate/programs/program.hpp"
#include "striate/storage/file_wire.hpp"

namespace striate {

struct MetadataRules {
    Ticks open = 0, create = 0, stat = 0, erase = 0;
    Ticks close = -1;             // -1: nobody tells it
    std::int32_t concurrent = 1;  // operations at once
};

struct MetadataTotals {
    std::int64_t operations = 0;
    Ticks busy = 0;    // of all its places together
    Ticks waited = 0;  // of all operations together, before they began
    std::int64_t longest_queue = 0;
};

// A call is a request to the server of its file, a wait for one of its places, the work, and an answer. File
// f belongs to server f modulo their number. Requests are served as they come.
class MetadataService {
  public:
    // Payload of a request and of its answer.
    static constexpr std::int64_t request_bytes = 20, answer_bytes = 15;
    // Marks what belongs here among the cookies of files.
    static constexpr std::uint64_t mark = std::uint64_t{1} << 58;

    MetadataService(std::span<const MetadataRules> rules, std::uint32_t first_interface, FileWire& wire,
                    FileHost& host);

    // Whether such a call costs anything.
    [[nodiscard]] bool hears(Kind kind, std::int64_t file) const;
    void ask(const FileCaller& caller, Kind kind, std::int64_t file, bool creates);

    void on_delivered(std::uint64_t cookie);
    void on_timer(std::uint64_t cookie);
    // Write down what the servers do from now on; the first of them has this place in the timeline.
    void record(Timeline* timeline, std::int32_t first_place) {
        timeline_ = timeline;
        first_place_ = first_place;
    }

    [[nodiscard]] const MetadataTotals& totals(std::size_t server) const { return servers_[server].totals; }
    [[nodiscard]] std::size_t servers() const { return servers_.size(); }

  private:
    struct Call {
        FileCaller caller{};
        std::uint32_t server = 0;
        Kind kind = Kind::open;
        std::int64_t file = 0;
        Ticks work = 0, came = 0;
        bool answered = false;
    };
    struct Server {
        MetadataRules rules;
        std::deque<std::uint32_t> waiting;
        std::int32_t running = 0;
        MetadataTotals totals;
    };

    [[nodiscard]] static Ticks work_of(const MetadataRules& rules, Kind kind, bool creates);
    void send(std::uint32_t call, bool to_server);
    void serve(Server& server);
    void record(const Call& call) const;

    std::uint32_t first_interface_;
    FileWire& wire_;
    FileHost& host_;
    std::vector<Server> servers_;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> free_calls_;
    Timeline* timeline_ = nullptr;
    std::int32_t first_place_ = 0;
};

}  // namespace striate
