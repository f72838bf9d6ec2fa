// Borrows a striate.engine.input.EngineInput: programs of ranks on a machine, by the names of its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../columns.hpp"
#include "files.hpp"
#include "programs.hpp"
#include "striate/programs/program_run.hpp"

namespace striate::bind {

class EngineInput : public nb::object {
    NB_OBJECT(EngineInput, nb::object, "striate.engine.input.EngineInput", is_any)
    static bool is_any(PyObject*) { return true; }
};

// The spans of `programs` lie in the arrays that `borrower` keeps alive, so it is neither copied nor moved.
struct BorrowedInput {
    explicit BorrowedInput(const EngineInput& input, bool compat_clock = false)
        : network(borrower.network(input.attr("network"))),
          nics(borrower.nics(input.attr("interfaces"))),
          settings{number(input, "packet_bytes"),
                   compat_clock ? Rounding::truncated_nanoseconds : Rounding::nearest_picosecond,
                   flag(input, "round_robin") ? Routing::round_robin : Routing::shortest,
                   flag(input, "free_near")} {
        for (const nb::handle family : nb::list(input.attr("communicators"))) {
            groups.push_back(borrower.groups(family));
        }
        if (const nb::object given = input.attr("files"); !given.is_none()) {
            files = borrow_file_rules(borrower, given, settings.packet_bytes, compat_clock);
        }
        programs = {.programs = borrower.programs(input.attr("programs")),
                    .communicators = groups,
                    .collectives = borrower.collectives(input.attr("collectives")),
                    .rank_node = borrower.column<std::int32_t>(input, "rank_node"),
                    .node_cpus = borrower.column<std::int32_t>(input, "node_cpus"),
                    .node_instructions_per_second = borrower.column<double>(input, "node_speed"),
                    .eager_bytes = number(input, "eager_bytes"),
                    .extents = borrower.extents(input.attr("extents")),
                    .files = files ? &*files : nullptr,
                    .rank_start = column_or_none<std::int64_t>(input, "rank_start"),
                    .rank_wait = column_or_none<std::int64_t>(input, "rank_wait"),
                    .rank_lag = column_or_none<double>(input, "rank_lag"),
                    .longest_lag = number(input, "longest_lag")};
    }
    BorrowedInput(const BorrowedInput&) = delete;
    BorrowedInput& operator=(const BorrowedInput&) = delete;

    Borrower borrower;
    std::vector<GroupColumns> groups;
    std::optional<FileRules> files;
    NetworkColumns network;
    NicColumns nics;
    NetworkSettings settings;
    ProgramInput programs;

  private:
    template <class T>
    std::span<const T> column_or_none(nb::handle input, const char* name) {
        const nb::object values = input.attr(name);
        return values.is_none() ? std::span<const T>{} : borrower.array<T>(values);
    }
};

}  // namespace striate::bind
