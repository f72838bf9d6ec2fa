// Folds a stream of operations back into loops as it arrives: memory grows with the folded program, not with
// its length.
//
// Two neighbouring stretches of equal shape become a loop; a stretch that continues a loop joins it. Free
// values (offsets, files, tags) may move by the same amount each pass, their stride. Folding never changes
// what the program says: unfolding gives the same operations again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace striate {

inline constexpr std::int64_t loop_shape = 0;  // of rows that bracket a loop; operations count on from them
inline constexpr std::int64_t end_shape = 1;

// A folded program as rows in order; loops of one operation and two passes are written out.
struct FoldedRows {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> count;         // passes of the loop that begins; 0 for all other rows
    std::vector<std::uint8_t> pair;          // 1 and 2: the two passes of a loop that is written out
    std::vector<std::int64_t> free;          // of each row in turn; of a loop that begins, its passes
    std::vector<std::int64_t> first_stride;  // per free value, and one past the end
    std::vector<std::int64_t> stride;  // per loop around, the outermost first; zeros at the end left out
};

class Folder {
  public:
    explicit Folder(bool folds) : folds_(folds) {}

    // One operation: its shape must be equal to fold, its free values may move.
    void add(std::int64_t shape, std::span<const std::int64_t> free);

    // `count` passes at once, given the first two of them; operation i has widths[i] free values.
    void add_loop(std::span<const std::int64_t> shapes, std::span<const std::int64_t> widths,
                  std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                  std::int64_t count);

    [[nodiscard]] FoldedRows rows() const;

  private:
    // An operation (no passes), or a loop: in pass i each free value is its first one plus i times its
    // stride.
    struct Node {
        std::int64_t shape = 0;
        std::int64_t count = 0;
        std::uint64_t inside = 0;  // a hash of all that must be equal but the passes
        std::vector<std::int64_t> free;
        std::vector<std::int64_t> strides;
        std::vector<Node> body;

        [[nodiscard]] bool is_loop() const { return count > 0; }
        [[nodiscard]] std::uint64_t hash() const;
    };
    class Writer;

    static bool same_shape(const Node& one, const Node& other);
    static Node loop_of(std::int64_t count, std::vector<Node> body, std::vector<std::int64_t> strides);

    void fold_tail();
    bool continue_loop();
    bool start_loop();
    [[nodiscard]] bool is_next_pass(const Node& loop, std::size_t start) const;
    [[nodiscard]] bool repeats(std::size_t length) const;
    void append(Node node);
    std::vector<Node> take(std::size_t length);

    bool folds_;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> hashes_;  // of the nodes' shapes, for quick comparison
    std::vector<std::size_t> loops_;     // positions of loops in `nodes_`
};

}  // namespace striate
