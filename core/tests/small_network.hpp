// Networks small enough to reckon by hand, owning their columns.
#pragma once

#include <cstdint>
#include <vector>

#include "striate/network/schedule.hpp"
#include "striate/network/stations.hpp"

struct SmallNetwork {
    std::vector<double> bandwidth, local_bandwidth;
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> edge_source, edge_target;
    std::vector<double> edge_bandwidth;
    std::vector<std::int64_t> edge_latency;
    std::vector<std::int32_t> nic_component;
    std::vector<double> nic_bandwidth, link_bandwidth;
    std::vector<std::int64_t> link_latency;
    std::vector<std::uint8_t> analytical;

    std::int32_t component(double rate, double local = 0, striate::ComponentKind what = {}) {
        bandwidth.push_back(rate);
        local_bandwidth.push_back(local);
        kind.push_back(static_cast<std::uint8_t>(what));
        return static_cast<std::int32_t>(bandwidth.size()) - 1;
    }

    void cable(std::int32_t left, std::int32_t right, double rate, std::int64_t latency) {
        edge_source.insert(edge_source.end(), {left, right});
        edge_target.insert(edge_target.end(), {right, left});
        edge_bandwidth.insert(edge_bandwidth.end(), {rate, rate});
        edge_latency.insert(edge_latency.end(), {latency, latency});
    }

    void nic(std::int32_t at, double rate, double link_rate, std::int64_t latency,
             bool contention_free = false) {
        nic_component.push_back(at);
        nic_bandwidth.push_back(rate);
        link_bandwidth.push_back(link_rate);
        link_latency.push_back(latency);
        analytical.push_back(contention_free ? 1 : 0);
    }

    [[nodiscard]] striate::Stations stations(const striate::NetworkSettings& settings) const {
        return {{bandwidth, edge_source, edge_target, edge_bandwidth, edge_latency, kind, local_bandwidth},
                {nic_component, nic_bandwidth, link_bandwidth, link_latency, analytical},
                settings};
    }
};

// A schedule that owns its columns; every step waits for the delivery of the steps it names.
struct SmallSchedule {
    std::vector<std::int32_t> source, target;
    std::vector<std::int64_t> bytes, delay;
    std::vector<std::int64_t> first_dependency{0};
    std::vector<std::int32_t> dependency;
    std::vector<std::uint8_t> dependency_sent;

    void send(std::int32_t from, std::int32_t to, std::int64_t size, std::int64_t wait = 0,
              const std::vector<std::int32_t>& after = {}, bool sent = false) {
        source.push_back(from);
        target.push_back(to);
        bytes.push_back(size);
        delay.push_back(wait);
        dependency.insert(dependency.end(), after.begin(), after.end());
        dependency_sent.resize(dependency.size(), sent ? 1 : 0);
        first_dependency.push_back(static_cast<std::int64_t>(dependency.size()));
    }

    [[nodiscard]] striate::ScheduleResult simulate(striate::Stations stations,
                                                   const striate::RunOptions& options = {}) const {
        return striate::simulate_schedule(
            stations, {source, target, bytes, delay, first_dependency, dependency, dependency_sent}, options);
    }
};
