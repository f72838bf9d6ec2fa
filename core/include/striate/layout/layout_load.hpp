// What byte runs put on each server of a machine, under any layout: the plan of every run, added up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/layout/file_layouts.hpp"
#include "striate/layout/stripe.hpp"

namespace striate {

// A run counts as one request for every contiguous run of bytes on a server.
class LayoutLoad {
  public:
    explicit LayoutLoad(std::int64_t servers)
        : bytes_(static_cast<std::size_t>(servers)), requests_(static_cast<std::size_t>(servers)) {}

    // The run [offset, offset + size) of a file, once for every pass through the nested loops, outermost
    // first. Passes that begin alike modulo the layout's period are planned once. Throws std::overflow_error
    // past 2^63 - 1 bytes in all.
    void add_swept(const FileLayouts& layouts, std::int64_t file, std::int64_t offset, std::int64_t size,
                   std::span<const Sweep> loops);

    // How many requests are planned one by one for these loops, about.
    [[nodiscard]] static double walked(const AnyLayout& layout, std::int64_t size,
                                       std::span<const Sweep> loops);

    [[nodiscard]] const std::vector<std::int64_t>& bytes() const { return bytes_; }
    [[nodiscard]] const std::vector<std::int64_t>& requests() const { return requests_; }

  private:
    void add(const AccessPlan& plan, std::int64_t times);

    std::vector<std::int64_t> bytes_, requests_;
    std::int64_t total_ = 0;
};

}  // namespace striate
