#include "striate/queueing/cycle_samples.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "striate/queueing/draws.hpp"

namespace striate {

namespace {

constexpr std::int64_t visits_between_polls = 1 << 18;
constexpr std::int64_t forgotten_cycles = 20;  // of each job, before its times count
constexpr std::int64_t most_jobs = std::int64_t{1} << 26;
constexpr double most_loops = 0x1p40;

struct Arrival {
    double time = 0;
    std::int64_t job = 0;
    bool at_disk = false;
};

bool later(const Arrival& a, const Arrival& b) { return a.time > b.time; }

struct Job {
    double began = 0;
    std::int64_t left = 0, cycles = 0;
};

class Simulation {
  public:
    Simulation(const CycleNetwork& network, std::int64_t most_visits, const std::function<void()>& keep_going)
        : network_(network), most_visits_(most_visits), keep_going_(keep_going) {
        jobs_.resize(static_cast<std::size_t>(network.population));
        disk_free_.resize(static_cast<std::size_t>(network.disks));
    }

    // From the common start until the last job has left the bus, and one access.
    double together() {
        bus_free_ = 0;
        const std::int64_t common = network_.fixed ? loops() : 0;
        for (std::size_t job = 0; job < jobs_.size(); ++job) {
            jobs_[job].left = network_.fixed ? common : loops();
            wait_and_arrive(0, static_cast<std::int64_t>(job));
        }
        while (!waiting_.empty()) {
            const Arrival next = pop();
            const double end = served(next.time);
            if (--jobs_[static_cast<std::size_t>(next.job)].left > 0) wait_and_arrive(end, next.job);
        }
        return bus_free_ + network_.disk * draw_();
    }

    // Every job on its own, for ever.
    void apart(std::int64_t samples, std::vector<double>& times) {
        for (std::size_t job = 0; job < jobs_.size(); ++job) begin(0, static_cast<std::int64_t>(job));
        while (std::ssize(times) < samples && may_go_on()) {
            const Arrival next = pop();
            Job& job = jobs_[static_cast<std::size_t>(next.job)];
            if (!next.at_disk) {
                const double end = served(next.time);
                if (--job.left > 0)
                    wait_and_arrive(end, next.job);
                else
                    push({end, next.job, true});
                continue;
            }
            double& free = disk_free_[static_cast<std::size_t>(next.job % network_.disks)];
            free = std::max(free, next.time) + network_.disk * draw_();
            if (++job.cycles > forgotten_cycles) times.push_back(free - job.began);
            begin(free, next.job);
        }
    }

    [[nodiscard]] bool may_go_on() const { return visits_ < most_visits_; }

  private:
    std::int64_t loops() {
        if (network_.fixed) {
            const double whole = std::floor(network_.loops);
            return static_cast<std::int64_t>(whole) + (draw_.uniform() < network_.loops - whole ? 1 : 0);
        }
        if (network_.loops <= 1) return 1;
        const double stays = std::log1p(-1 / network_.loops);  // log of the share that makes one more loop
        return 1 + static_cast<std::int64_t>(std::log(draw_.uniform()) / stays);
    }

    void begin(double now, std::int64_t job) {
        jobs_[static_cast<std::size_t>(job)].began = now;
        jobs_[static_cast<std::size_t>(job)].left = loops();
        wait_and_arrive(now, job);
    }

    void wait_and_arrive(double now, std::int64_t job) { push({now + network_.delay * draw_(), job, false}); }

    double served(double arrival) {
        if (++visits_ % visits_between_polls == 0) keep_going_();
        bus_free_ = std::max(bus_free_, arrival) + network_.bus * draw_();
        return bus_free_;
    }

    void push(const Arrival& arrival) {
        waiting_.push_back(arrival);
        std::push_heap(waiting_.begin(), waiting_.end(), later);
    }

    Arrival pop() {
        std::pop_heap(waiting_.begin(), waiting_.end(), later);
        const Arrival next = waiting_.back();
        waiting_.pop_back();
        return next;
    }

    CycleNetwork network_;
    std::int64_t most_visits_, visits_ = 0;
    const std::function<void()>& keep_going_;
    Draws draw_;
    std::vector<Job> jobs_;
    std::vector<Arrival> waiting_;  // a heap by time
    std::vector<double> disk_free_;
    double bus_free_ = 0;
};

void check(const CycleNetwork& network) {
    if (network.population < 1 || network.population > most_jobs || network.disks < 1 ||
        network.disks > most_jobs)
        throw std::invalid_argument("a network of cycles has from 1 to 2^26 jobs and disks");
    if (!(network.loops >= 1 && network.loops <= most_loops))
        throw std::invalid_argument("a cycle has from 1 to 2^40 loops");
}

}  // namespace

std::vector<double> cycle_samples(const CycleNetwork& network, bool together, std::int64_t samples,
                                  std::int64_t most_visits, const std::function<void()>& keep_going) {
    check(network);
    Simulation simulation(network, most_visits, keep_going);
    std::vector<double> times;
    if (!together) {
        simulation.apart(samples, times);
        return times;
    }
    while (std::ssize(times) < samples && simulation.may_go_on()) times.push_back(simulation.together());
    return times;
}

}  // namespace striate
