#include "striate/queueing/fork_join.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "striate/queueing/lanes.hpp"

namespace striate {

namespace {

constexpr double negligible = 1e-290;  // a bus this much faster than the delay is no bus

// Eight rows side by side; `order` lists the lanes in use by rising population.
struct Block {
    Lanes delay = Lanes{} + 1.0, bus{}, loops = Lanes{} + 1.0;
    std::array<std::int64_t, lane_count> population{};
    std::vector<std::size_t> order;
};

Block gather(const ForkJoinRows& rows, std::size_t first) {
    Block block;
    const std::size_t count = std::min(lane_count, rows.population.size() - first);
    for (std::size_t lane = 0; lane < count; ++lane) {
        block.delay[lane] = rows.delay[first + lane];
        block.bus[lane] = rows.bus[first + lane];
        block.loops[lane] = rows.loops[first + lane];
        block.population[lane] = rows.population[first + lane];
        block.order.push_back(lane);
    }
    std::stable_sort(block.order.begin(), block.order.end(), [&block](std::size_t a, std::size_t b) {
        return block.population[a] < block.population[b];
    });
    return block;
}

// Adds (z + R1(i)) / i for i = first..last to the compensated sums; R1 by mean value analysis.
STRIATE_EVERY_WIDTH
void add_responses(const Lanes* delay, const Lanes* bus, std::int64_t first, std::int64_t last, Lanes* queue,
                   Lanes* sum, Lanes* lost) {
    const Lanes z = *delay, x = *bus;
    Lanes waiting = *queue, total = *sum, carry = *lost;
    for (std::int64_t i = first; i <= last; ++i) {
        const double jobs = static_cast<double>(i);
        const Lanes response = x + x * waiting;
        const Lanes cycle = z + response;
        waiting = (jobs / cycle) * response;
        const Lanes term = cycle / jobs - carry;  // eq. 16 with the 1/i the printed sum lost
        const Lanes next = total + term;
        carry = (next - total) - term;
        total = next;
    }
    *queue = waiting, *sum = total, *lost = carry;
}

// One level of the chain, `alive` jobs: hours[q] becomes the mean time to the end from q jobs at the bus, in
// units of the bus time. Solved as h(q) = alpha(q) + beta(q) h(q + 1), with 1 - beta kept as a number of its
// own so that nothing is subtracted. `ratio` = x / z, `leave` = 1 / n.
STRIATE_EVERY_WIDTH
void solve_level(std::int64_t alive, const Lanes* ratio, const Lanes* leave, Stored* hours, Stored* alpha,
                 Stored* beta) {
    const Lanes rho = *ratio, out = *leave, back = 1.0 - out;
    Lanes constant = 1.0 / (static_cast<double>(alive) * rho);
    Lanes rest{};  // 1 - beta
    alpha[0].value = constant, beta[0].value = Lanes{} + 1.0;
    for (std::int64_t q = 1; q <= alive; ++q) {
        const Lanes arrive = static_cast<double>(alive - q) * rho;
        const Lanes escape = out + back * rest;
        const Lanes inverse = 1.0 / (arrive + escape);
        constant = (1.0 + back * constant + out * hours[q - 1].value) * inverse;
        rest = escape * inverse;
        alpha[q].value = constant, beta[q].value = arrive * inverse;
    }
    Lanes value = constant;
    hours[alive].value = value;
    for (std::int64_t q = alive - 1; q >= 0; --q)
        value = alpha[q].value + beta[q].value * value, hours[q].value = value;
}

double harmonic(std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = count; i >= 1; --i) sum += 1.0 / static_cast<double>(i);  // small terms first
    return sum;
}

void check(const ForkJoinRows& rows) {
    const std::size_t count = rows.population.size();
    if (rows.delay.size() != count || rows.bus.size() != count || rows.loops.size() != count) {
        throw std::invalid_argument("rows of the fork-join network differ in length");
    }
    for (std::size_t row = 0; row < count; ++row) {
        if (rows.population[row] < 1)
            throw std::invalid_argument("a fork-join network needs at least one job");
        if (!(rows.loops[row] >= 1)) throw std::invalid_argument("a job loops at least once");
    }
}

}  // namespace

std::vector<double> fork_join_approximate(const ForkJoinRows& rows) {
    check(rows);
    std::vector<double> times(rows.population.size());
    for (std::size_t first = 0; first < times.size(); first += lane_count) {
        const Block block = gather(rows, first);
        Lanes queue{}, sum{}, lost{};
        std::int64_t done = 0;
        for (const std::size_t lane : block.order) {
            add_responses(&block.delay, &block.bus, done + 1, block.population[lane], &queue, &sum, &lost);
            done = block.population[lane];
            const bool instant = rows.delay[first + lane] + rows.bus[first + lane] == 0;
            times[first + lane] = instant ? 0.0 : block.loops[lane] * sum[lane];
        }
    }
    return times;
}

std::vector<double> fork_join_exact(const ForkJoinRows& rows) {
    check(rows);
    std::vector<double> times(rows.population.size());
    for (std::size_t first = 0; first < times.size(); first += lane_count) {
        Block block = gather(rows, first);
        Lanes ratio = Lanes{} + 1.0, leave = 1.0 / block.loops;
        std::vector<std::size_t> chains;
        for (const std::size_t lane : block.order) {
            const double z = block.delay[lane], x = block.bus[lane], n = block.loops[lane];
            const double jobs = static_cast<double>(block.population[lane]);
            if (x <= z * negligible) {
                times[first + lane] =
                    n * z * harmonic(block.population[lane]);  // the largest of K exponentials
            } else if (z <= x * negligible) {
                times[first + lane] = n * jobs * x;  // the bus never rests
            } else {
                ratio[lane] = x / z;
                chains.push_back(lane);
            }
        }
        if (chains.empty()) continue;
        const std::int64_t largest = block.population[chains.back()];
        const auto states = static_cast<std::size_t>(largest) + 1;
        std::vector<Stored> hours(states), alpha(states), beta(states);
        std::size_t next = 0;
        for (std::int64_t alive = 1; alive <= largest; ++alive) {
            solve_level(alive, &ratio, &leave, hours.data(), alpha.data(), beta.data());
            for (; next < chains.size() && block.population[chains[next]] == alive; ++next) {
                times[first + chains[next]] = block.bus[chains[next]] * hours[0].value[chains[next]];
            }
        }
    }
    return times;
}

}  // namespace striate
