#include "striate/queueing/polynomial.hpp"

#include "striate/queueing/lanes.hpp"

namespace striate {

namespace {

constexpr std::size_t wide = 8;  // vectors in flight, enough to hide the latency of a chain

STRIATE_EVERY_WIDTH
double one_pass(const double* places, std::size_t blocks, const double* coefficients, std::size_t count) {
    Lanes total{};
    for (std::size_t block = 0; block < blocks; ++block) {
        Lanes x[wide], value[wide] = {};
        for (std::size_t v = 0; v < wide; ++v) {
            for (std::size_t lane = 0; lane < lane_count; ++lane) x[v][lane] = *places++;
        }
        for (std::size_t power = 0; power < count; ++power) {
            for (std::size_t v = 0; v < wide; ++v) value[v] = value[v] * x[v] + coefficients[power];
        }
        for (std::size_t v = 0; v < wide; ++v) total += value[v];
    }
    double sum = 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane) sum += total[lane];
    return sum;
}

}  // namespace

double polynomial_sum(std::span<const double> places, std::span<const double> coefficients,
                      std::int64_t passes) {
    const std::size_t block = wide * lane_count, blocks = places.size() / block;
    double sum = 0;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        sum += one_pass(places.data(), blocks, coefficients.data(), coefficients.size());
        for (std::size_t rest = blocks * block; rest < places.size(); ++rest) {
            double value = 0;
            for (const double coefficient : coefficients) value = value * places[rest] + coefficient;
            sum += value;
        }
    }
    return sum;
}

}  // namespace striate
