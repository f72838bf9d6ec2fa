// Plug-ins of striate in C++: include this header, write a class, list it in STRIATE_PLUGINS, build a shared
// object, and give it to `--plugin`. The guide "Write a plug-in" has the rules; they are those of Python.
//
// Only C types cross the border, so that the compiler of a plug-in need not be that of striate. Offsets and
// bytes of requests count in a server's own part of a file; times are seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace striate_plugin {

// ---- what classes see

struct Server {
    std::uint32_t number;
    const char* name;
    std::int64_t memory_bytes;      // for cached data; 0: no end
    std::int64_t io_request_bytes;  // what a disk is asked for at once, at most
};

struct Request {
    std::int64_t number;  // counted by arrival
    std::int64_t rank;    // whose bytes these are
    std::int64_t file, offset, bytes;
    double arrived;
    bool write;

    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
};

struct DiskAccess {
    std::int64_t file, offset, bytes;
    double now;
    bool write;

    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
};

// Bytes `number` * 64 KiB and on of the server's part of a file.
struct Page {
    std::int64_t file, number;
    friend bool operator==(const Page&, const Page&) = default;
};

// ---- what crosses the border

inline constexpr std::uint32_t interface_version = 1;

// Room for the words of an exception.
struct Words {
    char* characters;
    std::size_t room;
};

// One plug-in. Functions return a negative number when the class has raised an exception.
struct Entry {
    std::uint32_t version;  // interface_version
    const char* kind;       // "scheduler", "disk", "cache"
    const char* name;
    // `number`: of the disk, or the pages of a cache.
    void* (*make)(const Server*, std::int64_t number, Words);
    void (*destroy)(void*);
    int (*arrive)(void*, const Request*, Words);
    std::int64_t (*next)(void*, double now, std::int64_t* chosen, std::int64_t room, Words);
    int (*seconds)(void*, const DiskAccess*, double* found, Words);
    int (*added)(void*, Page, Words);
    int (*used)(void*, Page, Words);
    int (*victim)(void*, Page* found, Words);
};

// ---- tables of functions from classes

inline void tell(Words words, std::string_view what) {
    if (words.room == 0) return;
    const std::size_t size = what.size() < words.room - 1 ? what.size() : words.room - 1;
    what.copy(words.characters, size);
    words.characters[size] = '\0';
}

// The answer of `act`, or `failed` with the exception's words.
template <class Answer, class Act>
Answer guarded(Words words, Answer failed, const Act& act) noexcept {
    try {
        return act();
    } catch (const std::exception& error) {
        tell(words, error.what());
    } catch (...) {
        tell(words, "an exception that is no std::exception");
    }
    return failed;
}

template <class Plugin>
Entry entry_of(const char* kind) {
    Entry entry{};
    entry.version = interface_version;
    entry.kind = kind;
    entry.name = Plugin::name;
    entry.destroy = [](void* made) { delete static_cast<Plugin*>(made); };
    return entry;
}

// class(const Server&), arrive(const Request&), next(double now) -> numbers of the requests that are served
// as one access, each of which continues the one before.
template <class Plugin>
Entry scheduler() {
    Entry entry = entry_of<Plugin>("scheduler");
    entry.make = [](const Server* server, std::int64_t, Words words) {
        return guarded<void*>(words, nullptr, [&] { return static_cast<void*>(new Plugin(*server)); });
    };
    entry.arrive = [](void* made, const Request* request, Words words) {
        return guarded(words, -1, [&] { return static_cast<Plugin*>(made)->arrive(*request), 0; });
    };
    entry.next = [](void* made, double now, std::int64_t* chosen, std::int64_t room, Words words) {
        return guarded(words, std::int64_t{-1}, [&] {
            const std::vector<std::int64_t> found = static_cast<Plugin*>(made)->next(now);
            const auto count = static_cast<std::int64_t>(found.size());
            for (std::int64_t at = 0; at < count && at < room; ++at) chosen[at] = found[std::size_t(at)];
            return count;
        });
    };
    return entry;
}

// class(const Server&, int disk), seconds(const DiskAccess&) -> double.
template <class Plugin>
Entry disk() {
    Entry entry = entry_of<Plugin>("disk");
    entry.make = [](const Server* server, std::int64_t number, Words words) {
        return guarded<void*>(words, nullptr, [&] {
            return static_cast<void*>(new Plugin(*server, static_cast<int>(number)));
        });
    };
    entry.seconds = [](void* made, const DiskAccess* access, double* found, Words words) {
        return guarded(words, -1, [&] { return *found = static_cast<Plugin*>(made)->seconds(*access), 0; });
    };
    return entry;
}

// class(const Server&, std::int64_t pages), added(Page), used(Page), victim() -> Page.
template <class Plugin>
Entry cache() {
    Entry entry = entry_of<Plugin>("cache");
    entry.make = [](const Server* server, std::int64_t pages, Words words) {
        return guarded<void*>(words, nullptr, [&] { return static_cast<void*>(new Plugin(*server, pages)); });
    };
    entry.added = [](void* made, Page page, Words words) {
        return guarded(words, -1, [&] { return static_cast<Plugin*>(made)->added(page), 0; });
    };
    entry.used = [](void* made, Page page, Words words) {
        return guarded(words, -1, [&] { return static_cast<Plugin*>(made)->used(page), 0; });
    };
    entry.victim = [](void* made, Page* found, Words words) {
        return guarded(words, -1, [&] { return *found = static_cast<Plugin*>(made)->victim(), 0; });
    };
    return entry;
}

}  // namespace striate_plugin

// Lists the plug-ins of a shared object: STRIATE_PLUGINS(striate_plugin::scheduler<Mine>()).
#define STRIATE_PLUGINS(...)                                                                        \
    extern "C" __attribute__((visibility("default"))) const striate_plugin::Entry* striate_plugins( \
        std::int64_t* count) {                                                                      \
        static const striate_plugin::Entry entries[] = {__VA_ARGS__};                               \
        *count = static_cast<std::int64_t>(sizeof entries / sizeof entries[0]);                     \
        return entries;                                                                             \
    }
