// Shortest routes through a directed graph of components, with tables only where there is a choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace striate {

// The inside of a node is a tree that hangs on the network; only the network proper (the 2-core) needs
// tables. A component of a hanging tree knows its parent; a component of the core gets, when a destination is
// first asked for, a column of distances to it. A route is shortest by hops; among equal ones each component
// takes the outgoing edge with the lowest index.
class Routes {
  public:
    // Throws std::invalid_argument when an edge names a component that does not exist.
    Routes(std::int32_t components, std::span<const std::int32_t> edge_source,
           std::span<const std::int32_t> edge_target);

    // Appends the edges of the route to `edges`; returns false, and appends nothing, when there is none.
    [[nodiscard]] bool append_path(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& edges);

    // The edges of the route, empty when both ends are the same. Throws std::domain_error when there is none.
    [[nodiscard]] std::vector<std::int32_t> path(std::int32_t from, std::int32_t to);

    // The edges out of `from` that lie on some shortest route to `to`, in order of their index.
    // They stay valid until the next call.
    [[nodiscard]] std::span<const std::int32_t> next_edges(std::int32_t from, std::int32_t to);

    // Appends the edges of a route on which each component deals what it gets over its equal next edges, one
    // after the other; `turns` holds, by component, how often it has had a choice. Throws Refusal when there
    // is no route.
    void append_dealt(std::int32_t from, std::int32_t to, std::span<std::uint32_t> turns,
                      std::vector<std::int32_t>& edges);

    // Hops from a component to the network proper, through the tree that hangs on it; 0 inside.
    [[nodiscard]] std::int32_t depth(std::int32_t component) const { return depth_[index(component)]; }
    // Whether both hang on the same component of the network proper: then there is one route.
    [[nodiscard]] bool same_tree(std::int32_t left, std::int32_t right) const {
        return root_[index(left)] == root_[index(right)];
    }
    [[nodiscard]] std::int32_t components() const { return static_cast<std::int32_t>(parent_.size()); }
    [[nodiscard]] std::int32_t source(std::int32_t edge) const {
        return source_[static_cast<std::size_t>(edge)];
    }
    [[nodiscard]] std::int32_t target(std::int32_t edge) const {
        return target_[static_cast<std::size_t>(edge)];
    }

  private:
    static constexpr std::int32_t none = -1;

    void index_edges();
    void strip_trees();
    void number_core();
    [[nodiscard]] std::vector<std::int32_t> neighbours(std::int32_t component) const;
    [[nodiscard]] std::int32_t edge_between(std::int32_t from, std::int32_t to) const;
    [[nodiscard]] std::int32_t meeting_point(std::int32_t left, std::int32_t right) const;
    [[nodiscard]] const std::vector<std::int32_t>& distances(std::int32_t destination);
    [[nodiscard]] std::int32_t next_edge(std::int32_t from, const std::vector<std::int32_t>& distance) const;
    [[nodiscard]] bool in_core(std::int32_t component) const { return root_[index(component)] == component; }
    [[nodiscard]] bool plain_trees() const;
    [[nodiscard]] std::span<const std::int32_t> next_in_core(std::int32_t from, std::int32_t destination);
    [[nodiscard]] std::span<const std::int32_t> next_in_tree(std::int32_t from, std::int32_t to);
    void list_choices(std::int32_t destination);
    void make_room(std::size_t entries);
    void expect(std::int32_t component) const;
    static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

    std::vector<std::int32_t> source_, target_;
    std::vector<std::int32_t> first_out_, out_;  // per component, edges out of it in order of their index
    std::vector<std::int32_t> first_in_, in_;    // the same, into it
    std::vector<std::int32_t> parent_;           // of a hanging tree; none in the core
    std::vector<std::int32_t> root_;       // the component of the core a tree hangs on, itself in the core
    std::vector<std::int32_t> depth_;      // hops to the root
    std::vector<std::int32_t> up_, down_;  // edge to the parent and from it, none when one-way
    std::vector<std::int32_t> core_;       // number inside the core, none outside
    std::vector<std::vector<std::int32_t>> distance_;  // per destination in the core; filled when asked for
    // Equal next edges of all components towards one destination: those of component c of the core are
    // edges[first[c]] up to edges[first[c + 1]].
    struct Choices {
        std::vector<std::uint32_t> first;
        std::vector<std::int32_t> edges;
    };
    std::vector<Choices> choices_;       // per destination in the core; filled when asked for
    std::vector<std::int32_t> route_;    // inside a tree, while it is looked at
    std::vector<std::int32_t> leading_;  // edges out of a component of a tree with parallel edges
    bool plain_trees_ = true;            // every edge of a hanging tree has one counterpart, and no parallel
    std::int32_t core_size_ = 0;
    std::size_t table_entries_ = 0;
};

// What a message meets between two components. `hops` is -1 when there is no route.
struct RouteSummary {
    std::int64_t hops;
    std::int64_t latency_ticks;
    double bottleneck_bandwidth;  // the slowest of the edges and of the components passed, both ends included
};

// Columns of a network, as Python holds them. Routes do not ask for the last two.
struct NetworkColumns {
    std::span<const double> bandwidth;
    std::span<const std::int32_t> edge_source, edge_target;
    std::span<const double> edge_bandwidth;
    std::span<const std::int64_t> edge_latency;
    std::span<const std::uint8_t> kind = {};
    std::span<const double> local_bandwidth = {};
};

// One summary per pair. Pairs that repeat are walked once while they stay in a small cache.
[[nodiscard]] std::vector<RouteSummary> summarise_routes(const NetworkColumns& network,
                                                         std::span<const std::int32_t> from,
                                                         std::span<const std::int32_t> to);

}  // namespace striate
