#include "striate/programs/ledger.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "server_sums.hpp"

#include "striate/programs/point_to_point.hpp"
#include "striate/programs/rank_routes.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr double most_walked = 4e9;  // passes and ranks, for one row

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// One pass over one application.
class Summing {
  public:
    explicit Summing(const LedgerInput& input)
        : in_(input),
          programs_(input.programs),
          routes_(input),
          servers_(input),
          pulse_(input.poll),
          compute_(programs_.ranks()),
          communication_(programs_.ranks()),
          instructions_(programs_.ranks()),
          sent_(programs_.ranks()),
          received_(programs_.ranks()),
          blocked_(programs_.ranks()),
          sums_(input.collectives, programs_.ranks()) {
        for (auto* column :
             {&out_.computes, &out_.exchanges, &out_.sent_messages, &out_.received_messages,
              &out_.blocking_messages, &out_.accesses, &out_.read_bytes, &out_.written_bytes}) {
            column->resize(programs_.ranks());
        }
    }

    Ledger run() {
        std::vector<std::vector<std::int64_t>> members(programs_.programs());
        for (std::size_t rank = 0; rank < programs_.ranks(); ++rank) {
            members[index(programs_.program_of_rank[rank])].push_back(static_cast<std::int64_t>(rank));
        }
        for (std::size_t program = 0; program < programs_.programs(); ++program)
            walk(program, members[program]);
        listed_calls();
        return finish();
    }

  private:
    void walk(std::size_t program, std::span<const std::int64_t> ranks) {
        counts_.clear();
        pass_.clear();
        for (std::size_t row = programs_.first_row[program]; row < programs_.first_row[program + 1]; ++row) {
            const Kind kind = static_cast<Kind>(programs_.kind[row]);
            if (kind == Kind::loop) {
                counts_.push_back(programs_.constant[programs_.first_operand[row]]);
                pass_.push_back(0);
            } else if (kind == Kind::end) {
                counts_.pop_back();
                pass_.pop_back();
            } else {
                walked_ = static_cast<double>(ranks.size());
                passes(row, kind, ranks, 0);
            }
        }
    }

    // Loops that only move what adds up or sweeps are multiplied; one that moves a peer, a root or a size is
    // walked pass by pass.
    void passes(std::size_t row, Kind kind, std::span<const std::int64_t> ranks, std::size_t depth) {
        while (depth < counts_.size() && !must_walk(row, kind, depth)) ++depth;
        if (depth == counts_.size()) {
            times_ = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{1}, std::multiplies<>());
            if (times_ > 0) row_of(row, kind, ranks);
            return;
        }
        const std::int64_t count = std::exchange(counts_[depth], 1);
        walked_ *= static_cast<double>(count);
        if (walked_ > most_walked) throw Refusal(Reason::too_many_passes);
        for (; pass_[depth] < count; ++pass_[depth]) passes(row, kind, ranks, depth + 1);
        walked_ /= static_cast<double>(std::max<std::int64_t>(count, 1));
        counts_[depth] = count;
        pass_[depth] = 0;
    }

    [[nodiscard]] bool must_walk(std::size_t row, Kind kind, std::size_t depth) const {
        const std::size_t first = programs_.first_operand[row];
        for (std::size_t operand = first; operand < programs_.first_operand[row + 1]; ++operand) {
            const auto steps = programs_.strides(operand);
            if (depth < steps.size() && steps[depth] != 0 && !adds_up(kind, operand - first)) return true;
        }
        return false;
    }

    // Operands whose movement costs nothing, adds up, or sweeps over the servers.
    [[nodiscard]] bool adds_up(Kind kind, std::size_t position) const {
        switch (kind) {
            case Kind::send:
            case Kind::ssend:
            case Kind::recv:
                return position == 1 || position == 3;  // tag, request
            case Kind::sendrecv:
                return position == 1 || position == 4;  // tags
            case Kind::read:
            case Kind::read_all:
            case Kind::write:
            case Kind::write_all:
                if (position == 0) return in_.layouts == nullptr || !in_.layouts->any_own();  // file
                return position == 1 || position == 6;  // offset, request
            default:
                return kind < Kind::barrier || kind > Kind::reduce_scatter || is_varying(kind);
        }
    }

    // The operand in the first pass of the loops that are multiplied, in this pass of those that are walked.
    [[nodiscard]] std::int64_t value(std::size_t operand, std::int64_t rank) const {
        return programs_.at(operand, rank, pass_);
    }

    void row_of(std::size_t row, Kind kind, std::span<const std::int64_t> ranks) {
        pulse_.beat();
        const std::size_t first = programs_.first_operand[row];
        switch (kind) {
            case Kind::compute:
                for (const auto rank : ranks) {
                    compute_[index(rank)] += summed(first, rank);
                    instructions_[index(rank)] += summed(first + 1, rank);
                    out_.computes[index(rank)] += times_;
                }
                break;
            case Kind::send:
            case Kind::ssend:
            case Kind::recv:
                for (const auto rank : ranks) {
                    message(row, rank, first, kind == Kind::recv);
                    if (kind != Kind::recv) sent(row, rank, first, value(first + 3, rank) == blocking);
                }
                break;
            case Kind::sendrecv:
                for (const auto rank : ranks) {
                    message(row, rank, first, false);
                    message(row, rank, first + 3, true);
                    sent(row, rank, first, true);
                }
                break;
            case Kind::read:
            case Kind::read_all:
                for (const auto rank : ranks) {
                    accessed(rank, kind, first, false);
                }
                break;
            case Kind::write:
            case Kind::write_all:
                for (const auto rank : ranks) {
                    accessed(rank, kind, first, true);
                }
                break;
            default:
                if (kind >= Kind::barrier && kind <= Kind::reduce_scatter) collective(row, kind, ranks);
        }
    }

    // The operand's values over all passes, added up.
    [[nodiscard]] Wide summed(std::size_t operand, std::int64_t rank) const {
        Wide sum = static_cast<Wide>(value(operand, rank)) * times_;
        const auto steps = programs_.strides(operand);
        for (std::size_t depth = 0; depth < steps.size(); ++depth) {
            // stride * (0 + 1 + ... + count-1), once for every pass of the other loops
            sum += static_cast<Wide>(steps[depth]) * (counts_[depth] - 1) * times_ / 2;
        }
        return sum;
    }

    void message(std::size_t row, std::int64_t rank, std::size_t peer_operand, bool received) {
        pulse_.beat();
        const std::int64_t bytes = value(peer_operand + 2, rank);
        const std::int64_t position = value(peer_operand, rank);
        const std::int64_t peer = position == any ? rank : member(row, rank, position);
        const RankRoute& path = routes_.between(rank, peer);
        communication_[index(rank)] += times_ * (path.transfer(bytes) + (received ? path.latency : 0));
        out_.exchanges[index(rank)] += times_;
    }

    // A message as its sender tells it; what a receive says is the room that it has.
    void sent(std::size_t row, std::int64_t rank, std::size_t peer_operand, bool blocks) {
        const std::int64_t peer = member(row, rank, value(peer_operand, rank));
        const Wide bytes = Wide{times_} * (value(peer_operand + 2, rank) + PointToPoint::tag_bytes);
        if (blocks) {
            blocked_[index(rank)] += bytes;
            out_.blocking_messages[index(rank)] += times_;
        }
        if (peer == rank) return;  // passes the interface once, and no link
        sent_[index(rank)] += bytes;
        out_.sent_messages[index(rank)] += times_;
        received_[index(peer)] += bytes;
        out_.received_messages[index(peer)] += times_;
    }

    [[nodiscard]] std::int64_t member(std::size_t row, std::int64_t rank, std::int64_t position) const {
        const GroupColumns& group = in_.communicators[index(programs_.communicator[row])];
        return group.member[index(group.first[index(group.group[index(rank)])] + position)];
    }

    // A call in which all members say the same, by the sums of its schedule; others are charged by
    // `listed_calls`.
    void collective(std::size_t row, Kind kind, std::span<const std::int64_t> ranks) {
        const GroupColumns& group = in_.communicators[index(programs_.communicator[row])];
        const std::size_t first = programs_.first_operand[row];
        const CollectiveOperands operands = collective_operands(kind);
        out_.barriers += times_;
        for (const auto rank : ranks) {
            const auto said = [&](int at) {
                return at < 0 ? 0 : value(first + static_cast<std::size_t>(at), rank);
            };
            const std::int64_t mine = group.group[index(rank)];
            const std::int64_t size = group.first[index(mine + 1)] - group.first[index(mine)];
            if (size <= 1) continue;
            out_.exchanges[index(rank)] += times_;
            if (is_varying(kind)) continue;
            const CollectiveCall call{kind, size, said(operands.root), said(operands.bytes),
                                      said(operands.algorithm)};
            const auto sum = sums_.of(call, group.position[index(rank)]);
            if (sum) charge(group, rank, *sum, times_, said(operands.request) == blocking);
        }
    }

    void listed_calls() {
        for (std::size_t number = 0; number < in_.collectives.listed.size(); ++number) {
            const CollectiveSumColumns& sums = in_.collectives.listed[number];
            for (std::int64_t rank = 0; rank < static_cast<std::int64_t>(sums.size()); ++rank) {
                charge(in_.communicators[number], rank, sums[rank], 1, false);
            }
        }
    }

    // Messages of collectives at the speed of the path to the next member.
    void charge(const GroupColumns& group, std::int64_t rank, const CollectiveSum& sum, std::int64_t times,
                bool blocks) {
        const std::size_t at = index(rank);
        const std::int64_t start = group.first[index(group.group[at])];
        const std::int64_t size = group.first[index(group.group[at] + 1)] - start;
        const RankRoute& path =
            routes_.between(rank, group.member[index(start + (group.position[at] + 1) % size)]);
        communication_[at] += times * (path.transfer(sum.sent_bytes) + path.transfer(sum.received_bytes) +
                                       sum.received_messages * path.latency);
        instructions_[at] += Wide{times} * sum.instructions;
        sent_[at] += Wide{times} * sum.sent_bytes;
        received_[at] += Wide{times} * sum.received_bytes;
        out_.sent_messages[at] += times * sum.sent_messages;
        out_.received_messages[at] += times * sum.received_messages;
        if (!blocks) return;
        blocked_[at] += Wide{times} * sum.sent_bytes;
        out_.blocking_messages[at] += times * sum.sent_messages;
    }

    void accessed(std::int64_t rank, Kind kind, std::size_t first, bool writes) {
        if (in_.independent_only && (kind == Kind::read_all || kind == Kind::write_all)) return;
        if (servers_.none()) throw Refusal(Reason::no_server, {.rank = rank});
        pulse_.beat();
        out_.accesses[index(rank)] += times_;
        const std::int64_t bytes = servers_.add({.writes = writes,
                                                 .file = value(first, rank),
                                                 .start = value(first + 1, rank),
                                                 .size = value(first + 2, rank),
                                                 .count = value(first + 3, rank),
                                                 .stride = value(first + 4, rank),
                                                 .list = value(first + 5, rank),
                                                 .file_steps = programs_.strides(first),
                                                 .start_steps = programs_.strides(first + 1),
                                                 .passes = counts_});
        (writes ? out_.written_bytes : out_.read_bytes)[index(rank)] += bytes * times_;
        if (value(first + 6, rank) == blocking) blocked_[index(rank)] += bytes * times_;
    }

    Ledger finish() {
        const auto seconds = [](const std::vector<Wide>& ticks) {
            std::vector<double> result(ticks.size());
            std::transform(ticks.begin(), ticks.end(), result.begin(),
                           [](Wide value) { return static_cast<double>(value) / 1e12; });
            return result;
        };
        out_.compute_seconds = seconds(compute_);
        out_.communication_seconds = seconds(communication_);
        out_.instructions.assign(instructions_.begin(), instructions_.end());
        out_.sent_bytes = whole(sent_);
        out_.received_bytes = whole(received_);
        out_.blocking_bytes = whole(blocked_);
        out_.server_read = servers_.reads().bytes();
        out_.server_reads = servers_.reads().requests();
        out_.server_written = servers_.writes().bytes();
        out_.server_writes = servers_.writes().requests();
        if (in_.metadata) out_.heard = FileCalls(programs_, in_.communicators, pulse_).heard();
        return std::move(out_);
    }

    static std::vector<std::int64_t> whole(const std::vector<Wide>& sums) {
        for (const Wide sum : sums) {
            if (sum > std::numeric_limits<std::int64_t>::max()) throw Refusal(Reason::too_many_bytes);
        }
        return {sums.begin(), sums.end()};
    }

    const LedgerInput& in_;
    const Programs& programs_;
    RankRoutes routes_;
    ServerSums servers_;
    Pulse pulse_;
    std::vector<Wide> compute_, communication_, instructions_, sent_, received_, blocked_;
    CollectiveSums sums_;
    Ledger out_;
    std::vector<std::int64_t> counts_;  // passes of the loops around the row, outermost first
    std::vector<std::int64_t> pass_;    // of the loops that are walked; 0 in the others
    double walked_ = 0;                 // passes and ranks that are walked for the row
    std::int64_t times_ = 1;
};

}  // namespace

Ledger sum_up(const LedgerInput& input) { return Summing(input).run(); }

}  // namespace striate
