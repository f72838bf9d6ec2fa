// Parallel file access: what clients and I/O servers say to each other, and what the servers' disks do
// meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "striate/access_plan.hpp"
#include "striate/device.hpp"
#include "striate/read_cache.hpp"
#include "striate/server_queue.hpp"
#include "striate/timeline.hpp"

namespace striate {

struct ServerRules {
    QueueRules queue;
    Device device;
    CacheRules read_cache;
};

struct FileRules {
    std::vector<ServerRules> servers;
    std::int64_t packet_bytes = 100 << 10;     // data comes to a server, and to its disks, in such parts
    std::int64_t io_request_bytes = 10 << 20;  // a read goes to the disks in such parts
    // The requests for runs of a file.
    std::function<AccessPlan(std::int64_t file, const RunsView& runs)> plan;
};

// What the service needs of the world around it. Interfaces: rank r has r, server s has ranks + s.
class FileHost {
  public:
    virtual ~FileHost() = default;
    [[nodiscard]] virtual Ticks now() const = 0;
    // One message, or (`continues`) one more packet of a message that has begun.
    virtual void transmit_file(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                               bool continues, std::uint64_t cookie) = 0;
    virtual void set_file_timer(Ticks time, std::uint64_t cookie) = 0;
    // A command step on the rank's CPU; calls on_step(cookie) when it is over.
    virtual void take_file_step(std::uint32_t rank, std::uint64_t cookie) = 0;
    // Whether the server's interface takes packets.
    virtual void set_receiving(std::uint32_t server, bool receives) = 0;
    virtual void access_over(std::uint32_t owner, std::int64_t request) = 0;
};

// A write is a request to every server concerned, then the data to all of them, then their acknowledgements;
// a read is a request and the data. A server makes a disk job of every packet that arrives and of every I/O
// request it reads; what it has read it sends while it reads on.
class FileService {
  public:
    // Payload: of a request, of each run in it, of an acknowledgement.
    static constexpr std::int64_t request_bytes = 20, run_bytes = 8, acknowledgement_bytes = 15;

    FileService(const FileRules& rules, std::uint32_t ranks, FileHost& host);

    struct Caller {
        std::uint32_t rank;
        std::uint32_t owner;   // told when it is over,
        std::int64_t request;  // with this
    };

    void access(const Caller& caller, std::int64_t file, bool write, const RunsView& runs);
    // Every server writes back all it holds.
    void sync(const Caller& caller);

    void on_sent(std::uint64_t cookie);
    void on_delivered(std::uint64_t cookie);
    void on_timer(std::uint64_t cookie);
    void on_step(std::uint64_t cookie);

    // Writes down from now on what servers and disks do; nullptr: no longer.
    void record(Timeline* timeline) { timeline_ = timeline; }

    // What a server's disks did.
    [[nodiscard]] const DeviceState& device(std::uint32_t server) const { return servers_[server].device; }
    [[nodiscard]] std::int64_t operations(std::uint32_t server) const { return servers_[server].operations; }
    [[nodiscard]] std::int64_t cache_hits(std::uint32_t server) const {
        return servers_[server].cache.hits();
    }
    // Whether anything is still under way.
    [[nodiscard]] bool quiet() const { return active_ == 0; }

  private:
    enum class Word : std::uint64_t { ask, data, acknowledge, flush, flushed };

    // A call of a client.
    struct Call {
        Caller caller{};
        std::vector<std::uint32_t> asked;  // parts, in the order in which their data is sent
        std::uint32_t unasked = 0;         // of them, not yet sent
        std::uint32_t open = 0;            // what must still happen before it is over
        bool write = false;
    };
    // Its share of one server.
    struct Part {
        std::uint32_t call = 0, server = 0;
        std::int64_t file = 0;
        std::vector<FileRange> runs;
        std::int64_t total = 0, sent = 0, arrived = 0;
        std::int64_t ready = 0;  // read: in the server's memory; write: taken by the disks
        std::size_t run = 0;     // where the next byte from the network, or to be read, belongs
        std::int64_t in_run = 0;
        bool starved = false;
        Ticks since = 0;  // when the server heard of it
    };
    // Bytes that are sent together once all of them are read.
    struct Chunk {
        std::uint32_t part = 0;
        std::int64_t bytes = 0;
        std::uint32_t missing = 0;
    };
    struct Server {
        explicit Server(const ServerRules& given)
            : rules(given), queue(given.queue), device(given.device), cache(given.read_cache) {}
        ServerRules rules;
        ServerQueue queue;
        DeviceState device;
        ReadCache cache;
        std::vector<Operation> running;
        std::vector<std::uint32_t> free;
        std::vector<std::uint32_t> flushes;              // parts that wait until nothing is left
        std::map<std::int64_t, std::int64_t> known_end;  // of each file on this server
        std::int64_t operations = 0;
    };

    static std::uint64_t cookie_of(Word word, std::uint32_t part) {
        return static_cast<std::uint64_t>(word) << 32 | part;
    }
    static Word word_of(std::uint64_t cookie) { return static_cast<Word>(cookie >> 32 & 0xff); }
    static std::uint32_t index_of(std::uint64_t cookie) { return static_cast<std::uint32_t>(cookie); }

    [[nodiscard]] std::uint32_t begin(const Caller& caller, bool write);
    [[nodiscard]] std::uint32_t add_part(std::uint32_t call, std::uint32_t server);
    void one_less(std::uint32_t call);
    void send(Word word, std::uint32_t part, bool to_server, std::int64_t payload, bool continues = false);
    void send_data(std::uint32_t part);
    void data_arrives(std::uint32_t part);
    void queue_packet(std::uint32_t part, std::int64_t bytes);
    void begin_reading(std::uint32_t part);
    void read_chunk(std::uint32_t part);
    void chunk_ready(std::uint32_t chunk);
    void pump(std::uint32_t server);
    void taken(const Operation& operation, std::uint32_t server);
    void operation_over(std::uint32_t server, std::uint32_t slot);
    void answer_flushes(std::uint32_t server);
    void record_part(std::uint32_t part, BarKind kind);

    FileRules rules_;
    std::uint32_t ranks_;
    FileHost& host_;
    std::vector<Server> servers_;
    std::vector<Call> calls_;
    std::vector<Part> parts_;
    std::vector<Chunk> chunks_;
    std::vector<std::uint32_t> free_calls_, free_parts_, free_chunks_;
    std::int64_t active_ = 0;
    Timeline* timeline_ = nullptr;
};

}  // namespace striate
