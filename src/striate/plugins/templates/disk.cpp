// A disk of one's own: what does not continue the access before costs a seek.
//
// Build it: c++ $(striate plugin flags) THIS_FILE -o THIS_STEM.so
// Try it:   striate predict checkpoint westmere --plugin THIS_STEM.so
#include <striate_plugin.hpp>

#include <cstdint>

namespace {

constexpr double seek_seconds = 8e-3;
constexpr double bytes_per_second = 100e6;

class MyDisk {
  public:
    static constexpr const char* name = "my-disk";

    MyDisk(const striate_plugin::Server&, int) {}

    double seconds(const striate_plugin::DiskAccess& access) {
        const bool continues = access.file == file_ && access.offset == end_;
        file_ = access.file;
        end_ = access.end();
        return (continues ? 0.0 : seek_seconds) + static_cast<double>(access.bytes) / bytes_per_second;
    }

  private:
    std::int64_t file_ = -1, end_ = -1;  // where it stands
};

}  // namespace

STRIATE_PLUGINS(striate_plugin::disk<MyDisk>())
