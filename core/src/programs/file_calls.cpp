#include "striate/programs/file_calls.hpp"

#include <algorithm>

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr double most_walked = 1e9;  // passes and ranks

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27) * 0x94d049bb133111ebU;
    return value ^ value >> 31;
}

std::uint64_t weight_of(std::int64_t rank) { return mixed(static_cast<std::uint64_t>(rank)); }

bool names_a_file(Kind kind) { return kind >= Kind::open && kind <= Kind::write_all; }

bool accesses(Kind kind) { return kind >= Kind::read && kind <= Kind::write_all; }

}  // namespace

// One row, with the loops around it and the ranks that run it.
struct FileCalls::Walk {
    std::size_t row;
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> ranks;
    Pulse& pulse;
};

std::size_t FileCalls::Hash::operator()(const Key& key) const {
    const auto high = static_cast<std::uint64_t>(key.kind) << 56 ^
                      static_cast<std::uint64_t>(key.group) << 20 ^
                      static_cast<std::uint64_t>(key.communicator);
    return mixed(mixed(high) ^ static_cast<std::uint64_t>(key.file));
}

FileCalls::FileCalls(const Programs& programs, std::span<const GroupColumns> communicators, Pulse& pulse,
                     const ExtentColumns& extents)
    : programs_(programs), communicators_(communicators.begin(), communicators.end()), extents_(extents) {
    for (const GroupColumns& family : communicators_) {
        std::vector<std::uint64_t>& weights = group_weight_.emplace_back(family.first.size() - 1);
        for (std::size_t group = 0; group < weights.size(); ++group) {
            for (auto at = family.first[group]; at < family.first[group + 1]; ++at) {
                weights[group] += weight_of(family.member[index(at)]);
            }
        }
    }
    std::vector<std::vector<std::int64_t>> ranks(programs_.programs());
    for (std::size_t rank = 0; rank < programs_.ranks(); ++rank) {
        ranks[index(programs_.program_of_rank[rank])].push_back(static_cast<std::int64_t>(rank));
    }
    for (std::size_t program = 0; program < programs_.programs(); ++program) {
        std::vector<std::int64_t> counts;
        for (std::size_t row = programs_.first_row[program]; row < programs_.first_row[program + 1]; ++row) {
            const Kind kind = static_cast<Kind>(programs_.kind[row]);
            if (kind == Kind::loop) counts.push_back(programs_.constant[programs_.first_operand[row]]);
            if (kind == Kind::end) counts.pop_back();
            if (!names_a_file(kind)) continue;
            std::vector<std::int64_t> passes(counts.size());
            visit({row, counts, ranks[program], pulse}, passes, 0, 1);
        }
    }
}

// Loops that move the file are walked, the others multiply.
void FileCalls::visit(const Walk& walk, std::vector<std::int64_t>& passes, std::size_t depth,
                      std::int64_t times) {
    if (times == 0) return;
    if (depth == walk.counts.size()) return add(walk, passes, times);
    const auto steps = programs_.strides(programs_.first_operand[walk.row]);
    if (depth >= steps.size() || steps[depth] == 0) {
        return visit(walk, passes, depth + 1, times * walk.counts[depth]);
    }
    for (passes[depth] = 0; passes[depth] < walk.counts[depth]; ++passes[depth]) {
        visit(walk, passes, depth + 1, times);
    }
    passes[depth] = 0;
}

void FileCalls::add(const Walk& walk, std::span<const std::int64_t> passes, std::int64_t times) {
    walked_ += static_cast<double>(walk.ranks.size());
    if (walked_ > most_walked) throw Refusal(Reason::too_many_file_passes);
    if (accesses(static_cast<Kind>(programs_.kind[walk.row]))) return add_access(walk, passes);
    const std::size_t operand = programs_.first_operand[walk.row];
    const bool opens = static_cast<Kind>(programs_.kind[walk.row]) == Kind::open;
    for (const std::int64_t rank : walk.ranks) {
        walk.pulse.beat();
        const bool creates = opens && programs_.at(operand + 1, rank, passes) != 0;
        add_rank(walk, rank, programs_.at(operand, rank, passes), times, creates);
    }
}

void FileCalls::add_rank(const Walk& walk, std::int64_t rank, std::int64_t file, std::int64_t times,
                         bool creates) {
    const std::int32_t communicator = programs_.communicator[walk.row];
    const std::int64_t group = communicators_[index(communicator)].group[index(rank)];
    Sum& sum = sums_[{static_cast<Kind>(programs_.kind[walk.row]), communicator, group, file}];
    sum.calls += times;
    sum.creates += creates ? times : 0;
    sum.weight += weight_of(rank) * static_cast<std::uint64_t>(times);
}

void FileCalls::add_access(const Walk& walk, std::span<const std::int64_t> passes) {
    const Kind kind = static_cast<Kind>(programs_.kind[walk.row]);
    const bool write = kind == Kind::write || kind == Kind::write_all;
    for (const std::int64_t rank : walk.ranks) {
        walk.pulse.beat();
        std::int64_t& end = read_to_[programs_.at(programs_.first_operand[walk.row], rank, passes)];
        if (write) {
            end = -1;
        } else if (end >= 0) {
            end = std::max(end, last_end(walk, rank));
        }
    }
}

// One past the last byte that the rank asks for in any pass: every operand at its largest.
std::int64_t FileCalls::last_end(const Walk& walk, std::int64_t rank) const {
    const auto largest = [&](std::size_t position) {
        const std::size_t operand = programs_.first_operand[walk.row] + position;
        std::int64_t value = programs_.base(operand, rank);
        const auto steps = programs_.strides(operand);
        for (std::size_t depth = 0; depth < steps.size(); ++depth) {
            value += std::max<std::int64_t>(0, steps[depth] * (walk.counts[depth] - 1));
        }
        return value;
    };
    if (const std::int64_t list = programs_.base(programs_.first_operand[walk.row] + 5, rank); list >= 0) {
        std::int64_t end = 0;
        for (auto run = extents_.first[index(list)]; run < extents_.first[index(list) + 1]; ++run) {
            end = std::max(end, extents_.offset[index(run)] + extents_.length[index(run)]);
        }
        return largest(1) + end;
    }
    return largest(1) + largest(2) + std::max<std::int64_t>(0, largest(4) * (largest(3) - 1));
}

std::vector<std::pair<std::int64_t, std::int64_t>> FileCalls::read_only() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> files;
    for (const auto& [file, end] : read_to_) {
        if (end > 0) files.emplace_back(file, end);
    }
    return files;
}

bool FileCalls::together(const Key& key, const Sum& sum) const {
    if (key.kind == Kind::stat || key.kind == Kind::erase || key.group < 0) return false;
    const GroupColumns& family = communicators_[index(key.communicator)];
    const std::int64_t members = family.first[index(key.group) + 1] - family.first[index(key.group)];
    const auto each = static_cast<std::uint64_t>(sum.calls / members);
    return sum.calls % members == 0 &&
           sum.weight == each * group_weight_[index(key.communicator)][index(key.group)];
}

bool FileCalls::together(Kind kind, std::int32_t communicator, std::int64_t group, std::int64_t file) const {
    const Key key{kind, communicator, group, file};
    const auto found = sums_.find(key);
    return found != sums_.end() && together(key, found->second);
}

std::vector<FileCalls::Heard> FileCalls::heard() const {
    std::vector<Heard> calls;
    for (const auto& [key, sum] : sums_) {
        std::int64_t members = 1;
        if (together(key, sum)) {
            const auto& first = communicators_[index(key.communicator)].first;
            members = first[index(key.group) + 1] - first[index(key.group)];
        }
        if (key.kind != Kind::sync)
            calls.push_back({key.kind, key.file, sum.calls / members, sum.creates / members});
    }
    return calls;
}

}  // namespace striate
