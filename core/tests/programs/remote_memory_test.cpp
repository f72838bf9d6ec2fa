#include "striate/programs/remote_memory.hpp"

#include <doctest/doctest.h>

#include <queue>
#include <string>
#include <vector>

using namespace striate;

namespace {

// A network on which a message has left after 1 and arrives after 10, and CPUs that combine a byte in 1.
class Desk final : public MemoryHost {
  public:
    void transmit_memory(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                         std::uint64_t cookie) override {
        log.push_back(std::to_string(source) + ">" + std::to_string(target) + ":" + std::to_string(payload));
        events_.push({now + 1, number_++, 0, cookie});
        events_.push({now + 10, number_++, 1, cookie});
    }
    void combine(std::uint32_t, std::int64_t bytes, std::uint64_t cookie) override {
        events_.push({now + bytes, number_++, 2, cookie});
    }
    void memory_over(std::uint32_t rank, std::int64_t request) override {
        log.push_back((request == blocking ? "rank " : "request ") +
                      std::to_string(request == blocking ? rank : request) + " at " + std::to_string(now));
    }

    void run(RemoteMemory& memory) {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now = event.time;
            if (event.kind == 0) memory.on_sent(event.cookie);
            if (event.kind == 1) memory.on_delivered(event.cookie);
            if (event.kind == 2) memory.on_combined(event.cookie);
        }
    }

    std::int64_t now = 0;
    std::vector<std::string> log;

  private:
    struct Event {
        std::int64_t time;
        std::uint64_t number;
        int kind;
        std::uint64_t cookie;
        friend bool operator<(const Event& left, const Event& right) {
            return std::pair(left.time, left.number) > std::pair(right.time, right.number);
        }
    };
    std::priority_queue<Event> events_;
    std::uint64_t number_ = 0;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("a put is data and an acknowledgement, and has left before it is done") {
    Desk desk;
    RemoteMemory memory(2, desk);
    memory.access(Kind::put, 0, {0, 1}, 100, 5);
    CHECK(memory.flush(0, 0, any, false));
    desk.run(memory);
    CHECK((desk.log == Log{"0>1:108", "request 5 at 1", "1>0:8", "rank 0 at 20"}));
    CHECK_FALSE(memory.flush(0, 0, any, false));
    CHECK(memory.messages() == 2);
}

TEST_CASE("a local flush waits until what was put has left") {
    Desk desk;
    RemoteMemory memory(2, desk);
    memory.access(Kind::put, 0, {0, 1}, 100, blocking);
    CHECK(memory.flush(0, 0, 1, true));
    desk.run(memory);
    CHECK((desk.log == Log{"0>1:108", "rank 0 at 1", "1>0:8"}));
}

TEST_CASE("a get is a request and data") {
    Desk desk;
    RemoteMemory memory(2, desk);
    memory.access(Kind::get, 0, {0, 1}, 100, 3);
    desk.run(memory);
    CHECK((desk.log == Log{"0>1:8", "1>0:108", "request 3 at 20"}));
}

TEST_CASE("what is accumulated is combined by the CPU of the target") {
    Desk desk;
    RemoteMemory memory(2, desk);
    memory.access(Kind::accumulate, 0, {0, 1}, 100, blocking);
    CHECK(memory.flush(0, 0, any, false));
    desk.run(memory);
    CHECK((desk.log == Log{"0>1:108", "1>0:8", "rank 0 at 120"}));  // 10, 100, 10
}

TEST_CASE("a flush waits for its own window and rank alone") {
    Desk desk;
    RemoteMemory memory(3, desk);
    memory.access(Kind::put, 0, {0, 1}, 100, blocking);
    CHECK_FALSE(memory.flush(0, 1, any, false));
    CHECK_FALSE(memory.flush(0, 0, 2, false));
    CHECK(memory.flush(0, 0, 1, false));
}

TEST_CASE("a lock is granted in the order asked: one alone, or several that share") {
    Desk desk;
    RemoteMemory memory(4, desk);
    CHECK(memory.lock(0, {0, 3}, true));
    CHECK(memory.lock(1, {0, 3}, false));
    CHECK(memory.lock(2, {0, 3}, false));
    desk.run(memory);
    CHECK(desk.log.back() == "rank 0 at 20");
    CHECK(memory.waiting().size() == 2);
    memory.access(Kind::put, 0, {0, 3}, 100, blocking);
    CHECK(memory.unlock(0, {0, 3}));
    desk.run(memory);
    // Put and acknowledged at 40; the lock is back at 50, which rank 0 hears at 60, as do the others.
    CHECK((desk.log.end()[-3] == "rank 0 at 60" && desk.log.end()[-2] == "rank 1 at 60"));
    CHECK(desk.log.back() == "rank 2 at 60");
    CHECK(memory.waiting().empty());
}
