// A read cache: the pages used last, and what to read ahead of a reader in sequence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace striate {

// A user's own choice of the page that leaves, in place of the least recently used one.
class PageReplacement {
  public:
    struct Page {
        std::int64_t file, number;
    };
    virtual ~PageReplacement() = default;
    virtual void added(std::uint32_t server, const Page& page) = 0;
    virtual void used(std::uint32_t server, const Page& page) = 0;
    [[nodiscard]] virtual Page victim(std::uint32_t server) = 0;  // one that is present
};

struct CacheRules {
    std::int64_t page_bytes = 64 << 10;
    std::int64_t capacity_bytes = 0;  // 0: keeps nothing
    std::int64_t read_ahead_bytes =
        0;  // beyond a read that misses and begins where the last one of its file ended
    PageReplacement* replacement = nullptr;  // not owned
    std::uint32_t server = 0;                // as which the replacement knows this cache
};

struct FileRange {
    std::int64_t offset, bytes;
    friend bool operator==(const FileRange&, const FileRange&) = default;
};

struct Lookup {
    std::int64_t hit_bytes = 0;      // of those asked for
    std::vector<FileRange> missing;  // whole pages to read, in order, what is read ahead included
};

// Least recently used pages leave first. Knows no time: a page counts as present once `fill` says so.
class ReadCache {
  public:
    // Throws std::invalid_argument when a page has no bytes or the capacity is negative.
    explicit ReadCache(const CacheRules& rules);

    // Asks for bytes of a file that ends at `file_end`; pages that are present become the most recent.
    [[nodiscard]] Lookup read(std::int64_t file, std::int64_t offset, std::int64_t bytes,
                              std::int64_t file_end);

    // These bytes are in memory now: they were read, or written through. A page that is written in pieces,
    // one beside the other as packets bring them, is present with the last of them; until then its other
    // bytes are not known.
    void fill(std::int64_t file, std::int64_t offset, std::int64_t bytes, std::int64_t file_end);

    [[nodiscard]] std::int64_t pages() const { return present_; }
    [[nodiscard]] std::int64_t hits() const { return hit_bytes_; }
    [[nodiscard]] std::int64_t misses() const { return missed_bytes_; }

  private:
    static constexpr std::int64_t block_pages = 16;
    struct Key {
        std::int64_t file, page;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            const auto mixed = static_cast<std::uint64_t>(key.file) * 0x9e3779b97f4a7c15U +
                               static_cast<std::uint64_t>(key.page);
            return static_cast<std::size_t>(mixed ^ mixed >> 31);
        }
    };
    // Where the pages of neighbours in a file are, 0: not present.
    struct Block {
        std::array<std::uint32_t, block_pages> place{};
        std::uint32_t present = 0;
    };
    struct Page {
        Key key;
        std::uint32_t newer, older;  // ring through page 0, which holds nothing
    };

    [[nodiscard]] static Key block_of(const Key& key) { return {key.file, key.page / block_pages}; }
    [[nodiscard]] static std::size_t in_block(const Key& key) {
        return static_cast<std::size_t>(key.page % block_pages);
    }
    // Neighbouring bytes of a page that is not present.
    struct Piece {
        std::int64_t from, stop;
    };
    static constexpr std::size_t most_begun = 1 << 16;  // beyond it all are forgotten

    [[nodiscard]] Piece joined(const Key& key, const Piece& written);
    [[nodiscard]] std::uint32_t find(const Key& key) const;
    void forget(const Key& key);
    [[nodiscard]] bool touch(const Key& key);
    void renew(std::uint32_t page);
    Block* insert(const Key& key, Block* block);
    [[nodiscard]] std::uint32_t leaving() const;
    void unlink(std::uint32_t page);
    void link_newest(std::uint32_t page);

    CacheRules rules_;
    std::int64_t most_pages_;
    std::vector<Page> pages_{{{-1, -1}, 0, 0}};
    std::unordered_map<Key, Block, Hash> blocks_;
    std::unordered_map<Key, Piece, Hash> begun_;               // pages written in part
    std::int64_t present_ = 0;                                 // pages
    std::unordered_map<std::int64_t, std::int64_t> last_end_;  // per file, of the last read
    std::int64_t hit_bytes_ = 0, missed_bytes_ = 0;
};

}  // namespace striate
