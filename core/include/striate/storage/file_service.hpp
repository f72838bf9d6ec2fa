// Parallel file access: what clients and I/O servers say to each other, and what the servers' disks do
// meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "striate/events/timeline.hpp"
#include "striate/layout/access_plan.hpp"
#include "striate/storage/extent_locks.hpp"
#include "striate/storage/file_host.hpp"
#include "striate/storage/file_wire.hpp"
#include "striate/storage/metadata_service.hpp"
#include "striate/storage/size_updates.hpp"
#include "striate/storage/storage_server.hpp"
#include "striate/storage/two_phase.hpp"
#include "striate/storage/write_turns.hpp"

namespace striate {

enum class CollectiveMethod : std::uint8_t {
    direct,     // every rank asks for its own bytes
    two_phase,  // ranks exchange bytes with aggregators, which access the file, round after round
    pipelined,  // the same, but the exchange of a round goes on during the access of the one before
    automatic,  // two-phase where the ranges of members interleave, else direct, as ROMIO decides
};

struct CollectiveRule {
    CollectiveMethod method = CollectiveMethod::direct;
    std::int64_t aggregators = every_member;  // evenly spread members of the group, or one of those below
    std::int64_t buffer_bytes = 16 << 20;
    std::int64_t align_bytes = 1;
    bool cyclic = false;  // file domains: every n-th unit of align_bytes, as ROMIO's driver for Lustre
    static constexpr std::int64_t every_member = 0, one_a_node = -1;
};

struct FileRules {
    std::vector<ServerRules> servers;
    std::vector<MetadataRules> metadata;
    ForwardRules forwarding;
    std::int64_t packet_bytes = 100 << 10;     // data comes to a server, and to its disks, in such parts
    std::int64_t io_request_bytes = 10 << 20;  // a read goes to the disks in such parts
    bool trains = false;                       // as much as may be is sent as one
    std::int64_t write_window_bytes = 0;  // of a call, in flight at once; the next ones follow; 0: all of it
    std::int64_t read_window_bytes = 0;
    Ticks lock_move_ticks = 0;    // of an object's extent lock from one node to another; 0: no locks
    Ticks size_update_ticks = 0;  // of a request that writes new bytes, where the file begins; 0: none
    bool inode_lock = false;      // writes of a node's ranks to one file take turns
    // Bytes per second at which the CPU of a rank copies what it writes or reads; 0: in no time.
    double write_copy_rate = 0, read_copy_rate = 0;
    // Of a rank's CPU, for a run of bytes each time it lists or merges it in a collective access by
    // aggregators.
    Ticks piece_ticks = 0;
    // Bytes per second at which an aggregator's CPU copies between messages and its buffer; 0: in no time.
    double exchange_copy_rate = 0;
    Ticks thread_ticks = 0;       // until the thread that makes a rank's non-blocking accesses has begun
    Ticks thread_idle_ticks = 0;  // without a new access until it ends
    bool open_by_all = false;     // every rank of a collective open asks for the name; else the first
    bool sync_alone = false;      // every rank flushes when it comes to a sync, and waits for nobody
    bool flush_on_close = false;
    bool log = false;            // keep every job of the disks
    bool spread_clients = true;  // over the servers they begin with; else all take the order of a hash table
    // The requests for runs of a file.
    std::function<AccessPlan(std::int64_t file, const RunsView& runs)> plan;
    // One past the last byte of a server's own file when the file has `size` bytes; 0 on servers it does not
    // touch.
    std::function<std::int64_t(std::int64_t file, std::int64_t server, std::int64_t size)> physical_end;
    // How collective calls access a file; none: all directly.
    std::function<CollectiveRule(std::int64_t file)> collective;
    CollectivePlanner* planner = nullptr;  // says who accesses what in all of them; not owned
};

// A write is a request to every server concerned, then the data to all of them, then their acknowledgements;
// a read is a request and the data. A server makes a disk job of every packet that arrives and of every I/O
// request it reads; what it has read it sends while it reads on. With extent locks the data of a write to an
// object whose lock the node does not hold waits for the server's grant. Where sizes are updated, new bytes
// of a window are counted while the next window is on its way. Where copies take time, the CPU of the caller
// copies the bytes of a window while they move: a window is over when both are.
class FileService : StorageListener {
  public:
    // Payload: of a request, of each run in it, of an acknowledgement.
    static constexpr std::int64_t request_bytes = 20, run_bytes = 8, acknowledgement_bytes = 15;

    FileService(const FileRules& rules, std::uint32_t ranks, FileHost& host);

    using Caller = FileCaller;

    void access(const Caller& caller, std::int64_t file, bool write, const RunsView& runs);
    // Every server writes back all it holds.
    void sync(const Caller& caller);
    // The file is there already, with so many bytes.
    void exists(std::int64_t file, std::int64_t size);
    // The file's room on all servers is free again.
    void erase(std::int64_t file);
    [[nodiscard]] MetadataService& metadata() { return metadata_; }

    void on_sent(std::uint64_t cookie);
    void on_delivered(std::uint64_t cookie);
    void on_timer(std::uint64_t cookie);
    void on_step(std::uint64_t cookie);

    [[nodiscard]] const StorageServer& server(std::uint32_t number) const { return *servers_[number]; }
    [[nodiscard]] const std::vector<ForwarderTotals>& forwarders() const { return wire_.totals(); }
    [[nodiscard]] std::uint32_t servers() const { return static_cast<std::uint32_t>(servers_.size()); }
    [[nodiscard]] const std::vector<DiskEntry>& log() const { return log_; }
    // Writes down from now on what servers and disks do; nullptr: no longer.
    void record(Timeline* timeline);
    // Whether anything is still in flight.
    [[nodiscard]] bool quiet() const { return active_ == 0; }

  private:
    enum class Word : std::uint64_t { ask, data, acknowledge, flush, flushed, grant, count, counted };
    static constexpr std::uint64_t lock_mark = std::uint64_t{1} << 59;    // of a timer: a lock moves
    static constexpr std::uint64_t size_mark = std::uint64_t{1} << 60;    // of a timer: new bytes are counted
    static constexpr std::uint64_t thread_mark = std::uint64_t{1} << 61;  // of a timer: a thread begins
    static constexpr std::uint64_t copy_mark = std::uint64_t{1} << 32;    // of a step: bytes are copied

    // A call of a client.
    struct Call {
        Caller caller{};
        std::vector<std::uint32_t> asked;  // parts, in the order in which their data is sent
        std::uint32_t unasked = 0;         // of them, not yet sent
        std::uint32_t open = 0;            // what must still happen before its window is over
        bool write = false;
        std::int64_t file = 0;
        std::int64_t new_requests = 0;  // of its window, which wrote bytes for the first time
        Runs later{};                   // bytes of windows to come: from run `next`, byte `from` of it on
        std::size_t next = 0;
        std::int64_t from = 0;
    };
    // It makes the non-blocking accesses of a rank.
    struct Thread {
        Ticks begins = 0, ends = -1;
    };
    // Its share of one server.
    struct Part {
        std::uint32_t call = 0, server = 0;
        std::int64_t file = 0;
        std::vector<FileRange> runs;
        std::int64_t total = 0, sent = 0, arrived = 0;
        std::int64_t grain = 0;  // sent as one
        std::uint32_t in_flight = 0;
        std::int64_t ready = 0;  // read: in the server's memory; write: taken by the disks
        std::size_t run = 0;     // where the next byte from the network, or to be read, belongs
        std::int64_t in_run = 0;
        bool starved = false;
        bool has_lock = true;  // write: its node has the lock, or there is none
        bool heard = true;  // its request has come, or there is none: data may overtake it on another route
        bool over = false;  // and waits for its request alone
        std::uint32_t lock = 0;  // of its object
        Ticks since = 0;         // when the server heard of it
    };
    // Bytes that are sent together once all of them are read.
    struct Chunk {
        std::uint32_t part = 0;
        std::int64_t bytes = 0;
        std::uint32_t missing = 0;
    };

    static std::uint64_t cookie_of(Word word, std::uint32_t part) {
        return static_cast<std::uint64_t>(word) << 32 | part;
    }
    static Word word_of(std::uint64_t cookie) { return static_cast<Word>(cookie >> 32 & 0xff); }
    static std::uint32_t index_of(std::uint64_t cookie) { return static_cast<std::uint32_t>(cookie); }

    [[nodiscard]] std::uint32_t begin(const Caller& caller, bool write);
    [[nodiscard]] std::int64_t window(bool write) const {
        return write ? rules_.write_window_bytes : rules_.read_window_bytes;
    }
    void ask_for(std::uint32_t call, const RunsView& runs);
    void ask_for_window(std::uint32_t call);
    void copy(std::uint32_t call, const RunsView& runs);
    [[nodiscard]] bool takes_turns(const Call& call) const { return call.write && rules_.inode_lock; }
    [[nodiscard]] Ticks thread_begins(const Caller& caller);
    void ask_in_turn(std::uint32_t call);
    [[nodiscard]] std::uint32_t add_part(std::uint32_t call, std::uint32_t server);
    void end_part(std::uint32_t part);
    void one_less(std::uint32_t call);
    void count_new_bytes(std::uint32_t call);
    void send(Word word, std::uint32_t part, bool to_server, std::int64_t payload);
    void send(Word word, std::uint32_t part, bool to_server, const FileWire::Packet& packet);
    [[nodiscard]] std::int64_t grain_of(const Caller& caller, std::uint32_t server, bool write) const;
    void send_data(std::uint32_t part);
    void data_arrives(std::uint32_t part);
    void write_packet(std::uint32_t part, std::int64_t bytes);
    void begin_reading(std::uint32_t part);
    void read_chunk(std::uint32_t part);
    void chunk_ready(std::uint32_t chunk);
    [[nodiscard]] bool locks() const { return rules_.lock_move_ticks > 0; }
    void ask_for_lock(std::uint32_t part);
    void acknowledge(std::uint32_t part);
    void move_lock(std::uint32_t lock) {
        host_.set_file_timer(host_.now() + rules_.lock_move_ticks, lock_mark | lock);
    }

    // The servers' calls.
    void write_taken(std::uint64_t cookie, std::int64_t bytes) override;
    void piece_read(std::uint64_t cookie) override { chunk_ready(static_cast<std::uint32_t>(cookie)); }
    void flushed(std::uint64_t cookie) override {
        send(Word::flushed, static_cast<std::uint32_t>(cookie), false, acknowledgement_bytes);
    }
    void record_part(std::uint32_t part, BarKind kind);

    FileRules rules_;
    std::uint32_t ranks_;
    FileHost& host_;
    FileWire wire_;
    MetadataService metadata_;
    ExtentLocks locks_;
    SizeUpdates sizes_;
    WriteTurns turns_;
    std::map<std::uint32_t, Thread> threads_;  // by rank
    std::vector<std::unique_ptr<StorageServer>> servers_;
    std::vector<Call> calls_;
    std::vector<Part> parts_;
    std::vector<Chunk> chunks_;
    std::vector<std::uint32_t> free_calls_, free_parts_, free_chunks_;
    std::vector<DiskEntry> log_;
    std::int64_t active_ = 0;
    Timeline* timeline_ = nullptr;
};

}  // namespace striate
