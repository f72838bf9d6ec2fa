// The size of a file whose strips are objects of their own: new bytes are counted where its first byte lies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/layout/access_plan.hpp"

namespace striate {

// As GlusterFS does it for sharded files (FXATTROP of its shard translator): a request that writes bytes
// which nobody has written before adds to the size and the blocks of the file, one request after the other.
class SizeUpdates {
  public:
    // How many requests count new bytes when these runs are written; 0: all of them were written before.
    [[nodiscard]] std::int64_t count(std::int64_t file, const RunsView& runs, std::int64_t request_bytes) {
        std::int64_t requests = 0;
        for (std::size_t run = 0; run < runs.sizes.size(); ++run) {
            if (!add(written_[file], runs.offsets[run], runs.sizes[run])) continue;
            requests += (runs.sizes[run] + request_bytes - 1) / request_bytes;
        }
        return requests;
    }
    void erase(std::int64_t file) { written_.erase(file); }

    // When a server has done work that comes to it now.
    [[nodiscard]] Ticks done(std::uint32_t server, Ticks now, Ticks work) {
        Ticks& free = free_[server];
        return free = std::max(free, now) + work;
    }

  private:
    using Written =
        std::map<std::int64_t, std::int64_t>;  // from the first byte of a run to one past its last

    // Whether any of the bytes is new.
    [[nodiscard]] static bool add(Written& written, std::int64_t first, std::int64_t bytes) {
        if (bytes == 0) return false;
        std::int64_t past = first + bytes;
        auto next = written.upper_bound(first);
        if (next != written.begin() && std::prev(next)->second >= first) {
            --next;
            if (next->second >= past) return false;
            first = next->first;
        }
        while (next != written.end() && next->first <= past) {
            past = std::max(past, next->second);
            next = written.erase(next);
        }
        written[first] = past;
        return true;
    }

    std::unordered_map<std::int64_t, Written> written_;  // by file
    std::unordered_map<std::uint32_t, Ticks> free_;      // by server
};

}  // namespace striate
