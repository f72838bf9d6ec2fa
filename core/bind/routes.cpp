// Python's door to Routes.
#include "striate/network/routes.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

#include "columns.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

using Summaries = std::tuple<Owned<std::int64_t>, Owned<std::int64_t>, Owned<double>>;

Summaries route_summary(Column<double> bandwidth, Column<std::int32_t> edge_source,
                        Column<std::int32_t> edge_target, Column<double> edge_bandwidth,
                        Column<std::int64_t> edge_latency, Column<std::int32_t> from_components,
                        Column<std::int32_t> to_components) {
    std::vector<std::int64_t> hops;
    std::vector<std::int64_t> latency;
    std::vector<double> bottleneck;
    {
        nb::gil_scoped_release release;
        const NetworkColumns network{borrow(bandwidth), borrow(edge_source), borrow(edge_target),
                                     borrow(edge_bandwidth), borrow(edge_latency)};
        for (const RouteSummary& route :
             summarise_routes(network, borrow(from_components), borrow(to_components))) {
            hops.push_back(route.hops);
            latency.push_back(route.latency_ticks);
            bottleneck.push_back(route.bottleneck_bandwidth);
        }
    }
    return {hand_over(std::move(hops)), hand_over(std::move(latency)), hand_over(std::move(bottleneck))};
}

}  // namespace

void register_routes(nb::module_& module) {
    module.def("route_summary", &route_summary, nb::arg("bandwidth"), nb::arg("edge_source"),
               nb::arg("edge_target"), nb::arg("edge_bandwidth"), nb::arg("edge_latency"),
               nb::arg("from_components"), nb::arg("to_components"),
               "Hops (-1: no route), latency in ticks and bottleneck bandwidth of every pair.");
}

}  // namespace striate::bind
