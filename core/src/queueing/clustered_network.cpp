#include "striate/queueing/clustered_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "striate/queueing/lanes.hpp"

namespace striate {

namespace {

using Eight = std::array<double, lane_count>;

constexpr double depth_of_tails = 50;  // exp(-50) of the summit is nothing
constexpr int logarithm_every = 16;    // factors multiplied before their logarithm is taken

// Gauss-Legendre with 16 nodes: the positive half, which fills the lanes once; the other half mirrors it.
constexpr Eight nodes = {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863,
                         0.6178762444026437484, 0.7554044083550030339, 0.8656312023878317439,
                         0.9445750230732325761, 0.9894009349916499326};
constexpr Eight weights = {0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382,
                           0.1495959888165767321, 0.1246289712555338720, 0.0951585116824927848,
                           0.0622535239386478929, 0.0271524594117540949};

struct Network {
    std::int64_t population;
    double clusters, delay, bus, disk;
};

// What the network looks like given t, at eight values of t.
struct Conditional {
    Eight height;  // logarithm of the density, up to a constant
    Eight slope;   // its derivative
    Eight io;      // y (1 + Q)
};

// Mean value analysis of delay s and disk y, in the lanes; the product of the cycle times is N! P_N.
STRIATE_EVERY_WIDTH
void walk(const Network& network, const Eight& t, Conditional& out) {
    Lanes time;
    for (std::size_t lane = 0; lane < lane_count; ++lane) time[lane] = t[lane];
    const Lanes s = network.delay + network.bus * time;
    const double y = network.disk;
    Lanes waiting{}, rate{}, before{}, response{}, cycle{}, product = Lanes{} + 1.0;
    Eight logarithm{};  // of N-1 factors
    for (std::int64_t jobs = 1; jobs <= network.population; ++jobs) {
        before = rate;
        response = y + y * waiting;
        cycle = s + response;
        rate = static_cast<double>(jobs) / cycle;
        waiting = rate * response;
        if (jobs == network.population) break;
        product = product * cycle;
        if (jobs % logarithm_every == 0) {
            for (std::size_t lane = 0; lane < lane_count; ++lane) logarithm[lane] += std::log(product[lane]);
            product = Lanes{} + 1.0;
        }
    }
    const double others = network.clusters - 1;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        logarithm[lane] += std::log(product[lane]);
        const double last = others > 0 ? others * std::log(cycle[lane]) : 0.0;
        out.height[lane] = -t[lane] + network.clusters * logarithm[lane] + last;
        out.slope[lane] = -1 + network.bus * (others * rate[lane] + before[lane]);
        out.io[lane] = response[lane];
    }
}

Conditional walked(const Network& network, const Eight& t) {
    Conditional conditional;
    walk(network, t, conditional);
    return conditional;
}

// Where the density is highest, to within half a unit: it falls no faster than exp(-t), so that is close
// enough.
double summit(const Network& network) {
    if (walked(network, Eight{}).slope[0] <= 0) return 0;
    double low = 0, high = std::max(1.0, static_cast<double>(network.population) * network.clusters);
    while (high - low > 0.5) {
        Eight t;
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            t[lane] = low + (high - low) * static_cast<double>(lane + 1) / (lane_count + 1);
        }
        const Conditional conditional = walked(network, t);
        std::size_t rising = 0;
        while (rising < lane_count && conditional.slope[rising] > 0) ++rising;
        if (rising > 0) low = t[rising - 1];
        if (rising < lane_count) high = t[rising];
    }
    return 0.5 * (low + high);
}

// The nearest of the tried places, walking from the summit in doubled steps, where the density has died out.
double tail(const Network& network, double from, double height, double direction) {
    for (double step = 4;; step *= 256) {
        Eight t;
        double scale = step;
        for (double& place : t) place = std::max(0.0, from + direction * scale), scale *= 2;
        const Conditional conditional = walked(network, t);
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            if (t[lane] == 0 || !(conditional.height[lane] > height - depth_of_tails)) return t[lane];
        }
    }
}

// Integrals over a stretch of t of the density, of t times it and of the I/O time times it.
struct Sums {
    double mass = 0, time = 0, io = 0;
    Sums& operator+=(const Sums& other) {
        mass += other.mass, time += other.time, io += other.io;
        return *this;
    }
};

Sums gauss(const Network& network, double low, double high, double height) {
    const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    Sums sums;
    for (const double side : {-1.0, 1.0}) {
        Eight t;
        for (std::size_t lane = 0; lane < lane_count; ++lane) t[lane] = middle + side * half * nodes[lane];
        const Conditional conditional = walked(network, t);
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            const double mass = half * weights[lane] * std::exp(conditional.height[lane] - height);
            sums += {mass, mass * t[lane], mass * conditional.io[lane]};
        }
    }
    return sums;
}

bool alike(const Sums& a, const Sums& b, const Sums& total, double tolerance) {
    return std::abs(a.mass - b.mass) <= tolerance * total.mass &&
           std::abs(a.time - b.time) <= tolerance * total.time &&
           std::abs(a.io - b.io) <= tolerance * total.io;
}

// Halves a stretch until its halves agree with the whole; sixteen nodes then leave about the square of that
// error.
Sums refined(const Network& network, double low, double high, double height, const Sums& whole,
             const Sums& total, double tolerance, int depth) {
    const double middle = 0.5 * (low + high);
    const Sums left = gauss(network, low, middle, height), right = gauss(network, middle, high, height);
    Sums halves = left;
    halves += right;
    if (depth == 0 || alike(whole, halves, total, tolerance)) return halves;
    Sums finer = refined(network, low, middle, height, left, total, tolerance, depth - 1);
    finer += refined(network, middle, high, height, right, total, tolerance, depth - 1);
    return finer;
}

Sums integrate(const Network& network) {
    const double top = summit(network);
    Eight at_top;
    at_top.fill(top);
    const double height = walked(network, at_top).height[0];
    const double low = top > 0 ? tail(network, top, height, -1) : 0, high = tail(network, top, height, 1);
    const Sums right = gauss(network, top, high, height);
    const Sums left = low < top ? gauss(network, low, top, height) : Sums{};
    Sums total = left;
    total += right;
    // The logarithm of the density rounds in proportion to the number of jobs; ask for no more than that.
    const double tolerance = 1e-10 + 1e-14 * static_cast<double>(network.population) * network.clusters;
    Sums sums = refined(network, top, high, height, right, total, tolerance, 30);
    if (low < top) sums += refined(network, low, top, height, left, total, tolerance, 30);
    return sums;
}

// Without a bus nothing couples the clusters: one walk with the plain delay.
double lone_io(const Network& network) { return walked(network, Eight{}).io[0]; }

void solve(Network network, double& computation, double& io) {
    const double jobs = static_cast<double>(network.population);
    const double unit = network.delay + jobs * network.clusters * network.bus + jobs * network.disk;
    computation = io = 0;
    if (unit == 0) return;
    network.delay /= unit, network.bus /= unit,
        network.disk /= unit;  // cycle times near 1: logarithms stay small
    if (network.bus == 0) {
        computation = network.delay * unit;
        io = lone_io(network) * unit;
        return;
    }
    const Sums sums = integrate(network);
    computation = (network.delay + network.bus * (sums.time / sums.mass)) * unit;
    io = sums.io / sums.mass * unit;
}

}  // namespace

Residences clustered_residences(const ClusteredPoints& points) {
    const std::size_t count = points.population.size();
    if (points.clusters.size() != count || points.delay.size() != count || points.bus.size() != count ||
        points.disk.size() != count) {
        throw std::invalid_argument("points of the clustered network differ in length");
    }
    Residences result{std::vector<double>(count), std::vector<double>(count)};
    for (std::size_t point = 0; point < count; ++point) {
        if (points.population[point] < 1 || points.clusters[point] < 1) {
            throw std::invalid_argument("a clustered network needs a job and a cluster");
        }
        const Network network{points.population[point], static_cast<double>(points.clusters[point]),
                              points.delay[point], points.bus[point], points.disk[point]};
        solve(network, result.computation[point], result.io[point]);
    }
    return result;
}

}  // namespace striate
