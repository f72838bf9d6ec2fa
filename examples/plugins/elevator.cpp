// A server that sorts across its clients: the arm moves upwards through all that waits, then starts again
// (C-SCAN; P. Denning, "Effects of scheduling on file memory operations", AFIPS 1967). The twin of elevator.py.
#include <striate_plugin.hpp>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace {

using striate_plugin::Request;

class Elevator {
  public:
    static constexpr const char* name = "elevator";

    explicit Elevator(const striate_plugin::Server& server) : largest_(server.io_request_bytes) {}

    void arrive(const Request& request) {
        waiting_.emplace(Place{request.file, request.offset, request.number}, request);
    }

    std::vector<std::int64_t> next(double) {
        auto at = waiting_.lower_bound(arm_);
        if (at == waiting_.end()) at = waiting_.begin();
        const std::int64_t first = at->second.offset;
        std::vector<std::int64_t> chosen;
        Request last{};
        do {
            last = at->second;
            chosen.push_back(last.number);
            at = waiting_.erase(at);
        } while (at != waiting_.end() && continues(last, at->second, first));
        arm_ = {last.file, last.end(), 0};
        return chosen;
    }

  private:
    using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // file, offset, number

    [[nodiscard]] bool continues(const Request& last, const Request& one, std::int64_t first) const {
        return one.file == last.file && one.write == last.write && one.offset == last.end() &&
               one.end() - first <= largest_;
    }

    std::int64_t largest_;
    std::map<Place, Request> waiting_;
    Place arm_{0, 0, 0};
};

}  // namespace

STRIATE_PLUGINS(striate_plugin::scheduler<Elevator>())
