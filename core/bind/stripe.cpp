// Python's door to StripeLoad.
#include "striate/stripe.hpp"

#include <utility>

#include "columns.hpp"
#include "engines.hpp"

namespace striate::bind {

namespace {

std::pair<Owned<std::int64_t>, Owned<std::int64_t>> stripe_load(std::int64_t unit_bytes, std::int64_t servers,
                                                                Column<std::int64_t> offsets,
                                                                Column<std::int64_t> sizes) {
    if (offsets.size() != sizes.size()) throw nb::value_error("offsets and sizes differ in length");
    StripeLoad load(unit_bytes, servers);
    {
        nb::gil_scoped_release release;
        for (std::size_t run = 0; run < offsets.size(); ++run)
            load.add(offsets.data()[run], sizes.data()[run], 1);
    }
    return {hand_over(load.bytes()), hand_over(load.requests())};
}

}  // namespace

void register_stripe(nb::module_& module) {
    module.def("stripe_load", &stripe_load, nb::arg("unit_bytes"), nb::arg("servers"), nb::arg("offsets"),
               nb::arg("sizes"), "Bytes and requests that the runs put on each server.");
}

}  // namespace striate::bind
