// Extent locks on the objects of files: one client at a time writes to an object, and giving a lock up takes
// time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace striate {

// As Lustre's clients hold them: a client is a node, and a lock that nobody else wants is the whole object's,
// so that the node's next write need not ask. A write that wants a lock of another node waits until the
// holder's writes are over and the lock has moved. Waiting writes of one node that follow each other get it
// together.
class ExtentLocks {
  public:
    enum class Answer : std::uint8_t {
        granted,
        waits,
        moves,  // it waits, and the lock begins to move: `moved` is to be called when it has
    };

    // The lock of a file's object on a server.
    [[nodiscard]] std::uint32_t lock_of(std::uint32_t server, std::int64_t file);
    // True: the node holds the lock, nobody waits for it, and a write goes on without asking.
    [[nodiscard]] bool take_locked(std::uint32_t lock, std::uint32_t node);
    [[nodiscard]] Answer ask(std::uint32_t lock, std::uint32_t node, std::uint32_t write);
    // A write is over. True: the lock begins to move.
    [[nodiscard]] bool over(std::uint32_t lock);
    // The lock has moved: these writes go on.
    [[nodiscard]] std::vector<std::uint32_t> moved(std::uint32_t lock);

  private:
    struct Waiting {
        std::uint32_t node, write;
    };
    struct Lock {
        std::int64_t holder = nobody;
        std::int64_t writing = 0;  // writes under it
        bool moving = false;
        std::deque<Waiting> waiting{};
    };
    static constexpr std::int64_t nobody = -1;

    [[nodiscard]] bool begin_move(Lock& lock);

    std::vector<Lock> locks_;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> number_;  // by server and file
};

}  // namespace striate
