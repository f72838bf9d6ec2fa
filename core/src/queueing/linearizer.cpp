#include "striate/queueing/linearizer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace striate {

namespace {

constexpr int corrections = 2;  // updates of the differences: as many as the authors take
constexpr int most_steps = 2000;
constexpr double converged = 1e-13;

struct Network {
    double population, clusters, delay, bus, disk;
};

// Fraction of a class's jobs found at the bus and at its disk.
struct Place {
    double bus = 0, disk = 0;
};

// How a fraction changes when one job leaves: of the same class, or of another.
struct Differences {
    double bus_same = 0, bus_other = 0, disk_same = 0;
};

struct Response {
    double bus, disk;
};

Place placed(const Network& network, const Response& response) {
    const double cycle = network.delay + response.bus + response.disk;
    return cycle > 0 ? Place{response.bus / cycle, response.disk / cycle} : Place{};
}

double distance(const Place& a, const Place& b) {
    return std::max(std::abs(a.bus - b.bus), std::abs(a.disk - b.disk));
}

// Seen on arrival with all jobs present: N - 1 of the own class, N of each other.
Response arrival(const Network& n, const Place& all, const Differences& change) {
    const double own = std::max(0.0, n.population - 1), others = n.clusters - 1;
    const double at_bus =
        own * (all.bus + change.bus_same) + others * n.population * (all.bus + change.bus_other);
    return {n.bus * (1 + std::max(0.0, at_bus)),
            n.disk * (1 + std::max(0.0, own * (all.disk + change.disk_same)))};
}

Place solve_full(const Network& network, Place place, const Differences& change) {
    for (int step = 0; step < most_steps; ++step) {
        const Place next = placed(network, arrival(network, place, change));
        const bool done = distance(next, place) < converged;
        place = next;
        if (done) break;
    }
    return place;
}

// One job of one class is gone: `shorter` is that class, `whole` any other.
struct Reduced {
    Place shorter, whole;
};

Reduced reduced_step(const Network& n, const Reduced& now, const Differences& change) {
    const double own = std::max(0.0, n.population - 1), others = n.clusters - 1;
    const double left = std::max(0.0, n.population - 2);
    const double whole_bus = now.whole.bus + change.bus_other;
    const double seen_by_shorter =
        left * (now.shorter.bus + change.bus_same) + others * n.population * whole_bus;
    const double seen_by_whole = own * (now.whole.bus + change.bus_same) +
                                 own * (now.shorter.bus + change.bus_other) +
                                 std::max(0.0, n.clusters - 2) * n.population * whole_bus;
    const Response shorter = {n.bus * (1 + std::max(0.0, seen_by_shorter)),
                              n.disk * (1 + std::max(0.0, left * (now.shorter.disk + change.disk_same)))};
    const Response whole = {n.bus * (1 + std::max(0.0, seen_by_whole)),
                            n.disk * (1 + std::max(0.0, own * (now.whole.disk + change.disk_same)))};
    return {placed(n, shorter), placed(n, whole)};
}

Reduced solve_reduced(const Network& network, Reduced place, const Differences& change) {
    for (int step = 0; step < most_steps; ++step) {
        const Reduced next = reduced_step(network, place, change);
        const bool done =
            std::max(distance(next.shorter, place.shorter), distance(next.whole, place.whole)) < converged;
        place = next;
        if (done) break;
    }
    return place;
}

Response solve(const Network& network) {
    Differences change;
    Place all = solve_full(network, {}, change);
    Reduced reduced{all, all};
    for (int round = 0; round < corrections; ++round) {
        reduced = solve_reduced(network, reduced, change);
        change = {reduced.shorter.bus - all.bus, reduced.whole.bus - all.bus,
                  reduced.shorter.disk - all.disk};
        all = solve_full(network, all, change);
    }
    return arrival(network, all, change);
}

}  // namespace

Residences linearizer_residences(const LinearizerPoints& points) {
    const std::size_t count = points.population.size();
    if (points.clusters.size() != count || points.delay.size() != count || points.bus.size() != count ||
        points.disk.size() != count) {
        throw std::invalid_argument("points of the linearizer differ in length");
    }
    Residences result{std::vector<double>(count), std::vector<double>(count)};
    for (std::size_t point = 0; point < count; ++point) {
        const Network network{points.population[point], points.clusters[point], points.delay[point],
                              points.bus[point], points.disk[point]};
        const Response response = solve(network);
        result.computation[point] = network.delay + response.bus;
        result.io[point] = response.disk;
    }
    return result;
}

}  // namespace striate
