// striate._core: each engine registers itself from its own short file.
#include <nanobind/nanobind.h>

#include "engines.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Native engines of striate: columns in, columns out.";
    striate::bind::register_refusals(module);
    striate::bind::register_extents(module);
    striate::bind::register_layouts(module);
    striate::bind::register_access_plan(module);
    striate::bind::register_queueing(module);
    striate::bind::register_routes(module);
    striate::bind::register_compiled(module);
    striate::bind::register_packet_run(module);
    striate::bind::register_schedule(module);
    striate::bind::register_flows(module);
    striate::bind::register_fold(module);
    striate::bind::register_program_flows(module);
    striate::bind::register_ledger(module);
    striate::bind::register_records(module);
    striate::bind::register_chunks(module);
    striate::bind::register_rows(module);
}
