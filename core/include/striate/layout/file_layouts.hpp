// Which layout every file has, and what its accesses ask of the machine's servers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "striate/layout/access_plan.hpp"
#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/progressive.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"
#include "striate/layout/varstrip.hpp"

namespace striate {

using AnyLayout = std::variant<SimpleStripe, TwoDStripe, GroupedBlocks, VarStrip, Progressive>;

[[nodiscard]] std::int64_t servers_of(const AnyLayout& layout);

// Bytes after which the layout loads its servers as before: 1 where every byte loads them alike.
[[nodiscard]] std::int64_t period_of(const AnyLayout& layout);

// Files begin on one server after the other, whatever their layout: server s of the layout of file f is
// server (f + s) modulo their number of the machine. A file without a layout of its own is striped over all
// servers.
class FileLayouts {
  public:
    // Throws std::invalid_argument unless both are positive.
    FileLayouts(std::int64_t servers, std::int64_t stripe_unit)
        : servers_(servers), stripe_(SimpleStripe(servers, stripe_unit)) {}

    // Files `first` up to `first + count` have this layout. Throws std::invalid_argument when it has more
    // servers than the machine.
    void add(std::int64_t first, std::int64_t count, AnyLayout layout);

    [[nodiscard]] std::int64_t servers() const { return servers_; }
    [[nodiscard]] bool any_own() const { return !own_.empty(); }
    // The file's own layout, or nullptr.
    [[nodiscard]] const AnyLayout* own(std::int64_t file) const;

    // Bytes of the server's own file when the file has `size` bytes; 0 where it does not lie.
    [[nodiscard]] std::int64_t physical_end(std::int64_t file, std::int64_t server, std::int64_t size) const;

    // The requests for runs of a file, by server of the machine.
    [[nodiscard]] AccessPlan plan(std::int64_t file, const RunsView& runs) const;

  private:
    struct Own {
        std::int64_t end;
        AnyLayout layout;
    };

    std::int64_t servers_;
    AnyLayout stripe_;
    std::map<std::int64_t, Own> own_;  // by the first file
};

}  // namespace striate
