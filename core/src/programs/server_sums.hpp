// Bytes and requests of every server, summed over accesses in loops without walking the loops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/layout/layout_load.hpp"
#include "striate/layout/stripe.hpp"
#include "striate/programs/ledger.hpp"

namespace striate {

// Runs of one kind: those of striped files by formula, those of files with a layout of their own by plan.
class ServerLoad {
  public:
    ServerLoad(std::int64_t unit, std::int64_t servers) : striped(unit, servers), planned(servers) {}
    StripeLoad striped;
    LayoutLoad planned;
    [[nodiscard]] std::vector<std::int64_t> bytes() const { return added(striped.bytes(), planned.bytes()); }
    [[nodiscard]] std::vector<std::int64_t> requests() const {
        return added(striped.requests(), planned.requests());
    }

  private:
    static std::vector<std::int64_t> added(std::vector<std::int64_t> sums,
                                           const std::vector<std::int64_t>& more) {
        for (std::size_t server = 0; server < sums.size(); ++server) sums[server] += more[server];
        return sums;
    }
};

class ServerSums {
  public:
    explicit ServerSums(const LedgerInput& input);

    // A row of a program as one rank performs it: `count` runs of `size` bytes, `stride` apart, or those of a
    // list, which the loops around it move by these steps in so many passes, outermost first.
    struct Row {
        bool writes;
        std::int64_t file, start, size, count, stride, list;
        std::span<const std::int64_t> file_steps, start_steps, passes;
    };

    // Whether there is no server at all: then nothing may be added.
    [[nodiscard]] bool none() const { return servers_ == 0; }
    // Adds all passes; says how many bytes one of them accesses.
    std::int64_t add(const Row& row);

    [[nodiscard]] const ServerLoad& reads() const { return reads_; }
    [[nodiscard]] const ServerLoad& writes() const { return writes_; }

  private:
    void set_sweeps(const Row& row, bool striped);
    void add_run(const Row& row, std::int64_t offset, std::int64_t size);
    void sweep(double runs);

    const LedgerInput& in_;
    Pulse pulse_;
    std::int64_t servers_;
    ServerLoad reads_, writes_;
    std::vector<Sweep> sweeps_;  // of the row being added
    double swept_ = 0;
};

}  // namespace striate
