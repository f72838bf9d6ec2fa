#include <cstdint>
#include <memory>
#include <vector>

#include "small_network.hpp"
#include "striate/network/network.hpp"

#include <doctest/doctest.h>

using namespace striate;

namespace {

// Two interfaces on one switch, a byte a nanosecond everywhere: a packet of 100 bytes takes 5 * 100 ns.
SmallNetwork pair() {
    SmallNetwork network;
    const std::int32_t middle = network.component(1e9);
    network.nic(middle, 1e9, 1e9, 0);
    network.nic(middle, 1e9, 1e9, 0);
    return network;
}

// Sends a message of 60 bytes (and 40 of header), then 100 bytes that continue it.
class Sender final : public NetworkListener {
  public:
    explicit Sender(bool closes) : closes_(closes) {}

    void on_sent(std::uint64_t cookie) override {
        if (cookie == 0) network->continue_message(0, 1, 100, 1);
    }
    void on_delivered(std::uint64_t) override {
        delivered.push_back(network->now() / 1000);
        if (!closes_ || delivered.size() > 1) return;
        network->set_open(1, false);
        network->set_timer(10'000'000, 0);
    }
    void on_timer(std::uint64_t) override { network->set_open(1, true); }

    std::unique_ptr<Network> network;
    std::vector<std::int64_t> delivered;

  private:
    bool closes_;
};

std::vector<std::int64_t> deliveries(bool guarded, bool closes) {
    const SmallNetwork columns = pair();
    Stations stations = columns.stations({.packet_bytes = 100});
    Sender sender(closes);
    sender.network = make_network(stations, sender, {});
    if (guarded) sender.network->guard(1);
    sender.network->start_message(0, 1, 60, 0);
    sender.network->run([] {});
    return sender.delivered;
}

}  // namespace

TEST_CASE("a packet that continues a message carries no header") {
    // Both packets have 100 bytes on the wire: 500 ns, and 100 ns behind it.
    CHECK((deliveries(false, false) == std::vector<std::int64_t>{500, 600}));
}

TEST_CASE("a guarded interface that stays open changes nothing") {
    CHECK((deliveries(true, false) == std::vector<std::int64_t>{500, 600}));
}

TEST_CASE("a closed interface takes no packet until it opens") {
    // Closed at 500 ns, before the second packet's turn; open again at 10 us.
    CHECK((deliveries(true, true) == std::vector<std::int64_t>{500, 10'100}));
}
