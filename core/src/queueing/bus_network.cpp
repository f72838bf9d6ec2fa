#include "striate/queueing/bus_network.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "striate/queueing/lanes.hpp"

namespace striate {

namespace {

constexpr std::size_t chunk = 512;  // populations whose throughputs are kept at once
constexpr std::size_t wide = 4;     // vectors in flight, to hide the latency of the chain
constexpr std::size_t block = wide * lane_count;

// Throughputs of the delay and the bus alone, for eight rows and the populations first, first + 1, ...
// MVA: response = x (1 + queue), throughput = m / (z + response), queue = throughput response.
STRIATE_EVERY_WIDTH
void advance_bus(const Lanes* delay, const Lanes* bus, Lanes* queue, std::int64_t first, std::size_t count,
                 Stored* throughput) {
    const Lanes z = *delay, x = *bus;
    Lanes waiting = *queue;
    for (std::size_t step = 0; step < count; ++step) {
        const Lanes response = x + x * waiting;
        const Lanes rate = static_cast<double>(first + static_cast<std::int64_t>(step)) / (z + response);
        waiting = rate * response;
        throughput[step].value = rate;
    }
    *queue = waiting;
}

// With g(m) the normalising constant of the delay and the bus, G(m) that of all three, acc = G(m - 1) / g(m)
// obeys acc <- X_m (1 + y acc): Horner's rule, positive terms only. X_m is read from one lane of eight rows.
STRIATE_EVERY_WIDTH
void advance_horner(const Stored* throughput, std::size_t lane, std::size_t count, const Stored* disk,
                    Stored* accumulated) {
    Lanes y[wide], acc[wide];
    for (std::size_t v = 0; v < wide; ++v) y[v] = disk[v].value, acc[v] = accumulated[v].value;
    for (std::size_t step = 0; step < count; ++step) {
        const double rate = throughput[step].value[lane];
        for (std::size_t v = 0; v < wide; ++v) acc[v] = rate * (1.0 + y[v] * acc[v]);
    }
    for (std::size_t v = 0; v < wide; ++v) accumulated[v].value = acc[v];
}

// Mean value analysis over populations 1..population for a block of disk demands; leaves the two responses.
STRIATE_EVERY_WIDTH
void solve_block(std::int64_t population, double delay, double bus, const Stored* disk, Stored* bus_response,
                 Stored* disk_response) {
    Lanes y[wide], at_bus[wide] = {}, at_disk[wide] = {};
    for (std::size_t v = 0; v < wide; ++v) y[v] = disk[v].value;
    for (std::int64_t jobs = 1; jobs <= population; ++jobs) {
        const double m = static_cast<double>(jobs);
        for (std::size_t v = 0; v < wide; ++v) {
            const Lanes bus_time = bus + bus * at_bus[v];
            const Lanes disk_time = y[v] + y[v] * at_disk[v];
            const Lanes rate = m / (delay + bus_time + disk_time);
            at_bus[v] = rate * bus_time, at_disk[v] = rate * disk_time;
            if (jobs == population) bus_response[v].value = bus_time, disk_response[v].value = disk_time;
        }
    }
}

void check(const BusRows& rows) {
    const std::size_t count = rows.population.size();
    if (rows.delay.size() != count || rows.bus.size() != count || rows.starts.size() != count + 1 ||
        rows.starts.front() != 0 || rows.starts.back() != static_cast<std::int64_t>(rows.disk.size()) ||
        !std::is_sorted(rows.starts.begin(), rows.starts.end())) {
        throw std::invalid_argument("rows of the bus network do not fit together");
    }
    for (const auto population : rows.population) {
        if (population < 1) throw std::invalid_argument("a closed network needs at least one job");
    }
}

struct Row {
    std::size_t first, points;
    std::vector<Stored> disk, accumulated;  // padded to whole blocks
};

Row padded_row(const BusRows& rows, std::size_t index) {
    Row row;
    row.first = static_cast<std::size_t>(rows.starts[index]);
    row.points = static_cast<std::size_t>(rows.starts[index + 1]) - row.first;
    const std::size_t vectors = (row.points + block - 1) / block * wide;
    row.disk.resize(vectors);
    row.accumulated.resize(vectors);
    for (std::size_t point = 0; point < row.points; ++point) {
        row.disk[point / lane_count].value[point % lane_count] = rows.disk[row.first + point];
    }
    return row;
}

// Solves up to eight rows together: the bus recursion runs across rows, Horner's rule across points.
void solve_rows(const BusRows& rows, std::size_t first_row, std::size_t row_count,
                std::vector<double>& times) {
    std::array<Row, lane_count> work;
    Lanes delay = Lanes{} + 1.0, bus{}, queue{};
    std::int64_t largest = 0;
    for (std::size_t lane = 0; lane < row_count; ++lane) {
        work[lane] = padded_row(rows, first_row + lane);
        delay[lane] = rows.delay[first_row + lane];
        bus[lane] = rows.bus[first_row + lane];
        largest = std::max(largest, rows.population[first_row + lane]);
    }
    std::vector<Stored> throughput(std::min(chunk, static_cast<std::size_t>(largest)));
    for (std::int64_t solved = 0; solved < largest; solved += static_cast<std::int64_t>(chunk)) {
        const auto count = std::min(chunk, static_cast<std::size_t>(largest - solved));
        advance_bus(&delay, &bus, &queue, solved + 1, count, throughput.data());
        for (std::size_t lane = 0; lane < row_count; ++lane) {
            const std::int64_t left = rows.population[first_row + lane] - solved;
            if (left <= 0) continue;
            Row& row = work[lane];
            const std::size_t steps = std::min(count, static_cast<std::size_t>(left));
            for (std::size_t v = 0; v < row.disk.size(); v += wide) {
                advance_horner(throughput.data(), lane, steps, &row.disk[v], &row.accumulated[v]);
            }
        }
    }
    for (std::size_t lane = 0; lane < row_count; ++lane) {
        const Row& row = work[lane];
        const double jobs = static_cast<double>(rows.population[first_row + lane]);
        const bool disks_alone =
            delay[lane] + bus[lane] == 0;  // X_m is infinite: every job queues at the disks
        for (std::size_t point = 0; point < row.points; ++point) {
            const double y = rows.disk[row.first + point];
            const double acc = row.accumulated[point / lane_count].value[point % lane_count];
            times[row.first + point] =
                disks_alone ? jobs * y : jobs * (y + 1.0 / acc);  // inf: K y, the limit
        }
    }
}

}  // namespace

std::vector<double> bus_cycle_times(const BusRows& rows) {
    check(rows);
    std::vector<double> times(rows.disk.size());
    for (std::size_t row = 0; row < rows.population.size(); row += lane_count) {
        solve_rows(rows, row, std::min(lane_count, rows.population.size() - row), times);
    }
    return times;
}

Residences bus_residences(const BusRows& rows) {
    check(rows);
    Residences result{std::vector<double>(rows.disk.size()), std::vector<double>(rows.disk.size())};
    for (std::size_t index = 0; index < rows.population.size(); ++index) {
        const Row row = padded_row(rows, index);
        const double delay = rows.delay[index], bus = rows.bus[index];
        for (std::size_t v = 0; v < row.disk.size(); v += wide) {
            Stored bus_response[wide], disk_response[wide];
            solve_block(rows.population[index], delay, bus, &row.disk[v], bus_response, disk_response);
            for (std::size_t lane = 0; lane < block && v * lane_count + lane < row.points; ++lane) {
                const std::size_t point = row.first + v * lane_count + lane;
                result.computation[point] = delay + bus_response[lane / lane_count].value[lane % lane_count];
                result.io[point] = disk_response[lane / lane_count].value[lane % lane_count];
            }
        }
    }
    return result;
}

}  // namespace striate
