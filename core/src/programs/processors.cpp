#include "striate/programs/processors.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "striate/events/clock_sums.hpp"
#include "striate/refusal.hpp"

namespace striate {

Processors::Processors(std::span<const std::int32_t> cpus_per_node, Rounding rounding) : rounding_(rounding) {
    nodes_.reserve(cpus_per_node.size());
    for (const std::int32_t cpus : cpus_per_node) {
        if (cpus < 1) throw Refusal(Reason::no_cpu);
        nodes_.push_back({.cpus = cpus, .jobs = {}});
    }
}

void Processors::catch_up(Node& node, Ticks now) {
    const auto jobs = static_cast<std::int64_t>(node.jobs.size());
    const Ticks elapsed = now - node.since;
    node.since = now;
    if (jobs == 0) return;
    node.busy = after(node.busy, times(std::min(jobs, node.cpus), elapsed));
    // Rounded down: a shared clock loses less than a tick whenever a job starts or ends.
    node.work +=
        jobs <= node.cpus ? elapsed : static_cast<Ticks>(static_cast<__int128>(elapsed) * node.cpus / jobs);
}

Processors::Alarm Processors::plan(Node& node, Ticks now) const {
    node.generation = (node.generation + 1) % generations;
    if (node.jobs.empty()) return {};
    const auto jobs = static_cast<std::int64_t>(node.jobs.size());
    Ticks left = node.jobs.front().end - node.work;  // below 0: it has ended, and is not noticed yet
    if (rounding_ != Rounding::nearest_picosecond) left = std::max<Ticks>(left, 0);
    Ticks wait = left;
    if (jobs > node.cpus) {
        const __int128 shared =
            (static_cast<__int128>(std::max<Ticks>(left, 0)) * jobs + node.cpus - 1) / node.cpus;
        if (shared > last_tick) refuse_long_run();
        wait = static_cast<Ticks>(shared);
    }
    wait = std::max<Ticks>(after(wait, node.jobs.front().notice), 0);
    if (rounding_ == Rounding::truncated_nanoseconds) wait -= wait % 1000;
    return {after(now, wait), node.generation};
}

Processors::Alarm Processors::start(std::uint32_t index, Ticks now, Ticks work, std::uint64_t cookie,
                                    Ticks notice) {
    if (work < 0) throw std::invalid_argument("a job of negative work");
    Node& node = nodes_[index];
    catch_up(node, now);
    node.jobs.push_back({after(node.work, work), cookie, notice});
    std::push_heap(node.jobs.begin(), node.jobs.end(), std::greater<>());
    // While CPUs are free a new job changes nobody's pace; only an earlier end needs a new alarm.
    const bool same_pace = static_cast<std::int64_t>(node.jobs.size()) <= node.cpus;
    if (same_pace && node.jobs.front().cookie != cookie) return {};
    return plan(node, now);
}

Processors::Alarm Processors::finish(std::uint32_t index, Ticks now, std::uint32_t generation,
                                     std::vector<std::uint64_t>& over) {
    Node& node = nodes_[index];
    if (generation != node.generation) return {};
    catch_up(node, now);
    // On CPUs of their own jobs keep their pace, and each is noticed in its own time, not with another.
    const bool apart =
        static_cast<std::int64_t>(node.jobs.size()) <= node.cpus && rounding_ == Rounding::nearest_picosecond;
    const auto is_over = [&node, apart](const Job& job) {
        return job.end + (apart ? job.notice : 0) <= node.work;
    };
    while (!node.jobs.empty() && is_over(node.jobs.front())) {
        over.push_back(node.jobs.front().cookie);
        std::pop_heap(node.jobs.begin(), node.jobs.end(), std::greater<>());
        node.jobs.pop_back();
    }
    return plan(node, now);
}

}  // namespace striate
