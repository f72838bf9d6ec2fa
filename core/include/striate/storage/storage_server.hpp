// An I/O server: the queue before its disks, its read cache, its burst buffer, and what they did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "striate/storage/burst_buffer.hpp"
#include "striate/storage/device.hpp"
#include "striate/storage/file_host.hpp"
#include "striate/storage/read_cache.hpp"
#include "striate/storage/server_queue.hpp"

namespace striate {

struct BurstDevice {
    BurstRules rules;
    Device device;
};

struct ServerRules {
    QueueRules queue;
    Device device;
    CacheRules read_cache;
    std::optional<BurstDevice> burst;
    // Written bytes wait in memory until a flush, or until so many are held; 0: they go to the disks at once.
    std::int64_t dirty_bytes = 0;
    Ticks sync_ticks = 0;                   // of a flush beside its data: the journal of a file system
    bool flush_by_writer = true;            // a flush may ask for one rank's bytes alone
    std::int64_t packet_bytes = 100 << 10;  // what a burst buffer must have room for to receive
};

// Whom a server tells what became of its jobs.
class StorageListener {
  public:
    virtual ~StorageListener() = default;
    // So many bytes of a write are on the burst buffer's device, or, without a cache, on the disks.
    virtual void write_taken(std::uint64_t cookie, std::int64_t bytes) = 0;
    virtual void piece_read(std::uint64_t cookie) = 0;
    // Nothing is left to be written.
    virtual void flushed(std::uint64_t cookie) = 0;
};

// One job as the disks served it.
struct DiskEntry {
    std::uint32_t server;
    Access access;
    Ticks start, end;  // of the operation it was part of
};

// What a server did.
struct StorageTotals {
    Ticks busy = 0;  // with at least one operation on its disks
    std::int64_t longest_queue = 0;
    double queue_seconds = 0;           // length of the queue, summed over time
    std::int64_t most_dirty_bytes = 0;  // written, and not yet on the disks
    std::int64_t burst_written = 0, burst_read = 0;
    Ticks burst_busy = 0;  // with at least one operation on the burst buffer's device
};

class StorageServer {
  public:
    StorageServer(const ServerRules& rules, std::uint32_t number, FileHost& host, StorageListener& listener);

    // The file has at least so many bytes here.
    void reach(std::int64_t file, std::int64_t end);
    void write(const Job& job);
    // Tells `piece_read` as often as this says, now or later; never when all of it is in memory.
    [[nodiscard]] std::uint32_t read(const Job& job);
    // Writes back what one rank, or everybody, has written.
    void flush(std::uint64_t cookie, std::int64_t writer = everybody);
    static constexpr std::int64_t everybody = -1;
    void erase(std::int64_t file);
    void on_timer(std::uint32_t slot);

    [[nodiscard]] bool may_stop() const;
    // A write counts as done when its bytes have come, not when they are taken.
    [[nodiscard]] bool acknowledges_at_once() const;
    // What comes is put in order before it goes to the disks, so that it does not matter who came first.
    [[nodiscard]] bool sorts() const {
        return !burst_ && rules_.queue.scheduler == nullptr &&
               rules_.queue.policy >= CachePolicy::aggregation_reorder;
    }
    [[nodiscard]] std::int64_t largest_bytes() const { return rules_.queue.largest_bytes; }
    // What the queue before the disks holds at most; 0: no end.
    [[nodiscard]] std::int64_t memory_bytes() const { return rules_.queue.memory_bytes; }

    [[nodiscard]] const DeviceState& device() const { return device_; }
    [[nodiscard]] const ReadCache& cache() const { return cache_; }
    [[nodiscard]] const StorageTotals& totals() const { return totals_; }
    // Log what the disks do from now on.
    void log_to(std::vector<DiskEntry>& log) { log_ = &log; }
    void record(Timeline* timeline) { timeline_ = timeline; }

  private:
    enum class Where : std::uint8_t { disks, burst, journal };
    struct Running {
        Where where = Where::disks;
        Operation operation;
    };

    void run(Where where, Operation operation, Ticks over);
    void pump();
    void drain();
    void note_queue();
    void operation_over(const Operation& operation);
    void run_burst(const Job& job);
    void burst_over(const Job& job);
    void answer_flushes();
    void write_back(std::int64_t writer);
    [[nodiscard]] bool flushes(std::uint32_t writer) const;
    [[nodiscard]] std::int64_t waiting_bytes() const { return queue_.dirty_bytes() + dirty_waiting_; }
    [[nodiscard]] std::int64_t dirty_limit() const;
    [[nodiscard]] bool receives() const;
    [[nodiscard]] bool drained(std::int64_t writer) const;
    [[nodiscard]] Ticks finish_on_disks(const Access& access);

    ServerRules rules_;
    std::uint32_t number_;
    FileHost& host_;
    StorageListener& listener_;
    ServerQueue queue_;
    DeviceState device_;
    ReadCache cache_;
    std::optional<BurstBuffer> burst_;
    std::optional<DeviceState> burst_device_;
    std::vector<Running> running_;
    std::vector<std::uint32_t> free_;
    std::vector<Drain> drains_;  // by the cookie of their job
    std::vector<std::uint32_t> free_drains_;
    struct Flush {
        std::uint64_t cookie;
        std::int64_t writer;
    };
    std::vector<Flush> flushes_;                       // wait until nothing of theirs is left
    std::map<std::uint32_t, std::vector<Job>> dirty_;  // by writer: written, and not for the disks yet
    std::unordered_map<std::uint32_t, std::int64_t> unwritten_jobs_;  // by writer: of the disks, now or later
    std::int64_t dirty_waiting_ = 0;
    std::unordered_map<std::int64_t, std::int64_t> known_end_;  // of each file on this server
    StorageTotals totals_;
    std::int64_t on_disks_ = 0;  // operations
    std::int64_t on_burst_ = 0;  // operations
    Ticks busy_since_ = 0, burst_since_ = 0, queue_since_ = 0;
    std::int64_t queue_length_ = 0;
    std::vector<DiskEntry>* log_ = nullptr;
    Timeline* timeline_ = nullptr;
};

}  // namespace striate
