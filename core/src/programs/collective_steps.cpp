#include "striate/programs/collective_steps.hpp"

#include <numeric>

namespace striate {

namespace {

// Who it is, when it is always the same one.
std::int32_t joined(std::int32_t known, std::int64_t peer, std::int32_t nobody, std::int32_t several) {
    const auto one = static_cast<std::int32_t>(peer);
    return known == nobody || known == one ? one : several;
}

}  // namespace

void CollectiveSteps::start(std::uint32_t task, std::uint32_t rank, std::uint32_t row) {
    if (task >= steps_.size()) steps_.resize(task + std::size_t{1});
    steps_[task] = {.rank = rank, .row = row};
}

void CollectiveSteps::begin(std::uint32_t task, Ticks now, bool computes) {
    if (computes) {
        steps_[task].computes_since = now;
    } else {
        static_cast<void>(open(task, now));
    }
}

void CollectiveSteps::end_computing(std::uint32_t task, Ticks now) {
    Step& step = steps_[task];
    if (step.computes_since == no_time) return;
    timeline_.add(Bar{.start = step.computes_since,
                      .end = now,
                      .place = static_cast<std::int32_t>(step.row),
                      .rank = static_cast<std::int32_t>(step.rank),
                      .level = BarLevel::step,
                      .kind = BarKind::compute});
    step.computes_since = no_time;
}

CollectiveSteps::Step& CollectiveSteps::open(std::uint32_t task, Ticks now) {
    Step& step = steps_[task];
    if (step.began == no_time) step.began = now;
    return step;
}

void CollectiveSteps::exchange(std::uint32_t task, Ticks now, bool outward, std::int32_t peer,
                               std::int64_t bytes) {
    Step& step = open(task, now);
    if (!outward) {
        step.receives = true;
        return;
    }
    step.sends = true;
    step.sent += bytes;
    step.target = joined(step.target, peer, nobody, several);
}

void CollectiveSteps::receive(std::uint32_t task, std::int64_t source, std::int64_t bytes) {
    Step& step = steps_[task];
    step.received += bytes;
    step.source = joined(step.source, source, nobody, several);
}

void CollectiveSteps::access(std::uint32_t task, Ticks now, bool writes, const RunsView& runs) {
    Step& step = open(task, now);
    step.accesses = true;
    step.writes = writes;
    step.accessed = std::accumulate(runs.sizes.begin(), runs.sizes.end(), step.accessed);
    if (step.offset < 0 && !runs.offsets.empty()) step.offset = runs.offsets.front();
}

void CollectiveSteps::end(std::uint32_t task, Ticks now) {
    const Step step = steps_[task];
    start(task, step.rank, step.row);
    if (!step.sends && !step.receives && !step.accesses) return;
    Bar bar = bar_of(step);
    bar.end = now;
    timeline_.add(bar);
}

// Peers are positions in the communicator; -1 where there are several.
Bar CollectiveSteps::bar_of(const Step& step) {
    const auto known = [](std::int32_t peer) { return peer == several ? nobody : peer; };
    Bar bar{.start = step.began,
            .bytes = step.sends ? step.sent : step.received,
            .place = static_cast<std::int32_t>(step.row),
            .rank = static_cast<std::int32_t>(step.rank),
            .peer = known(step.sends ? step.target : step.source),
            .level = BarLevel::step,
            .kind = step.sends ? BarKind::send : BarKind::recv};
    if (step.accesses) {  // where rounds are pipelined, the exchange of the next one goes on beside it
        bar.kind = step.writes ? BarKind::write : BarKind::read;
        bar.bytes = step.accessed;
        bar.more = step.offset;
        bar.peer = nobody;
    } else if (step.sends && step.receives) {
        bar.kind = BarKind::sendrecv;
        bar.more = step.received;
        bar.other = known(step.source);
    }
    return bar;
}

}  // namespace striate
