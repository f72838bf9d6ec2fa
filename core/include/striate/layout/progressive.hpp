// Progressive layout: components one after the other, each striped in its own way; Lustre's composite files.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "striate/layout/place.hpp"
#include "striate/layout/varstrip.hpp"

namespace striate {

// Component c holds the bytes up to ends[c]. Its strips of units[c] bytes are dealt to counts[c] objects by
// their distance from the beginning of the file, not of the component; `targets` names the server of every
// object, and several may share one (overstriping). A server keeps what it holds of a component after what it
// holds of those before.
class Progressive {
  public:
    // `targets` has the servers of the first component's objects, then of the second's, and so on. Throws
    // std::invalid_argument unless the ends grow, the last one is the largest number, all counts and units
    // are positive, and every target exists.
    Progressive(std::int64_t servers, std::span<const std::int64_t> ends,
                std::span<const std::int64_t> counts, std::span<const std::int64_t> units,
                std::span<const std::int64_t> targets);

    [[nodiscard]] std::int64_t servers() const { return servers_; }

    [[nodiscard]] Place locate(std::int64_t offset) const {
        const Component& part = parts_[part_of(offset)];
        const Place place = part.strips.locate(offset);
        const std::int64_t server = part.server_of[static_cast<std::size_t>(place.server)];
        return {server, place.physical + part.shift[static_cast<std::size_t>(server)]};
    }

    [[nodiscard]] std::int64_t logical(std::int64_t server, std::int64_t physical) const;

    // Strips before this byte's.
    [[nodiscard]] std::int64_t strip_number(std::int64_t offset) const {
        const Component& part = parts_[part_of(offset)];
        return part.strips_before + part.strips.strip_number(offset) - part.strips.strip_number(part.begin);
    }

    // Bytes from here to the end of the strip or of the component.
    [[nodiscard]] std::int64_t run_length(std::int64_t offset) const;

    // Bytes that the server holds of the first `size` bytes of the file.
    [[nodiscard]] std::int64_t physical_size(std::int64_t server, std::int64_t size) const;

    // Several components have no period: the servers never come again in the same order from every byte.
    [[nodiscard]] std::int64_t period_bytes() const {
        if (parts_.size() == 1) return parts_.front().strips.period_bytes();
        return std::numeric_limits<std::int64_t>::max();
    }

  private:
    struct Component {
        std::int64_t begin;
        std::int64_t end;
        std::int64_t strips_before;           // in the components before
        VarStrip strips;                      // over its own servers, numbered as they first occur
        std::vector<std::int64_t> server_of;  // by its own number
        std::vector<std::int64_t> number_of;  // by server; `nowhere` where it has no object
        std::vector<std::int64_t> shift;      // from a place of `strips` to that of the server's own file
        std::vector<std::int64_t> before;     // bytes each server holds of the components before
    };

    [[nodiscard]] std::size_t part_of(std::int64_t offset) const {
        std::size_t part = 0;
        while (parts_[part].end <= offset && part + 1 < parts_.size()) ++part;
        return part;
    }
    [[nodiscard]] Component component(std::span<const std::int64_t> targets, std::int64_t unit) const;
    // Bytes of the component on the server up to `size`, from the component's beginning.
    [[nodiscard]] std::int64_t bytes_on(const Component& part, std::int64_t server, std::int64_t size) const;

    std::int64_t servers_;
    std::vector<Component> parts_;
};

}  // namespace striate
