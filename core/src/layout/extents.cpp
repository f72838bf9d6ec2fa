#include "striate/layout/extents.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace striate {

namespace {

struct Run {
    std::int64_t offset;
    std::int64_t size;
};

constexpr int digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

std::size_t digit_of(std::int64_t offset, int shift) {
    return static_cast<std::size_t>(offset >> shift) & (digit_values - 1);
}

// One stable pass by one digit, from `source` to `target`.
void scatter(std::span<const Run> source, std::span<Run> target, int shift) {
    std::array<std::size_t, digit_values> place{};
    for (const Run& run : source) ++place[digit_of(run.offset, shift)];
    std::size_t start = 0;
    for (std::size_t& count : place) start += std::exchange(count, start);
    for (const Run& run : source) target[place[digit_of(run.offset, shift)]++] = run;
}

// Two buffers of runs that are not cleared before they are filled.
class Buffers {
  public:
    explicit Buffers(std::size_t count) : count_(count), front_(new Run[count]), back_(new Run[count]) {}

    [[nodiscard]] std::span<Run> front() { return {front_.get(), count_}; }
    [[nodiscard]] std::span<Run> back() { return {back_.get(), count_}; }
    void swap() { front_.swap(back_); }

  private:
    std::size_t count_;
    std::unique_ptr<Run[]> front_;
    std::unique_ptr<Run[]> back_;
};

// Calls visit(offset, size) for every run by offset: a stable radix sort, least digit first, skipped when the
// runs are in order already; digits that no two offsets differ in are skipped too.
template <class Visit>
void visit_in_order(const RunsView& runs, Visit visit) {
    const std::size_t count = runs.offsets.size();
    if (std::is_sorted(runs.offsets.begin(), runs.offsets.end())) {
        for (std::size_t run = 0; run < count; ++run) visit(runs.offsets[run], runs.sizes[run]);
        return;
    }
    Buffers buffers(count);
    std::int64_t differing = 0;
    for (std::size_t run = 0; run < count; ++run) {
        buffers.front()[run] = {runs.offsets[run], runs.sizes[run]};
        differing |= runs.offsets[run] ^ runs.offsets[0];
    }
    for (int shift = 0; shift < 63; shift += digit_bits) {
        if (digit_of(differing, shift) == 0) continue;
        scatter(buffers.front(), buffers.back(), shift);
        buffers.swap();
    }
    for (const Run& run : buffers.front()) visit(run.offset, run.size);
}

void append(Runs& runs, std::int64_t offset, std::int64_t size) {
    runs.offsets.push_back(offset);
    runs.sizes.push_back(size);
}

std::int64_t end_of(const RunsView& runs, std::size_t run) { return runs.offsets[run] + runs.sizes[run]; }

}  // namespace

Runs sorted(const RunsView& runs) {
    Runs result;
    result.offsets.reserve(runs.offsets.size());
    result.sizes.reserve(runs.offsets.size());
    visit_in_order(runs, [&](std::int64_t offset, std::int64_t size) { append(result, offset, size); });
    return result;
}

Runs merged(const RunsView& runs) {
    Runs result;
    std::int64_t start = 0;
    std::int64_t end = 0;  // the run being grown, empty at first
    visit_in_order(runs, [&](std::int64_t offset, std::int64_t size) {
        if (size == 0) return;
        if (offset > end || end == start) {
            if (end > start) append(result, start, end - start);
            start = offset;
            end = offset;
        }
        end = std::max(end, offset + size);
    });
    if (end > start) append(result, start, end - start);
    return result;
}

Runs difference(const RunsView& first, const RunsView& second) {
    Runs result;
    std::size_t hole = 0;
    for (std::size_t run = 0; run < first.offsets.size(); ++run) {
        std::int64_t start = first.offsets[run];
        const std::int64_t end = end_of(first, run);
        while (hole < second.offsets.size() && end_of(second, hole) <= start) ++hole;
        for (std::size_t next = hole; next < second.offsets.size() && second.offsets[next] < end; ++next) {
            if (second.offsets[next] > start) append(result, start, second.offsets[next] - start);
            start = end_of(second, next);
            hole = next;  // it may reach into the next run
        }
        if (start < end) append(result, start, end - start);
    }
    return result;
}

}  // namespace striate
