// Writes to one file through one client: one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace striate {

// As Linux does it: a write holds the lock of the file's inode from its first byte to its last, so that ranks
// of a node which write to one file take turns, wherever in the file they write.
class WriteTurns {
  public:
    // True: the write goes on; else it waits until `over` names it.
    [[nodiscard]] bool begin(std::uint32_t node, std::int64_t file, std::uint32_t write) {
        std::deque<std::uint32_t>& line = lines_[{node, file}];
        line.push_back(write);
        return line.size() == 1;
    }
    // The write in front is over; the one that goes on now, if any.
    [[nodiscard]] std::optional<std::uint32_t> over(std::uint32_t node, std::int64_t file) {
        const auto found = lines_.find({node, file});
        found->second.pop_front();
        if (!found->second.empty()) return found->second.front();
        lines_.erase(found);
        return std::nullopt;
    }

  private:
    std::map<std::pair<std::uint32_t, std::int64_t>, std::deque<std::uint32_t>>
        lines_;  // in front: writes now
};

}  // namespace striate
