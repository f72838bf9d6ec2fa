// Which calls on files the members of a group make together, and how many of them a metadata server hears.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "striate/programs/groups.hpp"
#include "striate/programs/program.hpp"
#include "striate/pulse.hpp"

namespace striate {

// Counts every open, close, stat, sync and erase of an application once, loops by multiplication. Members of
// a group make a call of a file together when each of them makes it equally often: told by sums of random
// weights, so that a million ranks take the room of their files.
class FileCalls {
  public:
    // Throws Refusal when files move through too many passes.
    FileCalls(const Programs& programs, std::span<const GroupColumns> communicators, Pulse& pulse,
              const ExtentColumns& extents = {});

    [[nodiscard]] bool together(Kind kind, std::int32_t communicator, std::int64_t group,
                                std::int64_t file) const;

    // What a metadata server hears at least, in no order: a call made together counts once, also where all
    // ranks ask for the file that they open.
    struct Heard {
        Kind kind;
        std::int64_t file;
        std::int64_t calls;
        std::int64_t creates;  // of them
    };
    [[nodiscard]] std::vector<Heard> heard() const;

    // Files that are read and never written: they were there before, with at least so many bytes.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> read_only() const;

  private:
    struct Key {
        Kind kind;
        std::int32_t communicator;
        std::int64_t group, file;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Sum {
        std::int64_t calls = 0, creates = 0;
        std::uint64_t weight = 0;
    };
    struct Walk;

    void add(const Walk& walk, std::span<const std::int64_t> passes, std::int64_t times);
    void add_rank(const Walk& walk, std::int64_t rank, std::int64_t file, std::int64_t times, bool creates);
    void add_access(const Walk& walk, std::span<const std::int64_t> passes);
    [[nodiscard]] std::int64_t last_end(const Walk& walk, std::int64_t rank) const;
    void visit(const Walk& walk, std::vector<std::int64_t>& passes, std::size_t depth, std::int64_t times);
    [[nodiscard]] bool together(const Key& key, const Sum& sum) const;

    Programs programs_;
    std::vector<GroupColumns> communicators_;
    std::vector<std::vector<std::uint64_t>> group_weight_;  // per communicator and group
    std::unordered_map<Key, Sum, Hash> sums_;
    ExtentColumns extents_;
    std::unordered_map<std::int64_t, std::int64_t> read_to_;  // per file; below zero where it is written
    double walked_ = 0;
};

}  // namespace striate
