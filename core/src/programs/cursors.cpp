#include "striate/programs/cursors.hpp"

#include <algorithm>
#include <stdexcept>

namespace striate {

Cursors::Cursors(const Programs& programs) : programs_(programs), partner_(programs.kind.size()) {
    std::vector<std::uint32_t> open;
    for (std::size_t program = 0; program < programs.programs(); ++program) {
        for (std::uint32_t row = programs.first_row[program]; row < programs.first_row[program + 1]; ++row) {
            const auto kind = static_cast<Kind>(programs.kind[row]);
            if (kind == Kind::loop) {
                open.push_back(row);
                depth_ = std::max(depth_, open.size());
            } else if (kind == Kind::end) {
                if (open.empty()) throw std::invalid_argument("an end without a loop");
                partner_[row] = open.back();
                partner_[open.back()] = row;
                open.pop_back();
            }
        }
        if (!open.empty()) throw std::invalid_argument("a loop without an end");
    }
    for (const std::int32_t program : programs.program_of_rank) {
        places_.push_back({programs.first_row[static_cast<std::size_t>(program)], 0});
    }
    index_.resize(places_.size() * depth_);
    count_.resize(places_.size() * depth_);
}

bool Cursors::resolve(std::uint32_t rank) {
    Place& place = places_[rank];
    const auto program = static_cast<std::size_t>(programs_.program_of_rank[rank]);
    const std::size_t base = std::size_t{rank} * depth_;
    while (place.row < programs_.first_row[program + 1]) {
        switch (kind(rank)) {
            case Kind::loop: {
                const std::int64_t passes = operand(rank, 0);
                if (passes <= 0) {
                    place.row = partner_[place.row] + 1;
                    break;
                }
                index_[base + place.depth] = 0;
                count_[base + place.depth] = passes;
                ++place.depth;
                ++place.row;
                break;
            }
            case Kind::end: {
                const std::size_t loop = base + place.depth - 1;
                if (++index_[loop] < count_[loop]) {
                    place.row = partner_[place.row] + 1;
                } else {
                    index_[loop] = 0;
                    --place.depth;
                    ++place.row;
                }
                break;
            }
            case Kind::region_begin:
            case Kind::region_end:
                if (marks_ != nullptr) marks_->push_back(place.row);
                ++place.row;
                break;
            default:
                return true;
        }
    }
    return false;
}

}  // namespace striate
