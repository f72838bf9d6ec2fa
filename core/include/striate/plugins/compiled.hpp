// Plug-ins of shared objects as parts of a run; every answer is checked as that of a plug-in in Python is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "striate/storage/disk.hpp"
#include "striate/storage/read_cache.hpp"
#include "striate/storage/server_queue.hpp"

namespace striate_plugin {
struct Entry;
}

namespace striate {

// What a plug-in did wrong, in words; of which kind it is, where that is known.
struct PluginFault : std::runtime_error {
    explicit PluginFault(const std::string& words, std::string of_kind = "")
        : std::runtime_error(words), kind(std::move(of_kind)) {}
    std::string kind;
};

// A shared object; it stays loaded until the process ends.
class CompiledLibrary {
  public:
    struct Named {
        std::string kind, name;
    };

    // Runs the object's own code. Throws PluginFault when it is no shared object, or lists no plug-ins.
    explicit CompiledLibrary(const std::string& path);
    [[nodiscard]] std::vector<Named> plugins() const;
    // Throws PluginFault when there is none.
    [[nodiscard]] const striate_plugin::Entry& find(const std::string& kind, const std::string& name) const;

  private:
    const striate_plugin::Entry* entries_ = nullptr;
    std::int64_t count_ = 0;
};

// A server as plug-ins see it.
struct PluginServer {
    std::string name;
    std::int64_t memory_bytes;
    std::int64_t disks;
};

// Objects of a plug-in, destroyed with this one.
class CompiledObjects {
  public:
    CompiledObjects(const striate_plugin::Entry& entry, std::vector<PluginServer> servers,
                    std::int64_t io_request_bytes);
    ~CompiledObjects();
    CompiledObjects(const CompiledObjects&) = delete;
    CompiledObjects& operator=(const CompiledObjects&) = delete;

    // Makes one for a server; `number` is its disk, or the pages of its cache.
    void make(std::size_t server, std::int64_t number);
    [[nodiscard]] void* operator[](std::size_t at) const { return objects_[at]; }
    [[nodiscard]] const striate_plugin::Entry& entry() const { return entry_; }
    [[nodiscard]] const std::vector<PluginServer>& servers() const { return servers_; }
    [[nodiscard]] std::int64_t io_request_bytes() const { return io_request_bytes_; }
    [[nodiscard]] PluginFault fault(const std::string& why) const;
    // The same of one server's object.
    [[nodiscard]] PluginFault fault(std::size_t server, const std::string& why) const {
        return fault("server " + servers_[server].name + ": " + why);
    }

  private:
    const striate_plugin::Entry& entry_;
    std::vector<PluginServer> servers_;
    std::int64_t io_request_bytes_;
    std::vector<void*> objects_;
};

class CompiledScheduler : public RequestScheduler {
  public:
    CompiledScheduler(const striate_plugin::Entry& entry, std::vector<PluginServer> servers,
                      std::int64_t io_request_bytes);
    void arrive(std::uint32_t server, std::uint32_t slot, const Job& job, Ticks now) override;
    [[nodiscard]] std::vector<std::uint32_t> next(std::uint32_t server, Ticks now) override;

  private:
    struct Waiting {
        Access access;
        std::uint32_t slot;
    };
    [[nodiscard]] Waiting taken(std::uint32_t server, std::int64_t number);

    CompiledObjects objects_;
    std::vector<std::map<std::int64_t, Waiting>> waiting_;  // per server, by the number of the request
    std::vector<std::int64_t> chosen_;
    std::int64_t arrived_ = 0;
};

class CompiledDisk : public DiskModel {
  public:
    CompiledDisk(const striate_plugin::Entry& entry, std::vector<PluginServer> servers,
                 std::int64_t io_request_bytes);
    [[nodiscard]] Ticks ticks(std::uint32_t server, std::uint32_t disk, const Access& access,
                              Ticks now) override;

  private:
    CompiledObjects objects_;
    std::vector<std::size_t> first_;  // disk of each server
};

class CompiledReplacement : public PageReplacement {
  public:
    CompiledReplacement(const striate_plugin::Entry& entry, std::vector<PluginServer> servers,
                        std::int64_t io_request_bytes);
    void added(std::uint32_t server, const Page& page) override;
    void used(std::uint32_t server, const Page& page) override;
    [[nodiscard]] Page victim(std::uint32_t server) override;

  private:
    CompiledObjects objects_;
    std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> present_;  // per server: file, number
};

}  // namespace striate
