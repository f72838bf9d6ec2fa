// Python's door to the closed networks of the queueing models.
#include <utility>
#include <vector>

#include "columns.hpp"
#include "engines.hpp"
#include "signals.hpp"
#include "striate/queueing/bus_network.hpp"
#include "striate/queueing/clustered_network.hpp"
#include "striate/queueing/cycle_samples.hpp"
#include "striate/queueing/fixed_loops.hpp"
#include "striate/queueing/fork_join.hpp"
#include "striate/queueing/linearizer.hpp"
#include "striate/queueing/polynomial.hpp"

namespace striate::bind {

namespace {

using Counts = Column<std::int64_t>;
using Seconds = Column<double>;
using Split = std::pair<Owned<double>, Owned<double>>;

// Runs an engine without the GIL and gives its columns to Python.
template <class Engine, class Rows>
auto run(Engine engine, const Rows& rows) {
    nb::gil_scoped_release release;
    return engine(rows);
}

Split hand_over_split(Residences&& residences) {
    return {hand_over(std::move(residences.computation)), hand_over(std::move(residences.io))};
}

Owned<double> bus_times(Counts population, Seconds delay, Seconds bus, Counts starts, Seconds disk) {
    const BusRows rows{borrow(population), borrow(delay), borrow(bus), borrow(starts), borrow(disk)};
    return hand_over(run(bus_cycle_times, rows));
}

Split bus_split(Counts population, Seconds delay, Seconds bus, Counts starts, Seconds disk) {
    const BusRows rows{borrow(population), borrow(delay), borrow(bus), borrow(starts), borrow(disk)};
    return hand_over_split(run(bus_residences, rows));
}

Split clustered_split(Counts population, Counts clusters, Seconds delay, Seconds bus, Seconds disk) {
    const ClusteredPoints points{borrow(population), borrow(clusters), borrow(delay), borrow(bus),
                                 borrow(disk)};
    return hand_over_split(run(clustered_residences, points));
}

Split linearizer_split(Seconds population, Seconds clusters, Seconds delay, Seconds bus, Seconds disk) {
    const LinearizerPoints points{borrow(population), borrow(clusters), borrow(delay), borrow(bus),
                                  borrow(disk)};
    return hand_over_split(run(linearizer_residences, points));
}

Owned<double> fork_join(Counts population, Seconds delay, Seconds bus, Seconds loops, bool exact) {
    const ForkJoinRows rows{borrow(population), borrow(delay), borrow(bus), borrow(loops)};
    return hand_over(run(exact ? fork_join_exact : fork_join_approximate, rows));
}

Split fixed_loops(Counts population, Seconds delay, Seconds bus, Counts loops, Seconds apart,
                  double tolerance, std::int64_t most_visits) {
    const FixedLoopRows rows{borrow(population), borrow(delay), borrow(bus), borrow(loops), borrow(apart)};
    SimulatedTimes times;
    {
        nb::gil_scoped_release release;
        times = fixed_loop_times(rows, tolerance, most_visits, poll_signals);
    }
    return {hand_over(std::move(times.mean)), hand_over(std::move(times.error))};
}

Owned<double> cycles(std::int64_t population, std::int64_t disks, double delay, double bus, double disk,
                     double loops, bool fixed, bool together, std::int64_t samples,
                     std::int64_t most_visits) {
    std::vector<double> times;
    {
        nb::gil_scoped_release release;
        times = cycle_samples({population, disks, delay, bus, disk, loops, fixed}, together, samples,
                              most_visits, poll_signals);
    }
    return hand_over(std::move(times));
}

double evaluate(Seconds places, Seconds coefficients, std::int64_t passes) {
    nb::gil_scoped_release release;
    return polynomial_sum(borrow(places), borrow(coefficients), passes);
}

}  // namespace

void register_queueing(nb::module_& module) {
    using nb::arg;
    module.def("bus_times", &bus_times, arg("population"), arg("delay"), arg("bus"), arg("starts"),
               arg("disk"), "Mean cycle time of the BUS-AIO network at every point of every row.");
    module.def("bus_split", &bus_split, arg("population"), arg("delay"), arg("bus"), arg("starts"),
               arg("disk"), "The same cycle as (computation, I/O).");
    module.def("clustered_split", &clustered_split, arg("population"), arg("clusters"), arg("delay"),
               arg("bus"), arg("disk"), "(computation, I/O) of the CLU-AIO network, exactly.");
    module.def("linearizer_split", &linearizer_split, arg("population"), arg("clusters"), arg("delay"),
               arg("bus"), arg("disk"), "(computation, I/O) of the CLU-AIO network, by Linearizer.");
    module.def("fork_join", &fork_join, arg("population"), arg("delay"), arg("bus"), arg("loops"),
               arg("exact"), "Mean time of the SIO computation burst.");
    module.def("fixed_loops", &fixed_loops, arg("population"), arg("delay"), arg("bus"), arg("loops"),
               arg("apart"), arg("tolerance"), arg("most_visits"),
               "(mean, standard error) of the SIO computation burst with a fixed number of loops.");
    module.def("cycle_samples", &cycles, arg("population"), arg("disks"), arg("delay"), arg("bus"),
               arg("disk"), arg("loops"), arg("fixed"), arg("together"), arg("samples"), arg("most_visits"),
               "Times of single cycles: of all jobs together (SIO), or of each on its own.");
    module.def("polynomial_sum", &evaluate, arg("places"), arg("coefficients"), arg("passes"),
               "Sum of a polynomial over places, passes times over.");
}

}  // namespace striate::bind
