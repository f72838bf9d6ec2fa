#include "striate/network/train_network.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "small_network.hpp"
#include "striate/network/schedule.hpp"

#include <doctest/doctest.h>

using striate::Fidelity;
using striate::ScheduleResult;
using striate::Ticks;

namespace {

// A switch of 10 GB/s with one cable of 1 GB/s and 1 us to each of so many interfaces.
SmallNetwork star(int interfaces) {
    SmallNetwork network;
    network.component(1e10);
    for (int number = 0; number < interfaces; ++number) {
        const std::int32_t node = network.component(1e11);
        network.cable(0, node, 1e9, 1'000'000);
        network.nic(node, 1e11, 1e11, 0);
    }
    return network;
}

ScheduleResult simulate(const SmallNetwork& network, const SmallSchedule& schedule, Fidelity fidelity) {
    return schedule.simulate(network.stations({.packet_bytes = 1000}), {.fidelity = fidelity});
}

// Takes down when messages arrive, and has a door at interface 1.
class Doorkeeper : public striate::NetworkListener {
  public:
    void on_sent(std::uint64_t cookie) override { sent.push_back(cookie); }
    void on_delivered(std::uint64_t cookie) override {
        came.push_back(cookie);
        network->set_open(1, false);
    }
    void on_timer(std::uint64_t) override { network->set_open(1, true); }

    striate::Network* network = nullptr;
    std::vector<std::uint64_t> sent, came;
};

// Before the door opens for the first time a message wants to leave through it.
class Answering : public Doorkeeper {
  public:
    void on_delivered(std::uint64_t cookie) override {
        cookie == answer ? came.push_back(cookie) : Doorkeeper::on_delivered(cookie);
    }
    void on_timer(std::uint64_t cookie) override {
        if (!std::exchange(answered, true)) network->start_message(1, 3, 10, answer);
        Doorkeeper::on_timer(cookie);
    }
    static constexpr std::uint64_t answer = 4;
    bool answered = false;
};

// Sends thirty packets, each when the one before it is sent, to a door that opens once.
class Writer : public Doorkeeper {
  public:
    void on_sent(std::uint64_t cookie) override {
        Doorkeeper::on_sent(cookie);
        if (cookie < 29) network->continue_message(0, 1, 1000, cookie + 1);
    }
    void on_delivered(std::uint64_t cookie) override { came.push_back(cookie); }
    void on_timer(std::uint64_t cookie) override {
        sent_before_opening = sent.size();
        Doorkeeper::on_timer(cookie);
    }
    std::size_t sent_before_opening = 0;
};

// Takes down when messages arrive; closes the door of interface 1 after 5 us and opens it again after 100.
class Clock final : public striate::NetworkListener {
  public:
    void on_sent(std::uint64_t) override {}
    void on_delivered(std::uint64_t cookie) override { came.at(cookie) = network->now(); }
    void on_timer(std::uint64_t open) override { network->set_open(1, open != 0); }

    striate::Network* network = nullptr;
    std::vector<Ticks> came = std::vector<Ticks>(3);
};

struct Caller {
    std::uint32_t interface;
    std::int64_t bytes;
    std::uint64_t cookie;
};

// All send at once to a door that opens every 100 us.
Doorkeeper kept(const std::vector<Caller>& callers, Fidelity fidelity) {
    auto stations = star(4).stations({.packet_bytes = 1000});
    Doorkeeper keeper;
    const auto network = striate::make_network(stations, keeper, {.fidelity = fidelity});
    keeper.network = network.get();
    network->guard(1);
    for (const Caller& caller : callers)
        network->start_message(caller.interface, 1, caller.bytes, caller.cookie);
    for (std::size_t turn = 1; turn <= callers.size(); ++turn)
        network->set_timer(static_cast<Ticks>(turn) * 100'000'000, 0);
    network->run([] {});
    CHECK(network->now() == static_cast<Ticks>(callers.size()) * 100'000'000);
    return keeper;
}

}  // namespace

TEST_CASE("alone, a message takes as long in trains as in packets") {
    for (const std::int64_t bytes : {0, 1, 999, 1000, 1001, 12'345, 64'000}) {
        SmallSchedule schedule;
        schedule.send(0, 1, bytes);
        const auto trains = simulate(star(2), schedule, Fidelity::trains);
        const auto packets = simulate(star(2), schedule, Fidelity::packets);
        CAPTURE(bytes);
        CHECK(trains.delivered[0] == packets.delivered[0]);
    }
}

TEST_CASE("messages that share a cable take turns: the short one is not kept waiting by the long one") {
    // 64 and 640 packets of 1 us to one interface: the short one has half of the cable, and needs about 128
    // us; the last byte of the long one comes after all 704 packets.
    SmallSchedule schedule;
    schedule.send(0, 2, 640'000);
    schedule.send(1, 2, 64'000);
    const auto trains = simulate(star(3), schedule, Fidelity::trains);
    const auto packets = simulate(star(3), schedule, Fidelity::packets);
    CHECK(std::abs(trains.delivered[0] - packets.delivered[0]) < 12'000'000);  // a train of 11 packets
    CHECK(trains.delivered[1] < 11 * 64'000'000);
}

TEST_CASE("a closed door lets in one message after the other, senders in turn, as packets go") {
    for (const Fidelity fidelity : {Fidelity::packets, Fidelity::trains}) {
        // Interface 0 has queued up for its next turn before interface 2 comes.
        const Doorkeeper few = kept({{0, 100, 1}, {0, 100, 2}, {0, 100, 3}, {2, 900, 4}}, fidelity);
        CHECK((few.came == std::vector<std::uint64_t>{1, 2, 4, 3}));
        CHECK(few.sent.size() == 4);
        // All have come when the door opens: nobody is passed over because others have come more often.
        const Doorkeeper many =
            kept({{0, 10, 1}, {0, 10, 2}, {2, 400, 3}, {2, 400, 4}, {2, 400, 5}, {3, 900, 6}, {3, 900, 7}},
                 fidelity);
        CHECK((many.came == std::vector<std::uint64_t>{1, 2, 3, 6, 4, 7, 5}));
    }
}

TEST_CASE("what leaves through a closed door waits for its turn behind what has come before it") {
    for (const Fidelity fidelity : {Fidelity::packets, Fidelity::trains}) {
        // Message 1 closes the door, 2, 5 and 3 come to it, then message 4 wants to leave. Each that comes in
        // closes the door again: 2 and 3 go before 4, and 5, the next one of its sender, with it: it is
        // there.
        auto stations = star(4).stations({.packet_bytes = 1000});
        Answering keeper;
        const auto network = striate::make_network(stations, keeper, {.fidelity = fidelity});
        keeper.network = network.get();
        network->guard(1);
        network->start_message(0, 1, 10, 1);
        network->start_message(0, 1, 10, 2);
        network->start_message(0, 1, 10, 5);
        network->start_message(2, 1, 400, 3);
        for (Ticks turn = 1; turn <= 5; ++turn) network->set_timer(turn * 100'000'000, 0);
        network->run([] {});
        CHECK((keeper.came == std::vector<std::uint64_t>{1, 2, 3, 5, 4}));
    }
}

TEST_CASE("a message is sent when windows before the slow station have room for the rest of it") {
    // Packets of 1,000 bytes take 10 ns at an interface, its link and its node, each of which holds one, and
    // 1 us on the cable.
    for (const std::int64_t packets : {2, 3, 4, 5, 6, 9, 20, 63}) {
        SmallSchedule schedule;
        schedule.send(0, 1, packets * 1000 - 1);
        schedule.send(0, 1, 10, 0, {0}, true);
        const auto trains = simulate(star(2), schedule, Fidelity::trains);
        const auto plain = simulate(star(2), schedule, Fidelity::packets);
        CAPTURE(packets);
        CHECK(std::abs(trains.sent[0] - plain.sent[0]) <= 50'000);
        CHECK(trains.delivered[0] == plain.delivered[0]);
        CHECK(std::abs(trains.delivered[1] - plain.delivered[1]) <= 10'000);  // it does not overtake
    }
}

TEST_CASE("before a closed door a sender sends what the windows of its route hold") {
    for (const Fidelity fidelity : {Fidelity::packets, Fidelity::trains}) {
        // Its interface, the nodes, the switch and the links hold one packet each; the cables, with 1 us of
        // latency beside 1 us of service, two.
        auto stations = star(2).stations({.packet_bytes = 1000});
        Writer writer;
        const auto network = striate::make_network(stations, writer, {.fidelity = fidelity});
        writer.network = network.get();
        network->guard(1);
        network->set_open(1, false);
        network->start_message(0, 1, 960, 0);
        network->set_timer(100'000'000, 0);
        network->run([] {});
        CHECK(writer.sent_before_opening == 10);
        CHECK(writer.came.size() == 30);
    }
}

TEST_CASE(
    "what waits at its sender's interface does not take a place before what comes to a station earlier") {
    // Interface 0 sends to 2 and then to 3 while 1 sends to 3, all over one memory: the second packet of 0
    // comes there when that of 1 is through.
    SmallNetwork network;
    const std::int32_t memory = network.component(8e9);
    for (int number = 0; number < 4; ++number) network.nic(memory, 2e10, 8e9, 0);
    SmallSchedule schedule;
    schedule.send(0, 2, 960);
    schedule.send(0, 3, 960);
    schedule.send(1, 3, 960);
    const auto trains = simulate(network, schedule, Fidelity::trains);
    const auto packets = simulate(network, schedule, Fidelity::packets);
    CHECK(trains.delivered == packets.delivered);
    CHECK(trains.delivered[2] < trains.delivered[1]);
}

TEST_CASE("where order counts, the packet that comes to a cable first goes first, whichever left first") {
    // Packets of 1 us on cables of 5 us and 4.5 us to a switch and one cable behind it: interface 1 sends
    // last and comes first, 0.5 us before interface 0, whose packet has to wait for the rest of the service.
    SmallNetwork columns;
    columns.component(1e12);
    for (const std::int64_t latency : {5'000'000, 4'500'000, 1'000'000}) {
        const std::int32_t node = columns.component(1e12);
        columns.cable(0, node, 1e9, latency);
        columns.nic(node, 1e12, 1e12, 0);
    }
    std::vector<std::vector<Ticks>> came;
    for (const Fidelity fidelity : {Fidelity::packets, Fidelity::trains}) {
        auto stations = columns.stations({.packet_bytes = 1000});
        Clock clock;
        const auto network = striate::make_network(stations, clock, {.fidelity = fidelity});
        clock.network = network.get();
        network->keep_order();
        network->start_message(0, 2, 960, 0);
        network->start_message(1, 2, 960, 1);
        network->start_message(2, 2, 960, 2);  // to itself: past its interface alone
        network->run([] {});
        came.push_back(clock.came);
    }
    CHECK(came[0] == came[1]);
    CHECK(came[1][0] == came[1][1] + 1'000'000);
}

TEST_CASE("what fits into windows has left through a door before it closes") {
    // Interface 0 keeps the cable to 2 busy with 20 packets of 1 us. Of interface 1's four packets one waits
    // for its turns there; the others have left within 30 ns, into the windows of interface, link and node,
    // when the door closes for 95 us.
    std::vector<std::vector<Ticks>> came;
    for (const Fidelity fidelity : {Fidelity::packets, Fidelity::trains}) {
        auto stations = star(3).stations({.packet_bytes = 1000});
        Clock clock;
        const auto network = striate::make_network(stations, clock, {.fidelity = fidelity});
        clock.network = network.get();
        network->guard(1);
        network->start_message(0, 2, 19'960, 0);
        network->start_message(1, 2, 3'960, 1);
        network->set_timer(5'000'000, 0);
        network->set_timer(100'000'000, 1);
        network->run([] {});
        came.push_back(clock.came);
    }
    CHECK(came[0][1] < 20'000'000);
    CHECK(std::abs(came[0][1] - came[1][1]) <= 2'000'000);  // a turn
    CHECK(std::abs(came[0][0] - came[1][0]) <= 1'000'000);
}
