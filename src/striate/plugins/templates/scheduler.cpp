// A request scheduler of one's own: requests are served in the order in which they came.
//
// Build it: c++ $(striate plugin flags) THIS_FILE -o THIS_STEM.so
// Try it:   striate predict checkpoint westmere --plugin THIS_STEM.so
#include <striate_plugin.hpp>

#include <cstdint>
#include <deque>
#include <vector>

namespace {

class MyScheduler {
  public:
    static constexpr const char* name = "my-scheduler";

    explicit MyScheduler(const striate_plugin::Server&) {}

    void arrive(const striate_plugin::Request& request) { waiting_.push_back(request.number); }

    std::vector<std::int64_t> next(double) {
        const std::int64_t first = waiting_.front();
        waiting_.pop_front();
        return {first};
    }

  private:
    std::deque<std::int64_t> waiting_;
};

}  // namespace

STRIATE_PLUGINS(striate_plugin::scheduler<MyScheduler>())
