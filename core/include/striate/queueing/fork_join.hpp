// The computation burst of SIO: jobs that loop over a delay and a bus until all have left (paper 000, eq.
// 16).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace striate {

// One row per program: `population` jobs start together in the delay; after each bus visit a job leaves with
// probability 1 / loops. Times are seconds and not negative, loops at least 1.
struct ForkJoinRows {
    std::span<const std::int64_t> population;
    std::span<const double> delay;  // z, one visit
    std::span<const double> bus;    // x, one visit
    std::span<const double> loops;  // n
};

// Mean time until the last job leaves, by the paper's approximation: n sum over i of (z + R1(i, z, x)) / i.
[[nodiscard]] std::vector<double> fork_join_approximate(const ForkJoinRows& rows);

// The same time exactly: the absorbing Markov chain on (jobs alive, jobs at the bus), one tridiagonal solve
// per number alive, O(population^2) steps, additions of positive numbers only.
[[nodiscard]] std::vector<double> fork_join_exact(const ForkJoinRows& rows);

}  // namespace striate
