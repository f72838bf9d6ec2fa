// Where every rank stands in its program: a row and the passes of the loops around it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/programs/program.hpp"

namespace striate {

class Cursors {
  public:
    // Throws std::invalid_argument when loops and ends do not pair.
    explicit Cursors(const Programs& programs);

    // Enters and leaves loops and passes over region marks until the rank stands on an operation. False: the
    // program is over.
    [[nodiscard]] bool resolve(std::uint32_t rank);

    // From now on `resolve` writes down the rows of the region marks it passes over.
    void watch_marks(std::vector<std::uint32_t>& marks) { marks_ = &marks; }

    // Past the operation the rank stands on.
    void step(std::uint32_t rank) { ++places_[rank].row; }

    [[nodiscard]] std::uint32_t row(std::uint32_t rank) const { return places_[rank].row; }
    [[nodiscard]] Kind kind(std::uint32_t rank) const { return static_cast<Kind>(programs_.kind[row(rank)]); }
    [[nodiscard]] std::int32_t communicator(std::uint32_t rank) const {
        return programs_.communicator[row(rank)];
    }

    // The value of an operand of the row the rank stands on, by its place in the list of program.hpp.
    [[nodiscard]] std::int64_t operand(std::uint32_t rank, std::size_t place) const {
        const std::size_t base = std::size_t{rank} * depth_;
        return programs_.at(programs_.first_operand[row(rank)] + place, rank,
                            std::span(index_).subspan(base, depth_));
    }

  private:
    struct Place {
        std::uint32_t row;
        std::uint32_t depth;
    };

    Programs programs_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> partner_;       // of a loop its end, of an end its loop
    std::vector<std::int64_t> index_, count_;  // per rank and depth
    std::size_t depth_ = 0;                    // of the deepest nest
    std::vector<std::uint32_t>* marks_ = nullptr;
};

}  // namespace striate
