// What every rank asks for, as columns: programs of operations whose loops stay loops.
//
// A program is a run of rows; the ranks that share it differ only in the values of operands. An operand is
//     constant + per_rank * rank + table[rank] + sum over enclosing loops of stride * index
// with the outermost loop's stride first. Python (striate.workload.kinds) holds the same list of kinds and
// operands; a test keeps the two equal.
#pragma once

#include <cstdint>
#include <span>

namespace striate {

// An offer names a request that the next waitany may take, and whether it is surely over then. A waitany
// waits until `least` of them are over and takes up to `most`, or with 0 all that are.
enum class Kind : std::uint8_t {
    compute,         // picoseconds, instructions
    send,            // peer, tag, bytes, request
    ssend,           // peer, tag, bytes, request
    recv,            // peer, tag, bytes, request
    sendrecv,        // peer, tag, bytes, source, source_tag, source_bytes
    wait,            // request
    waitall,         // -
    test,            // request
    offer,           // last, request
    waitany,         // least, most
    put,             // peer, bytes, request
    get,             // peer, bytes, request
    accumulate,      // peer, bytes, request
    flush,           // peer, local
    lock,            // peer, exclusive
    unlock,          // peer
    barrier,         // algorithm, request
    bcast,           // bytes, root, algorithm, request
    reduce,          // bytes, root, algorithm, request
    allreduce,       // bytes, algorithm, request
    gather,          // bytes, root, algorithm, request
    gatherv,         // bytes, root, algorithm, request
    scatter,         // bytes, root, algorithm, request
    scatterv,        // bytes, root, algorithm, request
    allgather,       // bytes, algorithm, request
    allgatherv,      // bytes, algorithm, request
    alltoall,        // bytes, algorithm, request
    alltoallv,       // bytes, counts, algorithm, request
    scan,            // bytes, algorithm, request
    exscan,          // bytes, algorithm, request
    reduce_scatter,  // bytes, counts, algorithm, request
    open,            // file, create
    close,           // file
    stat,            // file
    sync,            // file
    erase,           // file
    read,            // file, offset, bytes, count, stride, extents, request
    write,           // file, offset, bytes, count, stride, extents, request
    read_all,        // file, offset, bytes, count, stride, extents, request
    write_all,       // file, offset, bytes, count, stride, extents, request
    region_begin,    // region
    region_end,      // region
    loop,            // count
    end,             // -
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::end) + 1;

inline constexpr std::int64_t any = -1;       // any source, any tag
inline constexpr std::int64_t blocking = -1;  // no request: the call returns when the operation is complete

[[nodiscard]] constexpr bool is_rooted(Kind kind) {
    return kind == Kind::bcast || kind == Kind::reduce || kind == Kind::gather || kind == Kind::gatherv ||
           kind == Kind::scatter || kind == Kind::scatterv;
}

// Collectives whose sizes may differ by rank.
[[nodiscard]] constexpr bool is_varying(Kind kind) {
    return kind == Kind::gatherv || kind == Kind::scatterv || kind == Kind::allgatherv ||
           kind == Kind::alltoallv || kind == Kind::reduce_scatter;
}

// One application: borrowed columns, valid as long as their owner.
struct Programs {
    std::span<const std::uint32_t> first_row;  // per program, and one past the end
    std::span<const std::uint8_t> kind;        // per row
    std::span<const std::int32_t> communicator;
    std::span<const std::uint32_t> first_operand;  // per row, and one past the end
    std::span<const std::int64_t> constant;        // per operand
    std::span<const std::int64_t> per_rank;
    std::span<const std::int32_t> table;          // -1: none
    std::span<const std::uint32_t> first_stride;  // per operand, and one past the end
    std::span<const std::int64_t> stride;
    std::span<const std::int64_t> first_value;  // per table, and one past the end
    std::span<const std::int64_t> value;
    std::span<const std::int32_t> program_of_rank;

    [[nodiscard]] std::size_t ranks() const { return program_of_rank.size(); }
    [[nodiscard]] std::size_t programs() const { return first_row.size() - 1; }

    // The operand in the first pass through all enclosing loops.
    [[nodiscard]] std::int64_t base(std::size_t operand, std::int64_t rank) const {
        std::int64_t sum = constant[operand] + per_rank[operand] * rank;
        if (const std::int32_t id = table[operand]; id >= 0) {
            sum += value[static_cast<std::size_t>(first_value[static_cast<std::size_t>(id)] + rank)];
        }
        return sum;
    }

    [[nodiscard]] std::span<const std::int64_t> strides(std::size_t operand) const {
        return stride.subspan(first_stride[operand], first_stride[operand + 1] - first_stride[operand]);
    }

    // The operand in the pass given by the enclosing loops' indices, outermost first.
    [[nodiscard]] std::int64_t at(std::size_t operand, std::int64_t rank,
                                  std::span<const std::int64_t> indices) const {
        std::int64_t sum = base(operand, rank);
        const auto steps = strides(operand);
        for (std::size_t depth = 0; depth < steps.size(); ++depth) sum += steps[depth] * indices[depth];
        return sum;
    }
};

// Lists of byte runs for irregular access: list i is runs first[i] up to first[i + 1].
struct ExtentColumns {
    std::span<const std::int64_t> first, offset, length;
};

}  // namespace striate
