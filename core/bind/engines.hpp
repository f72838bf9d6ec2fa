// One registration function per engine; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace striate::bind {

void register_access_plan(nanobind::module_& module);
void register_extents(nanobind::module_& module);
void register_layouts(nanobind::module_& module);
void register_queueing(nanobind::module_& module);
void register_routes(nanobind::module_& module);
void register_schedule(nanobind::module_& module);
void register_flows(nanobind::module_& module);
void register_fold(nanobind::module_& module);
void register_ledger(nanobind::module_& module);
void register_packet_run(nanobind::module_& module);
void register_program_flows(nanobind::module_& module);
void register_refusals(nanobind::module_& module);
void register_records(nanobind::module_& module);
void register_chunks(nanobind::module_& module);
void register_compiled(nanobind::module_& module);
void register_rows(nanobind::module_& module);

}  // namespace striate::bind
