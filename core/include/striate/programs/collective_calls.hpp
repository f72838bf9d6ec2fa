// What ranks call collectively, and the schedule that each call runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/programs/collective_book.hpp"
#include "striate/programs/cursors.hpp"
#include "striate/programs/ledger.hpp"

namespace striate {

class CollectiveCalls {
  public:
    CollectiveCalls(const CollectiveBook& book, const Cursors& cursors,
                    std::span<const GroupColumns> communicators, std::size_t ranks)
        : book_(book), cursors_(cursors), communicators_(communicators) {
        if (book.has_lists()) made_.resize(ranks * communicators.size());
    }

    struct Wanted {
        CollectiveBook::Call call;
        std::int64_t request;
    };
    // The call the rank stands on; opening a file tells its group `open_bytes`.
    [[nodiscard]] Wanted wanted(std::uint32_t rank, std::int64_t open_bytes) const;

    // The schedule of the call: by what it says where all members say the same, else by its place among the
    // group's listed calls, which moves on. Throws std::invalid_argument for a schedule of another group's
    // size.
    [[nodiscard]] std::int64_t schedule(std::uint32_t rank, const CollectiveBook::Call& call);

  private:
    [[nodiscard]] const GroupColumns& groups(std::uint32_t rank) const {
        return communicators_[static_cast<std::size_t>(cursors_.communicator(rank))];
    }

    const CollectiveBook& book_;
    const Cursors& cursors_;
    std::span<const GroupColumns> communicators_;
    std::vector<std::int64_t> made_;  // listed calls so far, per rank and communicator; empty without any
};

}  // namespace striate
