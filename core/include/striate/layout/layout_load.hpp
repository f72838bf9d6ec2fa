// What byte runs put on each server of a machine, under any layout: the plans of the runs, added up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/layout/file_layouts.hpp"
#include "striate/layout/sweep.hpp"

namespace striate {

// A run counts as one request for every contiguous run of bytes on a server.
class LayoutLoad {
  public:
    explicit LayoutLoad(std::int64_t servers)
        : bytes_(static_cast<std::size_t>(servers)), requests_(static_cast<std::size_t>(servers)) {}

    // The run [offset, offset + size) of a file with a layout of its own, once for every pass through the
    // loops, stretch by stretch. Throws Refusal past 2^63 - 1 bytes in all.
    void add_swept(const FileLayouts& layouts, std::int64_t file, std::int64_t offset, std::int64_t size,
                   const SweptPeriod& loops, Pulse& pulse);

    // The loops around a run of a file with this layout, outermost first.
    [[nodiscard]] static SweptPeriod swept(const AnyLayout& layout, std::span<const Sweep> loops);

    // How many requests are planned for these loops, about.
    [[nodiscard]] static double planned(const AnyLayout& layout, std::int64_t size, const SweptPeriod& loops);

    [[nodiscard]] const std::vector<std::int64_t>& bytes() const { return bytes_; }
    [[nodiscard]] const std::vector<std::int64_t>& requests() const { return requests_; }

  private:
    void add(const AccessPlan& first, const AccessPlan& last, const Stretch& stretch);

    std::vector<std::int64_t> bytes_, requests_;
    std::int64_t total_ = 0;
};

}  // namespace striate
