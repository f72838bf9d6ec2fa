#include "striate/programs/fold.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace striate {

namespace {

constexpr std::size_t longest_body = 256;  // nodes; longer bodies stay unfolded

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6u) + (hash >> 2u);
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ (hash >> 29u);
}

// What a pass adds to each free value; nothing where a difference has no 64 bits.
std::optional<std::vector<std::int64_t>> differences(std::span<const std::int64_t> before,
                                                     std::span<const std::int64_t> after) {
    std::vector<std::int64_t> found(before.size());
    for (std::size_t i = 0; i < before.size(); ++i)
        if (__builtin_sub_overflow(after[i], before[i], &found[i])) return std::nullopt;
    return found;
}

}  // namespace

std::uint64_t Folder::Node::hash() const { return mix(inside, static_cast<std::uint64_t>(count)); }

bool Folder::same_shape(const Node& one, const Node& other) {
    if (one.inside != other.inside || one.count != other.count || one.shape != other.shape) return false;
    return one.strides == other.strides &&
           std::equal(one.body.begin(), one.body.end(), other.body.begin(), other.body.end(), same_shape);
}

Folder::Node Folder::loop_of(std::int64_t count, std::vector<Node> body, std::vector<std::int64_t> strides) {
    Node loop;
    loop.shape = loop_shape;
    loop.count = count;
    for (const std::int64_t stride : strides)
        loop.inside = mix(loop.inside, static_cast<std::uint64_t>(stride));
    for (const Node& node : body) {
        loop.inside = mix(loop.inside, node.hash());
        loop.free.insert(loop.free.end(), node.free.begin(), node.free.end());
    }
    loop.strides = std::move(strides);
    loop.body = std::move(body);
    return loop;
}

void Folder::add(std::int64_t shape, std::span<const std::int64_t> free) {
    Node leaf;
    leaf.shape = shape;
    leaf.inside = mix(1, static_cast<std::uint64_t>(shape));
    leaf.free.assign(free.begin(), free.end());
    append(std::move(leaf));
    fold_tail();
}

void Folder::add_loop(std::span<const std::int64_t> shapes, std::span<const std::int64_t> widths,
                      std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                      std::int64_t count) {
    auto strides = differences(first, second);
    if (count < 1 || !strides) throw std::out_of_range("a loop needs a pass, and strides of 64 bits");
    Folder one_pass(false);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto width = static_cast<std::size_t>(widths[i]);
        one_pass.add(shapes[i], first.subspan(at, width));
        at += width;
    }
    append(loop_of(count, std::move(one_pass.nodes_), std::move(*strides)));
    fold_tail();
}

void Folder::append(Node node) {
    if (node.is_loop()) loops_.push_back(nodes_.size());
    hashes_.push_back(node.hash());
    nodes_.push_back(std::move(node));
}

// Cuts the last nodes off.
std::vector<Folder::Node> Folder::take(std::size_t length) {
    const std::size_t kept = nodes_.size() - length;
    while (!loops_.empty() && loops_.back() >= kept) loops_.pop_back();
    const auto tail = nodes_.begin() + static_cast<std::ptrdiff_t>(kept);
    std::vector<Node> taken(std::make_move_iterator(tail), std::make_move_iterator(nodes_.end()));
    nodes_.erase(tail, nodes_.end());
    hashes_.resize(kept);
    return taken;
}

void Folder::fold_tail() {
    if (!folds_) return;
    while (continue_loop() || start_loop()) {
    }
}

// Joins the tail to the loop before it when it is that loop's next pass.
bool Folder::continue_loop() {
    for (auto place = loops_.rbegin(); place != loops_.rend(); ++place) {
        const std::size_t at = *place, length = nodes_.size() - at - 1;
        if (length > longest_body) return false;
        if (length == 0 || nodes_[at].body.size() != length || !is_next_pass(nodes_[at], at + 1)) continue;
        Node loop = std::move(take(length + 1).front());
        ++loop.count;
        append(std::move(loop));
        return true;
    }
    return false;
}

bool Folder::is_next_pass(const Node& loop, std::size_t start) const {
    const auto tail = nodes_.begin() + static_cast<std::ptrdiff_t>(start);
    if (!std::equal(loop.body.begin(), loop.body.end(), tail, nodes_.end(), same_shape)) return false;
    std::size_t at = 0;
    for (std::size_t i = start; i < nodes_.size(); ++i) {
        for (const std::int64_t now : nodes_[i].free) {
            const auto moved = static_cast<__int128>(loop.count) * loop.strides[at];
            if (now != loop.free[at] + moved) return false;
            ++at;
        }
    }
    return true;
}

// Whether the last `length` nodes have the shapes of those before them.
bool Folder::repeats(std::size_t length) const {
    const std::size_t end = nodes_.size();
    const auto hash = [&](std::size_t back) { return hashes_.end() - static_cast<std::ptrdiff_t>(back); };
    if (hashes_[end - 1 - length] != hashes_.back()) return false;
    if (!std::equal(hash(length), hashes_.end(), hash(2 * length))) return false;
    const auto node = [&](std::size_t back) { return nodes_.end() - static_cast<std::ptrdiff_t>(back); };
    return std::equal(node(length), nodes_.end(), node(2 * length), same_shape);
}

// Makes a loop of the tail and the equal stretch before it, the shortest that is.
bool Folder::start_loop() {
    const std::size_t longest = std::min(longest_body, nodes_.size() / 2);
    for (std::size_t length = 1; length <= longest; ++length) {
        if (!repeats(length)) continue;
        std::vector<std::int64_t> before, after;
        for (std::size_t i = nodes_.size() - 2 * length; i < nodes_.size(); ++i) {
            auto& values = i < nodes_.size() - length ? before : after;
            values.insert(values.end(), nodes_[i].free.begin(), nodes_[i].free.end());
        }
        auto strides = differences(before, after);
        if (!strides) continue;
        std::vector<Node> passes = take(2 * length);
        passes.resize(length);
        append(loop_of(2, std::move(passes), std::move(*strides)));
        return true;
    }
    return false;
}

// Writes nodes as rows, with what the loops around them add.
class Folder::Writer {
  public:
    explicit Writer(FoldedRows& rows) : rows_(rows) { rows_.first_stride.push_back(0); }

    void write(const std::vector<Node>& nodes) {
        std::vector<const std::int64_t*> mine = around_;
        for (const Node& node : nodes) {
            around_ = mine;
            if (!node.is_loop())
                write_leaf(node, node.free, 0);
            else if (is_pair(node))
                write_pair(node);
            else
                write_loop(node);
            for (const std::int64_t*& level : mine) level += node.free.size();
        }
        around_ = std::move(mine);
    }

  private:
    // Two passes of one operation read better as two lines, and their stride need not be shared by ranks.
    static bool is_pair(const Node& loop) {
        return loop.count == 2 && loop.body.size() == 1 && !loop.body.front().is_loop();
    }

    void write_row(std::int64_t shape, std::int64_t count, std::uint8_t pair) {
        rows_.shape.push_back(shape);
        rows_.count.push_back(count);
        rows_.pair.push_back(pair);
    }

    void write_leaf(const Node& leaf, const std::vector<std::int64_t>& free, std::uint8_t pair) {
        write_row(leaf.shape, 0, pair);
        for (std::size_t i = 0; i < free.size(); ++i) {
            rows_.free.push_back(free[i]);
            for (const std::int64_t* level : around_) rows_.stride.push_back(level[i]);
            end_strides();
        }
    }

    void write_pair(const Node& loop) {
        const Node& leaf = loop.body.front();
        write_leaf(leaf, leaf.free, 1);
        std::vector<std::int64_t> moved(leaf.free);
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += loop.strides[i];
        write_leaf(leaf, moved, 2);
    }

    void write_loop(const Node& loop) {
        write_row(loop_shape, loop.count, 0);
        rows_.free.push_back(loop.count);
        end_strides();
        around_.push_back(loop.strides.data());
        write(loop.body);
        write_row(end_shape, 0, 0);
    }

    void end_strides() {
        const auto begin = static_cast<std::size_t>(rows_.first_stride.back());
        while (rows_.stride.size() > begin && rows_.stride.back() == 0) rows_.stride.pop_back();
        rows_.first_stride.push_back(static_cast<std::int64_t>(rows_.stride.size()));
    }

    FoldedRows& rows_;
    std::vector<const std::int64_t*> around_;  // strides of the loops around, from the free value at hand on
};

FoldedRows Folder::rows() const {
    FoldedRows rows;
    Writer(rows).write(nodes_);
    return rows;
}

}  // namespace striate
