#include "striate/storage/two_phase.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "striate/layout/extents.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

struct Piece {
    std::int64_t round, aggregator, rank;
    std::int64_t offset, size;
    [[nodiscard]] auto key() const { return std::tie(round, aggregator, rank); }
};

void expect_columns(const CollectiveAccess& access) {
    const auto runs = static_cast<std::int64_t>(access.offset.size());
    bool fits = !access.first_run.empty() && access.size.size() == access.offset.size() &&
                access.first_run.front() == 0 && access.first_run.back() == runs &&
                std::is_sorted(access.first_run.begin(), access.first_run.end());
    for (std::size_t run = 0; fits && run < access.offset.size(); ++run) {
        fits = access.offset[run] >= 0 && access.size[run] >= 0 &&
               access.size[run] <= largest - access.offset[run];
    }
    if (!fits) throw std::invalid_argument("runs of ranks that do not fit together");
}

void expect_rules(const TwoPhaseRules& rules, std::int64_t ranks) {
    if (rules.aggregators.empty()) throw Refusal(Reason::no_aggregator);
    if (rules.buffer_bytes < 1 || rules.align_bytes < 1) {
        throw Refusal(Reason::empty_buffer);
    }
    std::vector<std::int64_t> sorted(rules.aggregators.begin(), rules.aggregators.end());
    std::sort(sorted.begin(), sorted.end());
    const bool once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (!once || sorted.front() < 0 || sorted.back() >= ranks) {
        throw Refusal(Reason::unknown_aggregator);
    }
}

struct Bounds {
    std::int64_t low = largest, high = 0;
};

Bounds bounds_of(const CollectiveAccess& access) {
    Bounds bounds;
    for (std::size_t run = 0; run < access.offset.size(); ++run) {
        if (access.size[run] == 0) continue;
        bounds.low = std::min(bounds.low, access.offset[run]);
        bounds.high = std::max(bounds.high, access.offset[run] + access.size[run]);
    }
    return bounds;
}

// Unit u of the file belongs to aggregator u mod n; its units one after the other are cut into buffers.
class CyclicDomains {
  public:
    CyclicDomains(const Bounds& bounds, const TwoPhaseRules& rules)
        : unit_(rules.align_bytes),
          count_(static_cast<std::int64_t>(rules.aggregators.size())),
          first_turn_(bounds.low / unit_ / count_),
          buffer_(rules.buffer_bytes) {
        const std::int64_t low = bounds.low / unit_, high = (bounds.high - 1) / unit_;
        for (std::int64_t domain = 0; domain < count_; ++domain) {
            const std::int64_t ahead = (domain - low % count_ + count_) % count_;
            const std::int64_t past = (high % count_ - domain + count_) % count_;
            const bool empty = ahead > high - low;
            begin.push_back(empty ? bounds.high : std::max(bounds.low, (low + ahead) * unit_));
            const std::int64_t last = high - past;
            end.push_back(empty                                ? bounds.high
                          : bounds.high - last * unit_ > unit_ ? (last + 1) * unit_
                                                               : bounds.high);
        }
    }

    // Cuts a run where the unit or the round changes.
    void split(std::int64_t rank, std::int64_t offset, std::int64_t size, std::vector<Piece>& pieces) const {
        const std::int64_t past = offset + size;
        while (offset < past) {
            const std::int64_t number = offset / unit_, inside = offset % unit_;
            const std::int64_t own = (number / count_ - first_turn_) * unit_ + inside;
            const std::int64_t room = std::min(unit_ - inside, buffer_ - own % buffer_);
            const std::int64_t bytes = std::min(room, past - offset);
            pieces.push_back({own / buffer_, number % count_, rank, offset, bytes});
            offset += bytes;
        }
    }

    std::vector<std::int64_t> begin, end;

  private:
    std::int64_t unit_, count_, first_turn_, buffer_;
};

// Equal widths, a whole number of alignments each, over all that is asked for.
class ContiguousDomains {
  public:
    ContiguousDomains(const Bounds& bounds, const TwoPhaseRules& rules)
        : base_(bounds.low - bounds.low % rules.align_bytes), buffer_(rules.buffer_bytes) {
        const auto aggregators = static_cast<std::int64_t>(rules.aggregators.size());
        const std::int64_t units = (bounds.high - base_ - 1) / rules.align_bytes + 1;
        const std::int64_t units_each = (units - 1) / aggregators + 1;
        if (__builtin_mul_overflow(units_each, rules.align_bytes, &width_)) width_ = largest;
        for (std::int64_t domain = 0; domain < aggregators; ++domain) {
            begin.push_back(std::clamp(start(domain), bounds.low, bounds.high));
            end.push_back(std::clamp(start(domain + 1), bounds.low, bounds.high));
        }
    }

    // Cuts a run where the domain or the round changes.
    void split(std::int64_t rank, std::int64_t offset, std::int64_t size, std::vector<Piece>& pieces) const {
        const std::int64_t past = offset + size;
        while (offset < past) {
            const std::int64_t domain = (offset - base_) / width_;
            const std::int64_t from = begin[index(domain)];
            const std::int64_t round = (offset - from) / buffer_;
            const std::int64_t room = buffer_ - (offset - from) % buffer_;
            const std::int64_t stop =
                std::min({past, end[index(domain)], offset + std::min(room, past - offset)});
            pieces.push_back({round, domain, rank, offset, stop - offset});
            offset = stop;
        }
    }

    std::vector<std::int64_t> begin, end;

  private:
    [[nodiscard]] std::int64_t start(std::int64_t domain) const {
        std::int64_t product = 0;
        std::int64_t sum = 0;
        const bool beyond =
            __builtin_mul_overflow(domain, width_, &product) || __builtin_add_overflow(base_, product, &sum);
        return beyond ? largest : sum;
    }

    std::int64_t base_, buffer_;
    std::int64_t width_ = 0;
};

// Domains as somebody else has cut them, in order of offset.
class ChosenDomains {
  public:
    explicit ChosenDomains(std::span<const FilePiece> pieces) : pieces_(pieces) {}

    void split(std::int64_t rank, std::int64_t offset, std::int64_t size, std::vector<Piece>& pieces) const {
        const std::int64_t past = offset + size;
        auto next = std::upper_bound(
            pieces_.begin(), pieces_.end(), offset,
            [](std::int64_t byte, const FilePiece& piece) { return byte < piece.offset + piece.bytes; });
        for (; offset < past; ++next) {
            if (next == pieces_.end() || next->offset > offset) {
                throw std::invalid_argument("pieces that do not hold every byte asked for");
            }
            const std::int64_t stop = std::min(past, next->offset + next->bytes);
            pieces.push_back({next->round, next->member, rank, offset, stop - offset});
            offset = stop;
        }
    }

    std::vector<std::int64_t> begin, end;  // they have no bounds of their own

  private:
    std::span<const FilePiece> pieces_;
};

template <class Domains>
std::vector<Piece> all_pieces(const CollectiveAccess& access, const Domains& domains) {
    std::vector<Piece> pieces;
    for (std::size_t rank = 0; rank + 1 < access.first_run.size(); ++rank) {
        const std::size_t first = index(access.first_run[rank]);
        const std::size_t count = index(access.first_run[rank + 1]) - first;
        const Runs own = merged({access.offset.subspan(first, count), access.size.subspan(first, count)});
        for (std::size_t run = 0; run < own.offsets.size(); ++run) {
            domains.split(static_cast<std::int64_t>(rank), own.offsets[run], own.sizes[run], pieces);
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& left, const Piece& right) { return left.key() < right.key(); });
    return pieces;
}

void add_move(TwoPhasePlan& plan, std::span<const Piece> pieces) {
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces) {
        plan.piece_offset.push_back(piece.offset);
        plan.piece_size.push_back(piece.size);
        bytes += piece.size;
    }
    plan.move_round.push_back(pieces.front().round);
    plan.move_rank.push_back(pieces.front().rank);
    plan.move_aggregator.push_back(pieces.front().aggregator);
    plan.move_bytes.push_back(bytes);
    plan.first_piece.push_back(static_cast<std::int64_t>(plan.piece_offset.size()));
}

void add_access(TwoPhasePlan& plan, std::span<const Piece> pieces) {
    std::vector<std::int64_t> offsets, sizes;
    for (const Piece& piece : pieces) {
        offsets.push_back(piece.offset);
        sizes.push_back(piece.size);
    }
    const Runs runs = merged({offsets, sizes});
    plan.access_round.push_back(pieces.front().round);
    plan.access_aggregator.push_back(pieces.front().aggregator);
    plan.access_bytes.push_back(std::accumulate(runs.sizes.begin(), runs.sizes.end(), std::int64_t{0}));
    plan.access_offset.insert(plan.access_offset.end(), runs.offsets.begin(), runs.offsets.end());
    plan.access_size.insert(plan.access_size.end(), runs.sizes.begin(), runs.sizes.end());
    plan.first_access_run.push_back(static_cast<std::int64_t>(plan.access_offset.size()));
}

// Calls `visit` for every longest range of pieces that `same` joins.
template <class Same, class Visit>
void for_groups(std::span<const Piece> pieces, const Same& same, const Visit& visit) {
    for (std::size_t first = 0; first < pieces.size();) {
        std::size_t past = first + 1;
        while (past < pieces.size() && same(pieces[first], pieces[past])) ++past;
        visit(pieces.subspan(first, past - first));
        first = past;
    }
}

template <class Domains>
void fill(TwoPhasePlan& plan, const CollectiveAccess& access, const Domains& domains) {
    const std::vector<Piece> pieces = all_pieces(access, domains);
    plan.domain_begin = domains.begin;
    plan.domain_end = domains.end;
    if (pieces.empty()) return;
    plan.rounds = pieces.back().round + 1;
    for_groups(
        pieces, [](const Piece& left, const Piece& right) { return left.key() == right.key(); },
        [&](std::span<const Piece> group) { add_move(plan, group); });
    for_groups(
        pieces,
        [](const Piece& left, const Piece& right) {
            return left.round == right.round && left.aggregator == right.aggregator;
        },
        [&](std::span<const Piece> group) { add_access(plan, group); });
}

}  // namespace

TwoPhasePlan plan_two_phase(const CollectiveAccess& access, const TwoPhaseRules& rules) {
    expect_columns(access);
    expect_rules(rules, static_cast<std::int64_t>(access.first_run.size()) - 1);
    TwoPhasePlan plan;
    const Bounds bounds = bounds_of(access);
    if (bounds.low >= bounds.high) {  // nobody asks for anything
        plan.domain_begin.assign(rules.aggregators.size(), 0);
        plan.domain_end.assign(rules.aggregators.size(), 0);
        return plan;
    }
    if (rules.cyclic) {
        fill(plan, access, CyclicDomains(bounds, rules));
    } else {
        fill(plan, access, ContiguousDomains(bounds, rules));
    }
    return plan;
}

TwoPhasePlan plan_pieces(const CollectiveAccess& access, std::span<const FilePiece> pieces) {
    expect_columns(access);
    TwoPhasePlan plan;
    fill(plan, access, ChosenDomains(pieces));
    return plan;
}

}  // namespace striate
