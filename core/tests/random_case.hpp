// Random machines and schedules for fuzzing one engine against another.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random_draws.hpp"
#include "small_network.hpp"
#include "striate/network/schedule.hpp"

struct RandomCase : private RandomDraws {
    SmallNetwork network;
    SmallSchedule schedule;
    striate::NetworkSettings settings{1};

    // A graph of anything, or nodes round switches that hand data on as programs do.
    enum class Shape { any, nodes };

    explicit RandomCase(std::uint64_t seed, Shape shape = Shape::any) : RandomDraws(seed) {
        if (shape == Shape::any) {
            wire();
            hang_interfaces();
            write_schedule();
        } else {
            wire_nodes();
            hand_on();
            disturb();
        }
    }

    [[nodiscard]] striate::ScheduleResult simulate(const striate::RunOptions& options) const {
        return schedule.simulate(network.stations(settings), options);
    }

  private:
    std::int64_t latency() {
        return one_in(3) ? 0 : one_in(3) ? pick(0, 3'000'000'000) : 1000 * pick(0, 20'000);
    }

    void wire() {
        settings.packet_bytes = pick(1, 4) * 1024 + (one_in(3) ? pick(0, 100) : 0);
        settings.rounding =
            one_in(4) ? striate::Rounding::truncated_nanoseconds : striate::Rounding::nearest_picosecond;
        settings.routing = one_in(4) ? striate::Routing::round_robin : striate::Routing::shortest;
        const std::int64_t components = pick(1, 6);
        for (std::int64_t i = 0; i < components; ++i) {
            const auto kind = static_cast<striate::ComponentKind>(pick(0, 2));
            network.component(rate(), one_in(2) ? rate() : 0, kind);
            if (i > 0)
                network.cable(static_cast<std::int32_t>(pick(0, i - 1)), static_cast<std::int32_t>(i), rate(),
                              latency());
        }
        if (components > 2 && one_in(2))
            network.cable(0, static_cast<std::int32_t>(components - 1), rate(), latency());
    }

    void hang_interfaces() {
        const bool alike = one_in(2);
        const bool analytical = one_in(10);
        const double nic_rate = rate();
        const double link_rate = rate();
        const std::int64_t link_latency = latency();
        const std::int64_t nics = pick(2, 7);
        const auto last = static_cast<std::int64_t>(network.bandwidth.size()) - 1;
        for (std::int64_t i = 0; i < nics; ++i) {
            network.nic(static_cast<std::int32_t>(pick(0, last)), alike ? nic_rate : rate(),
                        alike ? link_rate : rate(), alike ? link_latency : latency(),
                        analytical && one_in(2));
        }
    }

    void write_schedule() {
        const auto last = static_cast<std::int64_t>(network.nic_component.size()) - 1;
        const std::int64_t messages = pick(1, 14);
        const std::int64_t common = pick(1, one_in(2) ? 100'000 : 3'000'000);
        for (std::int64_t i = 0; i < messages; ++i) {
            const std::int64_t size = one_in(3) ? common : one_in(3) ? pick(0, 5000) : pick(0, 800'000);
            const std::int64_t wait = one_in(2) ? 0 : pick(0, 1'000'000'000);
            std::vector<std::int32_t> after;
            if (i > 0 && one_in(3)) after.push_back(static_cast<std::int32_t>(pick(0, i - 1)));
            schedule.send(static_cast<std::int32_t>(pick(0, last)), static_cast<std::int32_t>(pick(0, last)),
                          size, wait, after, one_in(2));
        }
    }

    // One or two switches and nodes of one or two sockets, whose uplinks are slower than all inside.
    void wire_nodes() {
        settings.packet_bytes = pick(1, 4) * 1024 + (one_in(3) ? pick(0, 100) : 0);
        settings.rounding =
            one_in(4) ? striate::Rounding::truncated_nanoseconds : striate::Rounding::nearest_picosecond;
        const auto kind = static_cast<striate::ComponentKind>(one_in(4) ? 2 : 0);
        const std::int32_t switches = one_in(3) ? 2 : 1;
        for (std::int32_t i = 0; i < switches; ++i) network.component(rate() * 4, 0, kind);
        if (switches > 1) network.cable(0, 1, rate(), latency() / 100);
        const bool alike = one_in(2);
        const double uplink = static_cast<double>(pick(40'000'000, 400'000'000));
        const double inside = rate() + 1e9;
        const std::int64_t near = one_in(2) ? 0 : 1000 * pick(0, 300);
        const std::int64_t far = one_in(2) ? 1000 * pick(0, 5000) : latency() / 100;
        const std::int64_t nodes = pick(3, 12);
        for (std::int64_t i = 0; i < nodes; ++i) {
            const std::int32_t hub = network.component(inside * 3, 0, kind);
            network.cable(hub, static_cast<std::int32_t>(pick(0, switches - 1)), alike ? uplink : rate() / 8,
                          far);
            const std::int64_t sockets = one_in(3) ? 2 : 1;
            for (std::int64_t j = 0; j < sockets; ++j) {
                const std::int32_t socket =
                    network.component(inside, one_in(2) ? inside * 2 : 0, striate::ComponentKind::memory);
                network.cable(hub, socket, alike ? inside : rate(), near);
                for (std::int64_t nics = one_in(3) ? 2 : 1; nics > 0; --nics)
                    network.nic(socket, 10e9, alike ? inside : rate(), near);
            }
        }
        packet_time_ = static_cast<std::int64_t>(static_cast<double>(settings.packet_bytes) / uplink * 1e12);
    }

    // A tree: who has the data sends it to several at once, some after a computation.
    void hand_on() {
        const auto ranks = static_cast<std::int32_t>(network.nic_component.size());
        const std::int64_t fan_out = pick(1, 4);
        const std::int64_t size = settings.packet_bytes * pick(30, 150) + (one_in(2) ? pick(0, 1000) : 20);
        const bool at_once = one_in(3);  // all send to their neighbours, without waiting for data
        const std::int64_t computation = one_in(2) ? 0 : packet_time_ * pick(0, 40);
        for (std::int32_t rank = 1; rank < ranks; ++rank) {
            const auto parent = static_cast<std::int32_t>((rank - 1) / fan_out);
            std::vector<std::int32_t> after;
            if (parent > 0 && !at_once) after.push_back(parent - 1);
            schedule.send(parent, rank, one_in(4) ? size / pick(1, 3) : size, one_in(3) ? computation : 0,
                          after);
        }
    }

    // Others come along at any time, often for a packet or two.
    void disturb() {
        const auto last = static_cast<std::int64_t>(network.nic_component.size()) - 1;
        for (std::int64_t more = pick(0, 16); more > 0; --more) {
            const std::int64_t packets = one_in(2) ? 0 : one_in(2) ? pick(1, 3) : pick(10, 60);
            const std::int64_t when = packet_time_ * pick(0, 400) + (one_in(2) ? pick(0, packet_time_) : 0);
            schedule.send(static_cast<std::int32_t>(pick(0, last)), static_cast<std::int32_t>(pick(0, last)),
                          packets * settings.packet_bytes + pick(0, 100), when);
        }
    }

    std::int64_t packet_time_ = 0;
};

inline bool same_run(const striate::ScheduleResult& left, const striate::ScheduleResult& right) {
    return left.start == right.start && left.sent == right.sent && left.delivered == right.delivered &&
           left.events == right.events && left.end == right.end && left.stations == right.stations;
}

// Waiting is counted in ticks of a nanosecond, so that each packet may be one off.
inline bool same_queues(const striate::ScheduleResult& left, const striate::ScheduleResult& right) {
    for (std::size_t station = 0; station < left.waited.size(); ++station) {
        const double packets = static_cast<double>(left.stations[station].packets);
        const double most = 4 * (packets + 1) * striate::queue_tick_seconds;
        if (std::abs(left.waited[station] - right.waited[station]) > most) return false;
    }
    return left.waited.size() == right.waited.size();
}

#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint64_t fuzz_cases = 300;  // the sanitizers take ten times as long
#else
inline constexpr std::uint64_t fuzz_cases = 5000;
#endif
