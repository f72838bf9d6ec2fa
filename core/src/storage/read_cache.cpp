#include "striate/storage/read_cache.hpp"

#include <algorithm>
#include <stdexcept>

#include "striate/refusal.hpp"

namespace striate {

ReadCache::ReadCache(const CacheRules& rules)
    : rules_(rules), most_pages_(rules.page_bytes < 1 ? 0 : rules.capacity_bytes / rules.page_bytes) {
    if (rules.page_bytes < 1 || rules.capacity_bytes < 0) throw Refusal(Reason::empty_unit);
}

Lookup ReadCache::read(std::int64_t file, std::int64_t offset, std::int64_t bytes, std::int64_t file_end) {
    Lookup found;
    const std::int64_t end = std::min(offset + bytes, std::max(offset, file_end));
    const auto last = last_end_.find(file);
    const bool in_sequence = last != last_end_.end() && last->second == offset;
    last_end_[file] = end;
    const std::int64_t ahead = std::min(file_end, end + (in_sequence ? rules_.read_ahead_bytes : 0));
    const auto until = [&] { return found.missing.empty() ? end : ahead; };  // who waits takes more along
    for (std::int64_t page = offset / rules_.page_bytes; page * rules_.page_bytes < until(); ++page) {
        const std::int64_t from = page * rules_.page_bytes;
        const std::int64_t stop = std::min(from + rules_.page_bytes, file_end);
        const std::int64_t wanted = std::max<std::int64_t>(0, std::min(stop, end) - std::max(from, offset));
        if (touch({file, page})) {
            found.hit_bytes += wanted;
        } else if (!found.missing.empty() &&
                   found.missing.back().offset + found.missing.back().bytes == from) {
            found.missing.back().bytes += stop - from;
        } else {
            found.missing.push_back({from, stop - from});
        }
    }
    hit_bytes_ += found.hit_bytes;
    missed_bytes_ += end - offset - found.hit_bytes;
    return found;
}

void ReadCache::fill(std::int64_t file, std::int64_t offset, std::int64_t bytes, std::int64_t file_end) {
    if (most_pages_ == 0) return;
    const std::int64_t end = offset + bytes;
    Block* block = nullptr;  // neighbours are looked up together
    for (std::int64_t page = offset / rules_.page_bytes; page * rules_.page_bytes < end; ++page) {
        const Key key{file, page};
        const std::int64_t from = page * rules_.page_bytes;
        const std::int64_t stop = std::min(from + rules_.page_bytes, file_end);
        if (from <= offset || in_block(key) == 0) {
            const auto found = blocks_.find(block_of(key));
            block = found == blocks_.end() ? nullptr : &found->second;
        }
        if (block != nullptr && block->place[in_block(key)] != 0) {
            renew(block->place[in_block(key)]);
            continue;
        }
        if (offset > from || end < stop) {
            const Piece piece = joined(key, {std::max(offset, from), std::min(end, stop)});
            if (piece.from > from || piece.stop < stop) continue;
        }
        if (!begun_.empty()) begun_.erase(key);
        block = insert(key, block);
    }
}

// What was written together with what lies beside it; kept for the next piece. Bytes apart from it are
// forgotten.
ReadCache::Piece ReadCache::joined(const Key& key, const Piece& written) {
    if (begun_.size() >= most_begun) begun_.clear();
    Piece& kept = begun_.try_emplace(key, written).first->second;
    const bool beside = written.from <= kept.stop && kept.from <= written.stop;
    kept = beside ? Piece{std::min(kept.from, written.from), std::max(kept.stop, written.stop)} : written;
    return kept;
}

std::uint32_t ReadCache::find(const Key& key) const {
    const auto block = blocks_.find(block_of(key));
    return block == blocks_.end() ? 0 : block->second.place[in_block(key)];
}

void ReadCache::forget(const Key& key) {
    const auto block = blocks_.find(block_of(key));
    block->second.place[in_block(key)] = 0;
    --present_;
    if (--block->second.present == 0) blocks_.erase(block);
}

bool ReadCache::touch(const Key& key) {
    const std::uint32_t page = find(key);
    if (page == 0) return false;
    renew(page);
    return true;
}

void ReadCache::renew(std::uint32_t page) {
    const Key& key = pages_[page].key;
    unlink(page);
    link_newest(page);
    if (rules_.replacement != nullptr) rules_.replacement->used(rules_.server, {key.file, key.page});
}

// The page that makes room: the oldest, unless somebody else decides.
std::uint32_t ReadCache::leaving() const {
    if (rules_.replacement == nullptr) return pages_[0].newer;
    const PageReplacement::Page victim = rules_.replacement->victim(rules_.server);
    const std::uint32_t page = find({victim.file, victim.number});
    if (page == 0) throw std::invalid_argument("a page that is not present cannot leave");
    return page;
}

// Its block, if it is known; the one where it is now. A block may leave with the last of its pages.
ReadCache::Block* ReadCache::insert(const Key& key, Block* block) {
    auto page = static_cast<std::uint32_t>(pages_.size());
    if (pages() < most_pages_) {
        pages_.push_back({key, 0, 0});
    } else {
        page = leaving();
        unlink(page);
        forget(pages_[page].key);
        pages_[page].key = key;
        block = nullptr;
    }
    if (block == nullptr) block = &blocks_[block_of(key)];
    block->place[in_block(key)] = page;
    ++block->present;
    ++present_;
    link_newest(page);
    if (rules_.replacement != nullptr) rules_.replacement->added(rules_.server, {key.file, key.page});
    return block;
}

// Page 0 closes the ring: its `newer` is the oldest page, its `older` the newest.
void ReadCache::unlink(std::uint32_t page) {
    pages_[pages_[page].older].newer = pages_[page].newer;
    pages_[pages_[page].newer].older = pages_[page].older;
}

void ReadCache::link_newest(std::uint32_t page) {
    const std::uint32_t newest = pages_[0].older;
    pages_[page].newer = 0;
    pages_[page].older = newest;
    pages_[newest].newer = page;
    pages_[0].older = page;
}

}  // namespace striate
