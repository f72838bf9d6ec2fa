// A read cache of one's own: the page that came first leaves first.
//
// Build it: c++ $(striate plugin flags) THIS_FILE -o THIS_STEM.so
// Try it:   striate predict checkpoint westmere --plugin THIS_STEM.so
#include <striate_plugin.hpp>

#include <cstdint>
#include <deque>

namespace {

class MyCache {
  public:
    static constexpr const char* name = "my-cache";

    MyCache(const striate_plugin::Server&, std::int64_t) {}

    void added(striate_plugin::Page page) { pages_.push_back(page); }

    void used(striate_plugin::Page) {}  // first in, first out does not care

    striate_plugin::Page victim() {
        const striate_plugin::Page first = pages_.front();
        pages_.pop_front();
        return first;
    }

  private:
    std::deque<striate_plugin::Page> pages_;
};

}  // namespace

STRIATE_PLUGINS(striate_plugin::cache<MyCache>())
