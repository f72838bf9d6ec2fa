#include "striate/storage/storage_server.hpp"

#include "striate/events/clock_sums.hpp"
#include "striate/refusal.hpp"

#include <algorithm>
#include <utility>

namespace striate {

StorageServer::StorageServer(const ServerRules& rules, std::uint32_t number, FileHost& host,
                             StorageListener& listener)
    : rules_(rules),
      number_(number),
      host_(host),
      listener_(listener),
      queue_(rules.queue),
      device_(rules.device),
      cache_(rules.read_cache) {
    if (!rules.burst) return;
    burst_.emplace(rules.burst->rules);
    burst_device_.emplace(rules.burst->device);
}

bool StorageServer::may_stop() const {
    return burst_ || holds_nothing(rules_.queue.policy) || rules_.queue.memory_bytes > 0;
}

bool StorageServer::acknowledges_at_once() const { return !burst_ && !holds_nothing(rules_.queue.policy); }

void StorageServer::reach(std::int64_t file, std::int64_t end) {
    std::int64_t& known = known_end_[file];
    known = std::max(known, end);
}

void StorageServer::write(const Job& job) {
    cache_.fill(job.access.file, job.access.offset, job.access.bytes, known_end_[job.access.file]);
    if (burst_) {
        burst_->add(job.access);
        totals_.burst_written += job.access.bytes;
        totals_.most_dirty_bytes = std::max(totals_.most_dirty_bytes, burst_->dirty_bytes());
        run_burst(job);
        drain();
    } else if (rules_.dirty_bytes > 0 && !flushes(job.writer)) {
        dirty_[job.writer].push_back(job);
        dirty_waiting_ += job.access.bytes;
        totals_.most_dirty_bytes = std::max(totals_.most_dirty_bytes, waiting_bytes());
        if (dirty_waiting_ >= dirty_limit()) write_back(everybody);
    } else {
        if (rules_.flush_by_writer) ++unwritten_jobs_[job.writer];
        queue_.add(job, host_.now());
        totals_.most_dirty_bytes = std::max(totals_.most_dirty_bytes, waiting_bytes());
    }
    pump();
}

// A server whose memory would be full writes back before it is.
std::int64_t StorageServer::dirty_limit() const {
    const std::int64_t memory = rules_.queue.memory_bytes;
    return memory > 0 ? std::min(rules_.dirty_bytes, (memory + 1) / 2) : rules_.dirty_bytes;
}

bool StorageServer::flushes(std::uint32_t writer) const {
    return std::any_of(flushes_.begin(), flushes_.end(), [&](const Flush& flush) {
        return flush.writer == everybody || flush.writer == static_cast<std::int64_t>(writer);
    });
}

void StorageServer::write_back(std::int64_t writer) {
    for (auto& [whose, jobs] : dirty_) {
        if (writer != everybody && writer != static_cast<std::int64_t>(whose)) continue;
        if (rules_.flush_by_writer) unwritten_jobs_[whose] += std::ssize(jobs);
        for (const Job& job : std::exchange(jobs, {})) {
            dirty_waiting_ -= job.access.bytes;
            queue_.add(job, host_.now());
        }
    }
}

std::uint32_t StorageServer::read(const Job& job) {
    const std::int64_t file = job.access.file;
    std::vector<FileRange> missing{{job.access.offset, job.access.bytes}};
    if (rules_.read_cache.capacity_bytes > 0) {
        missing = cache_.read(file, job.access.offset, job.access.bytes, known_end_[file]).missing;
    }
    std::uint32_t pieces = 0;
    for (const FileRange& range : missing) {
        const auto parts = burst_ ? burst_->find(file, range.offset, range.bytes)
                                  : std::vector<BurstBuffer::Found>{{range, false}};
        for (const auto& [part, buffered] : parts) {
            ++pieces;
            const Job piece{{file, part.offset, part.bytes, false}, job.cookie, job.writer};
            if (!buffered) {
                queue_.add(piece, host_.now());
                continue;
            }
            totals_.burst_read += part.bytes;
            run_burst(piece);
        }
        pump();
    }
    return pieces;
}

void StorageServer::flush(std::uint64_t cookie, std::int64_t writer) {
    if (writer != everybody && !rules_.flush_by_writer)
        throw std::logic_error("a flush of one rank's bytes at a server that does not tell them apart");
    flushes_.push_back({cookie, writer});
    write_back(writer);
    drain();
    pump();
    answer_flushes();
}

// What waits for a flush goes with its file; what the disks have been given is written all the same.
void StorageServer::erase(std::int64_t file) {
    device_.erase(file);
    known_end_.erase(file);
    if (dirty_waiting_ == 0) return;
    for (auto& [whose, jobs] : dirty_) {
        std::erase_if(jobs, [&](const Job& job) {
            if (job.access.file != file) return false;
            dirty_waiting_ -= job.access.bytes;
            return true;
        });
    }
    note_queue();
}

// While someone waits for a flush the burst buffer keeps nothing to itself.
void StorageServer::drain() {
    if (!burst_) return;
    for (const Drain& bytes : burst_->drain(!flushes_.empty())) {
        std::uint32_t place = static_cast<std::uint32_t>(drains_.size());
        if (free_drains_.empty()) {
            drains_.push_back(bytes);
        } else {
            place = free_drains_.back();
            free_drains_.pop_back();
            drains_[place] = bytes;
        }
        queue_.add({bytes.write, place}, host_.now());
    }
}

// Gives the disks what they can take.
void StorageServer::pump() {
    while (queue_.ready()) {
        Operation operation = queue_.take(host_.now());
        const Ticks over = finish_on_disks(operation.access);
        if (on_disks_++ == 0) busy_since_ = host_.now();
        if (operation.access.write && rules_.queue.policy == CachePolicy::direct_early && !burst_) {
            for (const Job& job : operation.parts) listener_.write_taken(job.cookie, job.access.bytes);
        }
        if (log_ != nullptr) {
            for (const Job& job : operation.parts) log_->push_back({number_, job.access, host_.now(), over});
        }
        run(Where::disks, std::move(operation), over);
    }
    note_queue();
    host_.set_receiving(number_, receives());
}

void StorageServer::run_burst(const Job& job) {
    const DiskLog log{timeline_, static_cast<std::int32_t>(number_), DiskLog::burst_disk};
    const Ticks over = finish_time(rules_.burst->device, *burst_device_, host_.now(), job.access, log);
    if (on_burst_++ == 0) burst_since_ = host_.now();
    run(Where::burst, {job.access, {job}}, over);
}

Ticks StorageServer::finish_on_disks(const Access& access) {
    try {
        return finish_time(rules_.device, device_, host_.now(), access,
                           {timeline_, static_cast<std::int32_t>(number_)});
    } catch (Refusal& full) {
        full.numbers.server = number_;
        throw;
    }
}

void StorageServer::note_queue() {
    totals_.queue_seconds +=
        static_cast<double>(queue_length_) * static_cast<double>(host_.now() - queue_since_) / 1e12;
    queue_since_ = host_.now();
    queue_length_ = queue_.waiting();
    totals_.longest_queue = std::max(totals_.longest_queue, queue_length_);
    if (timeline_ == nullptr) return;
    timeline_->occupy(number_, host_.now(),
                      {burst_ ? burst_->dirty_bytes() : waiting_bytes(),
                       cache_.pages() * rules_.read_cache.page_bytes, queue_length_});
}

bool StorageServer::receives() const {
    return burst_ ? burst_->accepts(rules_.packet_bytes) : queue_.receives();
}

void StorageServer::run(Where where, Operation operation, Ticks over) {
    std::uint32_t slot = static_cast<std::uint32_t>(running_.size());
    if (free_.empty()) {
        running_.push_back({where, std::move(operation)});
    } else {
        slot = free_.back();
        free_.pop_back();
        running_[slot] = {where, std::move(operation)};
    }
    host_.set_file_timer(over, static_cast<std::uint64_t>(number_) << 32 | slot);
}

void StorageServer::on_timer(std::uint32_t slot) {
    const Running over = std::move(running_[slot]);
    free_.push_back(slot);
    if (over.where == Where::journal) return listener_.flushed(over.operation.parts.front().cookie);
    if (over.where == Where::disks) {
        operation_over(over.operation);
    } else {
        burst_over(over.operation.parts.front());
    }
    pump();
    answer_flushes();
}

void StorageServer::operation_over(const Operation& operation) {
    if (--on_disks_ == 0) totals_.busy += host_.now() - busy_since_;
    queue_.finish(operation);
    for (const Job& job : operation.parts) {
        if (!job.access.write) {
            cache_.fill(job.access.file, job.access.offset, job.access.bytes, known_end_[job.access.file]);
            listener_.piece_read(job.cookie);
        } else if (!burst_) {
            if (rules_.flush_by_writer) --unwritten_jobs_[job.writer];
            if (rules_.queue.policy == CachePolicy::direct) {
                listener_.write_taken(job.cookie, job.access.bytes);
            }
        } else {
            burst_->drained(drains_[job.cookie]);
            free_drains_.push_back(static_cast<std::uint32_t>(job.cookie));
        }
    }
    drain();
}

void StorageServer::burst_over(const Job& job) {
    if (--on_burst_ == 0) totals_.burst_busy += host_.now() - burst_since_;
    if (job.access.write) return listener_.write_taken(job.cookie, job.access.bytes);
    listener_.piece_read(job.cookie);
}

bool StorageServer::drained(std::int64_t writer) const {
    if (writer == everybody || burst_) return queue_.idle() && (!burst_ || burst_->empty());
    const auto left = unwritten_jobs_.find(static_cast<std::uint32_t>(writer));
    return left == unwritten_jobs_.end() || left->second == 0;
}

void StorageServer::answer_flushes() {
    const auto over = std::stable_partition(flushes_.begin(), flushes_.end(),
                                            [&](const Flush& flush) { return !drained(flush.writer); });
    const std::vector<Flush> answered(over, flushes_.end());
    flushes_.erase(over, flushes_.end());
    for (const Flush& flush : answered) {
        if (rules_.sync_ticks == 0) {
            listener_.flushed(flush.cookie);
        } else {
            run(Where::journal, {{}, {{{}, flush.cookie}}}, after(host_.now(), rules_.sync_ticks));
        }
    }
}

}  // namespace striate
