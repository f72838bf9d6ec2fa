// Two-phase collective I/O: ranks exchange data so that a few aggregators access the file in large pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace striate {

// Rank r asks for runs first_run[r] up to first_run[r + 1], in any order, overlapping or empty.
struct CollectiveAccess {
    std::span<const std::int64_t> first_run;
    std::span<const std::int64_t> offset, size;
};

struct TwoPhaseRules {
    std::span<const std::int64_t> aggregators;  // ranks, each at most once
    std::int64_t buffer_bytes;                  // what an aggregator holds in one round
    std::int64_t align_bytes;                   // file domains begin at multiples of this
    bool cyclic = false;                        // a domain is every n-th unit of align_bytes, n aggregators
};

// Aggregator a (a position in the list) is responsible for its domain of the file, in rounds of one buffer
// each: a contiguous part, or unit u of the file when u mod n = a, as ROMIO deals stripes on Lustre (Liao and
// Choudhary, SC 2008: static-cyclic). Only bytes that were asked for are moved or accessed, each once. A rank
// that asks for its bytes twice moves them once; where ranks overlap each moves its own, and a write keeps
// those of the highest rank.
struct TwoPhasePlan {
    // Per aggregator; cyclic: from its first byte to past its last, with the others' units between.
    std::vector<std::int64_t> domain_begin, domain_end;
    std::int64_t rounds = 0;

    // Move i: in this round, between rank and aggregator, pieces first_piece[i] up to first_piece[i + 1].
    // Ordered by round, aggregator, rank.
    std::vector<std::int64_t> move_round, move_rank, move_aggregator, move_bytes;
    std::vector<std::int64_t> first_piece{0};
    std::vector<std::int64_t> piece_offset, piece_size;

    // Access i: what the aggregator reads or writes in this round, as runs that do not touch.
    std::vector<std::int64_t> access_round, access_aggregator, access_bytes;
    std::vector<std::int64_t> first_access_run{0};
    std::vector<std::int64_t> access_offset, access_size;
};

// Throws std::invalid_argument: no aggregator, one that is no rank or twice in the list, a buffer or
// alignment below 1, columns that do not fit together, runs outside 63 bits.
[[nodiscard]] TwoPhasePlan plan_two_phase(const CollectiveAccess& access, const TwoPhaseRules& rules);

// In this round the member of the group accesses these bytes for all who asked for some of them.
struct FilePiece {
    std::int64_t round, member, offset, bytes;
};

// A user's own choice of who accesses what, in place of equal domains.
class CollectivePlanner {
  public:
    virtual ~CollectivePlanner() = default;
    // Pieces in order of offset that hold every byte asked for once; `ranks` are those of the members.
    [[nodiscard]] virtual std::vector<FilePiece> pieces(std::int64_t file, bool write,
                                                        const CollectiveAccess& access,
                                                        std::span<const std::int64_t> ranks) = 0;
};

// The plan by such pieces; aggregators are positions in the group. Throws std::invalid_argument when they do
// not hold what is asked for.
[[nodiscard]] TwoPhasePlan plan_pieces(const CollectiveAccess& access, std::span<const FilePiece> pieces);

}  // namespace striate
