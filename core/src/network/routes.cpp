#include "striate/network/routes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "striate/refusal.hpp"

namespace striate {

namespace {

// Tables may hold this many distances (256 MB) before all are dropped and made again on demand.
constexpr std::size_t most_table_entries = std::size_t{1} << 26;

// Lists the edges of every component by counting sort, so that each list is in order of edge index.
void list_edges(std::size_t components, const std::vector<std::int32_t>& end,
                std::vector<std::int32_t>& first, std::vector<std::int32_t>& edges) {
    first.assign(components + 1, 0);
    edges.resize(end.size());
    for (const std::int32_t component : end) ++first[static_cast<std::size_t>(component) + 1];
    for (std::size_t component = 0; component < components; ++component)
        first[component + 1] += first[component];
    std::vector<std::int32_t> place(first.begin(), first.end() - 1);
    for (std::size_t edge = 0; edge < end.size(); ++edge) {
        edges[static_cast<std::size_t>(place[static_cast<std::size_t>(end[edge])]++)] =
            static_cast<std::int32_t>(edge);
    }
}

}  // namespace

Routes::Routes(std::int32_t components, std::span<const std::int32_t> edge_source,
               std::span<const std::int32_t> edge_target)
    : source_(edge_source.begin(), edge_source.end()), target_(edge_target.begin(), edge_target.end()) {
    if (components < 0) throw std::invalid_argument("a network has no fewer than 0 components");
    if (source_.size() != target_.size())
        throw std::invalid_argument("edge sources and targets differ in length");
    parent_.assign(index(components), none);
    for (std::size_t edge = 0; edge < source_.size(); ++edge) {
        expect(source_[edge]);
        expect(target_[edge]);
    }
    index_edges();
    strip_trees();
    number_core();
    plain_trees_ = plain_trees();
}

// Whether every component of a hanging tree has one edge to its parent and one from it.
bool Routes::plain_trees() const {
    std::vector<std::int32_t> between(parent_.size(), 0);
    for (std::size_t edge = 0; edge < source_.size(); ++edge) {
        if (parent_[index(source_[edge])] == target_[edge]) ++between[index(source_[edge])];
        if (parent_[index(target_[edge])] == source_[edge]) ++between[index(target_[edge])];
    }
    for (std::size_t component = 0; component < parent_.size(); ++component) {
        const bool hangs = parent_[component] != none;
        if (hangs && (up_[component] == none || down_[component] == none || between[component] != 2))
            return false;
    }
    return true;
}

void Routes::expect(std::int32_t component) const {
    if (component >= 0 && component < components()) return;
    throw std::invalid_argument("component " + std::to_string(component) + " of a network of " +
                                std::to_string(components()));
}

void Routes::index_edges() {
    list_edges(parent_.size(), source_, first_out_, out_);
    list_edges(parent_.size(), target_, first_in_, in_);
}

std::vector<std::int32_t> Routes::neighbours(std::int32_t component) const {
    std::vector<std::int32_t> found;
    const std::size_t at = index(component);
    for (auto i = index(first_out_[at]); i < index(first_out_[at + 1]); ++i) found.push_back(target(out_[i]));
    for (auto i = index(first_in_[at]); i < index(first_in_[at + 1]); ++i) found.push_back(source(in_[i]));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase(found, component);
    return found;
}

std::int32_t Routes::edge_between(std::int32_t from, std::int32_t to) const {
    const std::size_t at = index(from);
    const std::size_t into = index(to);
    // Either end may be a switch with thousands of edges, so look at the one with fewer.
    if (first_out_[at + 1] - first_out_[at] <= first_in_[into + 1] - first_in_[into]) {
        for (auto i = index(first_out_[at]); i < index(first_out_[at + 1]); ++i) {
            if (target(out_[i]) == to) return out_[i];
        }
        return none;
    }
    for (auto i = index(first_in_[into]); i < index(first_in_[into + 1]); ++i) {
        if (source(in_[i]) == from) return in_[i];
    }
    return none;
}

// Takes leaves away until none is left: a component with one remaining neighbour hangs on it.
void Routes::strip_trees() {
    const std::size_t components = parent_.size();
    std::vector<std::int32_t> degree(components);
    std::vector<std::int32_t> leaves;  // in the order of removal: children before parents
    std::vector<bool> removed(components, false);
    for (std::size_t component = 0; component < components; ++component) {
        degree[component] =
            static_cast<std::int32_t>(neighbours(static_cast<std::int32_t>(component)).size());
        if (degree[component] == 1) leaves.push_back(static_cast<std::int32_t>(component));
    }
    up_.assign(components, none);
    down_.assign(components, none);
    for (std::size_t next = 0; next < leaves.size(); ++next) {
        const std::int32_t leaf = leaves[next];
        if (degree[index(leaf)] == 0) continue;  // the last of a tree that hangs on nothing is its own root
        removed[index(leaf)] = true;
        for (const std::int32_t neighbour : neighbours(leaf)) {
            if (removed[index(neighbour)]) continue;
            parent_[index(leaf)] = neighbour;
            up_[index(leaf)] = edge_between(leaf, neighbour);
            down_[index(leaf)] = edge_between(neighbour, leaf);
            if (--degree[index(neighbour)] == 1) leaves.push_back(neighbour);
        }
    }
    root_.resize(components);
    depth_.assign(components, 0);
    for (std::size_t component = 0; component < components; ++component) {
        root_[component] = static_cast<std::int32_t>(component);
    }
    for (std::size_t i = leaves.size(); i-- > 0;) {
        const std::size_t leaf = index(leaves[i]);
        if (parent_[leaf] == none) continue;
        root_[leaf] = root_[index(parent_[leaf])];
        depth_[leaf] = depth_[index(parent_[leaf])] + 1;
    }
}

void Routes::number_core() {
    core_.assign(parent_.size(), none);
    for (std::int32_t component = 0; component < components(); ++component) {
        if (in_core(component)) core_[index(component)] = core_size_++;
    }
    distance_.resize(index(core_size_));
    choices_.resize(index(core_size_));
}

// Counts the entries of a new table, and drops all the others when they are too many.
void Routes::make_room(std::size_t entries) {
    if (table_entries_ + entries > most_table_entries) {
        for (auto& old : distance_) std::vector<std::int32_t>().swap(old);
        for (Choices& old : choices_) old = {};
        table_entries_ = 0;
    }
    table_entries_ += entries;
}

// Hops from every component of the core to `destination`, counted backwards along the edges.
const std::vector<std::int32_t>& Routes::distances(std::int32_t destination) {
    std::vector<std::int32_t>& table = distance_[index(core_[index(destination)])];
    if (!table.empty()) return table;
    make_room(index(core_size_));
    table.assign(index(core_size_), none);
    std::vector<std::int32_t> reached{destination};
    table[index(core_[index(destination)])] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const std::size_t at = index(reached[next]);
        for (auto i = index(first_in_[at]); i < index(first_in_[at + 1]); ++i) {
            const std::int32_t before = source(in_[i]);
            const std::int32_t number = core_[index(before)];
            if (number == none || table[index(number)] != none) continue;
            table[index(number)] = table[index(core_[at])] + 1;
            reached.push_back(before);
        }
    }
    return table;
}

std::int32_t Routes::next_edge(std::int32_t from, const std::vector<std::int32_t>& distance) const {
    const std::size_t at = index(from);
    const std::int32_t nearer = distance[index(core_[at])] - 1;
    for (auto i = index(first_out_[at]); i < index(first_out_[at + 1]); ++i) {
        const std::int32_t number = core_[index(target(out_[i]))];
        if (number != none && distance[index(number)] == nearer) return out_[i];
    }
    return none;
}

std::int32_t Routes::meeting_point(std::int32_t left, std::int32_t right) const {
    while (left != right) {
        if (depth_[index(left)] >= depth_[index(right)]) {
            left = parent_[index(left)];
        } else {
            right = parent_[index(right)];
        }
    }
    return left;
}

bool Routes::append_path(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& edges) {
    expect(from);
    expect(to);
    const std::size_t before = edges.size();
    const auto give_up = [&] {
        edges.resize(before);
        return false;
    };
    const bool same_tree = root_[index(from)] == root_[index(to)];
    const std::int32_t top = same_tree ? meeting_point(from, to) : root_[index(from)];
    const std::int32_t bottom = same_tree ? top : root_[index(to)];
    for (std::int32_t at = from; at != top; at = parent_[index(at)]) {
        if (up_[index(at)] == none) return give_up();
        edges.push_back(up_[index(at)]);
    }
    if (top != bottom) {
        const std::vector<std::int32_t>& distance = distances(bottom);
        if (distance[index(core_[index(top)])] == none) return give_up();
        for (std::int32_t at = top; at != bottom; at = target(edges.back()))
            edges.push_back(next_edge(at, distance));
    }
    const std::size_t turn = edges.size();
    for (std::int32_t at = to; at != bottom; at = parent_[index(at)]) {
        if (down_[index(at)] == none) return give_up();
        edges.push_back(down_[index(at)]);
    }
    std::reverse(edges.begin() + static_cast<std::ptrdiff_t>(turn), edges.end());
    return true;
}

std::vector<std::int32_t> Routes::path(std::int32_t from, std::int32_t to) {
    std::vector<std::int32_t> edges;
    if (append_path(from, to, edges)) return edges;
    throw Refusal(Reason::no_route, {.from = from, .to = to});
}

void Routes::append_dealt(std::int32_t from, std::int32_t to, std::span<std::uint32_t> turns,
                          std::vector<std::int32_t>& edges) {
    const std::int32_t top = root_[index(from)], bottom = root_[index(to)];
    const bool apart = plain_trees_ && top != bottom;  // then choices are between the roots alone
    std::int32_t at = from;
    if (apart) {
        for (; at != top; at = parent_[index(at)]) edges.push_back(up_[index(at)]);
    }
    for (const std::int32_t end = apart ? bottom : to; at != end; at = target(edges.back())) {
        const std::span<const std::int32_t> choices = apart ? next_in_core(at, end) : next_edges(at, end);
        if (choices.empty()) throw Refusal(Reason::no_route, {.from = at, .to = to});
        edges.push_back(choices.size() == 1 ? choices.front() : choices[turns[index(at)]++ % choices.size()]);
    }
    if (!apart) return;
    const auto turn = static_cast<std::ptrdiff_t>(edges.size());
    for (at = to; at != bottom; at = parent_[index(at)]) edges.push_back(down_[index(at)]);
    std::reverse(edges.begin() + turn, edges.end());
}

std::span<const std::int32_t> Routes::next_edges(std::int32_t from, std::int32_t to) {
    expect(from);
    expect(to);
    const std::size_t at = index(from);
    const std::int32_t root = root_[index(to)];
    if (in_core(from) && from != root) return next_in_core(from, root);
    if (plain_trees_) {
        if (from == to) return {};
        if (root_[at] != root) return {&up_[at], 1};
        for (std::int32_t below = to; below != root; below = parent_[index(below)]) {
            if (parent_[index(below)] == from) return {&down_[index(below)], 1};
        }
        return {&up_[at], 1};
    }
    return next_in_tree(from, to);
}

// In a tree there is one next component; parallel edges to it count as equal routes.
std::span<const std::int32_t> Routes::next_in_tree(std::int32_t from, std::int32_t to) {
    leading_.clear();
    std::int32_t next = none;
    if (root_[index(from)] != root_[index(to)]) {
        if (up_[index(from)] != none) next = parent_[index(from)];
    } else {
        route_.clear();
        if (append_path(from, to, route_) && !route_.empty()) next = target(route_.front());
    }
    if (next == none) return {};
    for (auto i = index(first_out_[index(from)]); i < index(first_out_[index(from) + 1]); ++i) {
        if (target(out_[i]) == next) leading_.push_back(out_[i]);
    }
    return leading_;
}

std::span<const std::int32_t> Routes::next_in_core(std::int32_t from, std::int32_t destination) {
    const std::size_t number = index(core_[index(destination)]);
    if (choices_[number].first.empty()) list_choices(destination);
    const Choices& choices = choices_[number];
    const std::size_t at = index(core_[index(from)]);
    return {choices.edges.data() + choices.first[at], choices.first[at + 1] - choices.first[at]};
}

void Routes::list_choices(std::int32_t destination) {
    const std::vector<std::int32_t> distance = distances(destination);
    Choices made;
    made.first.reserve(distance.size() + 1);
    made.first.push_back(0);
    for (std::int32_t component = 0; component < components(); ++component) {
        if (!in_core(component)) continue;
        const std::int32_t here = distance[index(core_[index(component)])];
        const std::size_t at = index(component);
        for (auto i = index(first_out_[at]); here > 0 && i < index(first_out_[at + 1]); ++i) {
            const std::int32_t number = core_[index(target(out_[i]))];
            if (number != none && distance[index(number)] + 1 == here) made.edges.push_back(out_[i]);
        }
        made.first.push_back(static_cast<std::uint32_t>(made.edges.size()));
    }
    make_room(made.first.size() + made.edges.size());
    choices_[index(core_[index(destination)])] = std::move(made);
}

}  // namespace striate
