#include "striate/plugins/compiled.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "striate_plugin.hpp"

namespace striate {

namespace {

namespace abi = striate_plugin;

constexpr double ticks_per_second = 1e12;
constexpr double most_seconds = 1e7;  // of one disk access

// Where an exception of the plug-in leaves its words.
class Excuse {
  public:
    [[nodiscard]] abi::Words words() { return {characters_.data(), characters_.size()}; }
    [[nodiscard]] std::string raised(const char* method) const {
        return std::string("`") + method + "` raises " + characters_.data();
    }

  private:
    std::array<char, 200> characters_{};
};

bool has_all(const abi::Entry& entry) {
    const std::string kind = entry.kind;
    if (kind == "scheduler") return entry.arrive != nullptr && entry.next != nullptr;
    if (kind == "disk") return entry.seconds != nullptr;
    return entry.added != nullptr && entry.used != nullptr && entry.victim != nullptr;
}

}  // namespace

CompiledLibrary::CompiledLibrary(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw PluginFault(std::string("cannot be loaded: ") + dlerror());
    using List = const abi::Entry* (*)(std::int64_t*);
    List list = nullptr;
    void* const symbol = dlsym(library, "striate_plugins");
    if (symbol == nullptr) throw PluginFault("expected a list of plug-ins, STRIATE_PLUGINS(...), found none");
    static_assert(sizeof symbol == sizeof list);
    std::memcpy(&list, &symbol, sizeof list);
    entries_ = list(&count_);
    if (entries_ == nullptr || count_ < 1) throw PluginFault("lists no plug-ins");
    if (entries_[0].version != abi::interface_version) {
        throw PluginFault("was built for version " + std::to_string(entries_[0].version) +
                          " of the interface, this is version " + std::to_string(abi::interface_version) +
                          ": build it again");
    }
    for (std::int64_t at = 0; at < count_; ++at) {
        const abi::Entry& entry = entries_[at];
        const std::string kind = entry.kind == nullptr ? "" : entry.kind;
        if (kind != "scheduler" && kind != "disk" && kind != "cache") {
            throw PluginFault("expected a plug-in kind among scheduler, disk, cache, got '" + kind + "'");
        }
        if (entry.name == nullptr || entry.make == nullptr || entry.destroy == nullptr || !has_all(entry)) {
            throw PluginFault("lacks a function of the kind " + kind);
        }
    }
}

std::vector<CompiledLibrary::Named> CompiledLibrary::plugins() const {
    std::vector<Named> found;
    for (std::int64_t at = 0; at < count_; ++at) found.push_back({entries_[at].kind, entries_[at].name});
    return found;
}

const abi::Entry& CompiledLibrary::find(const std::string& kind, const std::string& name) const {
    const abi::Entry* const end = entries_ + count_;
    const abi::Entry* const found = std::find_if(
        entries_, end, [&](const abi::Entry& entry) { return kind == entry.kind && name == entry.name; });
    if (found == end) throw PluginFault("no plug-in '" + name + "' of kind " + kind);
    return *found;
}

CompiledObjects::CompiledObjects(const abi::Entry& entry, std::vector<PluginServer> servers,
                                 std::int64_t io_request_bytes)
    : entry_(entry), servers_(std::move(servers)), io_request_bytes_(io_request_bytes) {}

CompiledObjects::~CompiledObjects() {
    for (void* const object : objects_) entry_.destroy(object);
}

void CompiledObjects::make(std::size_t server, std::int64_t number) {
    const PluginServer& known = servers_[server];
    const abi::Server seen{static_cast<std::uint32_t>(server), known.name.c_str(), known.memory_bytes,
                           io_request_bytes_};
    Excuse excuse;
    void* const made = entry_.make(&seen, number, excuse.words());
    if (made == nullptr) throw fault(excuse.raised("constructor"));
    objects_.push_back(made);
}

PluginFault CompiledObjects::fault(const std::string& why) const { return PluginFault(why, entry_.kind); }

// ---- scheduler

CompiledScheduler::CompiledScheduler(const abi::Entry& entry, std::vector<PluginServer> servers,
                                     std::int64_t io_request_bytes)
    : objects_(entry, std::move(servers), io_request_bytes), waiting_(objects_.servers().size()) {
    for (std::size_t server = 0; server < waiting_.size(); ++server) objects_.make(server, 0);
}

void CompiledScheduler::arrive(std::uint32_t server, std::uint32_t slot, const Job& job, Ticks now) {
    const Access& access = job.access;
    const abi::Request request{arrived_++,    job.writer,   access.file,
                               access.offset, access.bytes, static_cast<double>(now) / ticks_per_second,
                               access.write};
    waiting_[server].emplace(request.number, Waiting{access, slot});
    Excuse excuse;
    if (objects_.entry().arrive(objects_[server], &request, excuse.words()) < 0) {
        throw objects_.fault(excuse.raised("arrive"));
    }
}

std::vector<std::uint32_t> CompiledScheduler::next(std::uint32_t server, Ticks now) {
    const std::size_t waiting = waiting_[server].size();
    chosen_.resize(std::max(chosen_.size(), waiting));
    Excuse excuse;
    const std::int64_t count =
        objects_.entry().next(objects_[server], static_cast<double>(now) / ticks_per_second, chosen_.data(),
                              std::ssize(chosen_), excuse.words());
    if (count < 0) throw objects_.fault(excuse.raised("next"));
    if (count == 0) {
        throw objects_.fault(server, "disks stay idle while " + std::to_string(waiting) +
                                         " requests wait: `next` returned no request");
    }
    if (static_cast<std::size_t>(count) > waiting) {
        throw objects_.fault(server, "`next` returned " + std::to_string(count) + " requests, but only " +
                                         std::to_string(waiting) + " wait");
    }
    std::vector<std::uint32_t> slots;
    Access whole{};
    for (std::int64_t at = 0; at < count; ++at) {
        const std::int64_t number = chosen_[static_cast<std::size_t>(at)];
        const Waiting one = taken(server, number);
        const Access& access = one.access;
        if (at == 0) {
            whole = access;
        } else if (access.file != whole.file || access.write != whole.write || access.offset != whole.end()) {
            throw objects_.fault(
                server,
                "expected requests served together to be contiguous in one file and all reads or "
                "all writes, got request " +
                    std::to_string(number) + ", which does not continue the request before it");
        } else {
            whole.bytes += access.bytes;
        }
        slots.push_back(one.slot);
    }
    if (count > 1 && whole.bytes > objects_.io_request_bytes()) {
        throw objects_.fault(server, "expected at most " + std::to_string(objects_.io_request_bytes()) +
                                         " bytes served together (the size of one I/O request), got " +
                                         std::to_string(whole.bytes));
    }
    return slots;
}

CompiledScheduler::Waiting CompiledScheduler::taken(std::uint32_t server, std::int64_t number) {
    const auto found = waiting_[server].find(number);
    if (found == waiting_[server].end()) {
        throw objects_.fault(
            server, "`next` returned request " + std::to_string(number) + ", which is not a waiting request");
    }
    const Waiting one = found->second;
    waiting_[server].erase(found);
    return one;
}

// ---- disk

CompiledDisk::CompiledDisk(const abi::Entry& entry, std::vector<PluginServer> servers,
                           std::int64_t io_request_bytes)
    : objects_(entry, std::move(servers), io_request_bytes) {
    std::size_t made = 0;
    for (std::size_t server = 0; server < objects_.servers().size(); ++server) {
        first_.push_back(made);
        for (std::int64_t disk = 0; disk < objects_.servers()[server].disks; ++disk, ++made) {
            objects_.make(server, disk);
        }
    }
}

Ticks CompiledDisk::ticks(std::uint32_t server, std::uint32_t disk, const Access& access, Ticks now) {
    const abi::DiskAccess asked{access.file, access.offset, access.bytes,
                                static_cast<double>(now) / ticks_per_second, access.write};
    double found = 0;
    Excuse excuse;
    if (objects_.entry().seconds(objects_[first_[server] + disk], &asked, &found, excuse.words()) < 0) {
        throw objects_.fault(excuse.raised("seconds"));
    }
    if (!(found >= 0 && found <= most_seconds)) {
        throw objects_.fault("disk " + std::to_string(disk) + " of server " +
                             objects_.servers()[server].name +
                             ": expected `seconds` to return 0 to 1e+07 s, got " + std::to_string(found));
    }
    return static_cast<Ticks>(std::nearbyint(found * ticks_per_second));  // ties to even, as Python rounds
}

// ---- cache

CompiledReplacement::CompiledReplacement(const abi::Entry& entry, std::vector<PluginServer> servers,
                                         std::int64_t io_request_bytes)
    : objects_(entry, std::move(servers), io_request_bytes), present_(objects_.servers().size()) {
    const std::int64_t page_bytes = CacheRules{}.page_bytes;
    for (std::size_t server = 0; server < present_.size(); ++server) {
        objects_.make(server, objects_.servers()[server].memory_bytes / page_bytes);
    }
}

void CompiledReplacement::added(std::uint32_t server, const Page& page) {
    present_[server].emplace(page.file, page.number);
    Excuse excuse;
    if (objects_.entry().added(objects_[server], {page.file, page.number}, excuse.words()) < 0) {
        throw objects_.fault(excuse.raised("added"));
    }
}

void CompiledReplacement::used(std::uint32_t server, const Page& page) {
    Excuse excuse;
    if (objects_.entry().used(objects_[server], {page.file, page.number}, excuse.words()) < 0) {
        throw objects_.fault(excuse.raised("used"));
    }
}

PageReplacement::Page CompiledReplacement::victim(std::uint32_t server) {
    abi::Page found{};
    Excuse excuse;
    if (objects_.entry().victim(objects_[server], &found, excuse.words()) < 0) {
        throw objects_.fault(excuse.raised("victim"));
    }
    if (present_[server].erase({found.file, found.number}) == 0) {
        throw objects_.fault(server, "`victim` returned page " + std::to_string(found.number) + " of file " +
                                         std::to_string(found.file) + ", which is not in memory");
    }
    return {found.file, found.number};
}

}  // namespace striate
