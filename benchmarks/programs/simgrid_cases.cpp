// The cases of benchmarks/simgrid.py in SimGrid's own language. Prints simulated and CPU seconds, one case a run.
//
//   simgrid_cases BANDWIDTH LATENCY DISK_RATE CASE NUMBER...
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

struct Star {
    std::vector<sg4::Host*> hosts;
    std::vector<sg4::Disk*> disks;  // of the first hosts

    Star(std::size_t count, double bandwidth, double latency, std::size_t with_disk = 0, double disk_rate = 1) {
        auto* zone = sg4::create_star_zone("star");
        for (std::size_t i = 0; i < count; ++i) {
            auto* host = zone->create_host("host" + std::to_string(i), 1e9);
            const auto* link = zone->create_split_duplex_link("link" + std::to_string(i), bandwidth)
                                   ->set_latency(latency)
                                   ->seal();
            zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                            {{link, sg4::LinkInRoute::Direction::UP}}, true);
            if (i < with_disk)
                disks.push_back(host->create_disk("disk" + std::to_string(i), disk_rate, disk_rate));
            host->seal();
            hosts.push_back(host);
        }
        zone->seal();
    }
};

void broadcast(const Star& star, std::uint64_t bytes) {
    const std::size_t ranks = star.hosts.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        sg4::Actor::create("rank", star.hosts[rank], [rank, ranks, bytes] {
            static int token;
            const auto box = [](std::size_t who) { return sg4::Mailbox::by_name(std::to_string(who)); };
            if (rank > 0) box(rank)->get<int>();
            std::size_t reach = 1;
            while (rank > 0 ? reach < (rank & -rank) : reach < ranks) reach *= 2;
            std::vector<sg4::CommPtr> sends;
            for (std::size_t hop = reach / 2; hop > 0; hop /= 2) {
                if (rank + hop < ranks) sends.push_back(box(rank + hop)->put_async(&token, bytes));
            }
            sg4::Comm::wait_all(sends);
        });
    }
}

void messages(const Star& star, std::uint64_t count, std::uint64_t bytes) {
    sg4::Actor::create("sender", star.hosts[0], [count, bytes] {
        static int token;
        for (std::uint64_t i = 0; i < count; ++i) sg4::Mailbox::by_name("box")->put(&token, bytes);
    });
    sg4::Actor::create("receiver", star.hosts[1], [count] {
        for (std::uint64_t i = 0; i < count; ++i) sg4::Mailbox::by_name("box")->get<int>();
    });
}

// One line a flow in the file: source, target, bytes.
void flows(const Star& star, const std::string& path) {
    sg4::Actor::create("starter", star.hosts[0], [&star, path] {
        std::vector<sg4::CommPtr> all;
        std::ifstream file(path);
        std::size_t source, target;
        std::uint64_t bytes;
        while (file >> source >> target >> bytes)
            all.push_back(sg4::Comm::sendto_async(star.hosts[source], star.hosts[target], bytes));
        sg4::Comm::wait_all(all);
    });
}

void chunks(const Star& star, std::size_t disks, std::uint64_t each, std::uint64_t bytes) {
    for (std::size_t client = disks; client < star.hosts.size(); ++client) {
        sg4::Actor::create("client", star.hosts[client], [&star, client, disks, each, bytes] {
            for (std::uint64_t i = 0; i < each; ++i) {
                const std::size_t server = (client * (each + 1) + i) % disks;
                sg4::Comm::sendto(star.hosts[client], star.hosts[server], bytes);
                star.disks[server]->write_async(bytes)->wait();
            }
        });
    }
}

}  // namespace

int main(int count, char** words) {
    sg4::Engine engine(&count, words);
    sg4::Engine::set_config("network/model:CM02");
    sg4::Engine::set_config("network/TCP-gamma:0");
    sg4::Engine::set_config("network/crosstraffic:0");
    sg4::Engine::set_config("contexts/stack-size:64");
    const double bandwidth = std::stod(words[1]), latency = std::stod(words[2]), disk_rate = std::stod(words[3]);
    const std::string what = words[4];
    const auto number = [&](int at) { return std::stoull(words[4 + at]); };
    const std::clock_t begin = std::clock();
    const std::size_t disks = what == "chunks" ? number(2) : 0;
    const Star star(number(1) + disks, bandwidth, latency, disks, disk_rate);
    if (what == "broadcast") broadcast(star, number(2));
    if (what == "messages") messages(star, number(2), number(3));
    if (what == "flows") flows(star, words[6]);
    if (what == "chunks") chunks(star, disks, number(3), number(4));
    engine.run();
    std::printf("%.9f %.6f\n", sg4::Engine::get_clock(),
                static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    return 0;
}
