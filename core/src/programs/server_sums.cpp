#include "server_sums.hpp"

#include <algorithm>

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr double most_swept = 2e10;  // stretches and requests, for one application

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

ServerSums::ServerSums(const LedgerInput& input)
    : in_(input),
      pulse_(input.poll),
      servers_(input.layouts == nullptr ? 0 : input.layouts->servers()),
      reads_(input.stripe_unit, std::max<std::int64_t>(servers_, 1)),
      writes_(input.stripe_unit, std::max<std::int64_t>(servers_, 1)) {}

std::int64_t ServerSums::add(const Row& row) {
    set_sweeps(row, in_.layouts->own(row.file) == nullptr);
    if (row.list < 0) {
        if (row.count != 1) sweeps_.push_back({row.stride, row.count});
        add_run(row, row.start, row.size);
        return row.size * row.count;
    }
    const ExtentColumns& runs = in_.extents;
    std::int64_t bytes = 0;
    for (auto run = index(runs.first[index(row.list)]); run < index(runs.first[index(row.list) + 1]); ++run) {
        bytes += runs.length[run];
        add_run(row, row.start + runs.offset[run], runs.length[run]);
    }
    return bytes;
}

// How the loops around the row move the offset; a striped file that moves on to the next moves by a unit.
void ServerSums::set_sweeps(const Row& row, bool striped) {
    sweeps_.clear();
    const std::int64_t round_bytes = in_.stripe_unit * servers_;
    for (std::size_t depth = 0; depth < row.passes.size(); ++depth) {
        const std::int64_t step = depth < row.start_steps.size() ? row.start_steps[depth] : 0;
        const std::int64_t files =
            striped && depth < row.file_steps.size() ? row.file_steps[depth] % servers_ : 0;
        sweeps_.push_back({striped ? step % round_bytes + files * in_.stripe_unit : step, row.passes[depth]});
    }
}

// Striped files begin on one server after the other, file 0 on server 0; rounds load alike.
void ServerSums::add_run(const Row& row, std::int64_t offset, std::int64_t size) {
    ServerLoad& load = row.writes ? writes_ : reads_;
    if (const AnyLayout* own = in_.layouts->own(row.file); own != nullptr) {
        const SweptPeriod loops = LayoutLoad::swept(*own, sweeps_);
        sweep(LayoutLoad::planned(*own, size, loops));
        return load.planned.add_swept(*in_.layouts, row.file, offset, size, loops, pulse_);
    }
    const SweptPeriod loops = load.striped.swept(sweeps_);
    sweep(loops.stretches());
    const std::int64_t shift = in_.stripe_unit * (row.file % servers_);
    load.striped.add_swept(offset % (in_.stripe_unit * servers_) + shift, size, loops, pulse_);
}

void ServerSums::sweep(double runs) {
    swept_ += runs;
    if (swept_ > most_swept) throw Refusal(Reason::too_many_offsets);
}

}  // namespace striate
