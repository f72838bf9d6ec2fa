// Borrows the columns of a striate.workload.program.ProgramTable (and of the Groups and Network beside it) by
// attribute name.
#pragma once

#include "../columns.hpp"
#include "striate/network/schedule.hpp"
#include "striate/network/stations.hpp"
#include "striate/programs/collective_book.hpp"
#include "striate/programs/ledger.hpp"
#include "striate/programs/program.hpp"

namespace striate::bind {

inline std::int64_t number(nb::handle owner, const char* name) {
    return nb::cast<std::int64_t>(owner.attr(name));
}

inline bool flag(nb::handle owner, const char* name) { return nb::cast<bool>(owner.attr(name)); }

// Keeps the arrays alive while the spans over them are in use: also those that were made by converting a
// column to the type that the core reads.
class Borrower {
  public:
    template <class T>
    std::span<const T> column(nb::handle owner, const char* name) {
        return array<T>(owner.attr(name));
    }

    template <class T>
    std::span<const T> array(nb::handle values) {
        const auto column = nb::cast<Column<T>>(values);
        kept_.emplace_back(column);
        return borrow(column);
    }

    Programs programs(nb::handle table) {
        return {column<std::uint32_t>(table, "first_row"),   column<std::uint8_t>(table, "kind"),
                column<std::int32_t>(table, "communicator"), column<std::uint32_t>(table, "first_operand"),
                column<std::int64_t>(table, "constant"),     column<std::int64_t>(table, "per_rank"),
                column<std::int32_t>(table, "table"),        column<std::uint32_t>(table, "first_stride"),
                column<std::int64_t>(table, "stride"),       column<std::int64_t>(table, "first_value"),
                column<std::int64_t>(table, "value"),        column<std::int32_t>(table, "program_of_rank")};
    }

    GroupColumns groups(nb::handle groups) {
        return {column<std::int64_t>(groups, "group"), column<std::int64_t>(groups, "position"),
                column<std::int64_t>(groups, "first"), column<std::int64_t>(groups, "member")};
    }

    ExtentColumns extents(nb::handle lists) {
        return {column<std::int64_t>(lists, "first"), column<std::int64_t>(lists, "offsets"),
                column<std::int64_t>(lists, "sizes")};
    }

    NetworkColumns network(nb::handle network) {
        return {column<double>(network, "bandwidth"),          column<std::int32_t>(network, "edge_source"),
                column<std::int32_t>(network, "edge_target"),  column<double>(network, "edge_bandwidth"),
                column<std::int64_t>(network, "edge_latency"), column<std::uint8_t>(network, "kind"),
                column<double>(network, "local_bandwidth")};
    }

    NicColumns nics(nb::handle interfaces) {
        return {column<std::int32_t>(interfaces, "component"), column<double>(interfaces, "bandwidth"),
                column<double>(interfaces, "link_bandwidth"),
                column<std::int64_t>(interfaces, "link_latency"),
                column<std::uint8_t>(interfaces, "analytical")};
    }

    ScheduleColumns schedule(nb::handle steps) {
        return {column<std::int32_t>(steps, "source"),
                column<std::int32_t>(steps, "target"),
                column<std::int64_t>(steps, "bytes"),
                column<std::int64_t>(steps, "delay"),
                column<std::int64_t>(steps, "first_dependency"),
                column<std::int32_t>(steps, "dependency"),
                column<std::uint8_t>(steps, "dependency_sent")};
    }

    CollectiveColumns collectives(nb::handle book) {
        return {column<std::uint8_t>(book, "kind"),         column<std::int64_t>(book, "members"),
                column<std::int64_t>(book, "root"),         column<std::int64_t>(book, "bytes"),
                column<std::int64_t>(book, "algorithm"),    column<std::int64_t>(book, "first_member"),
                column<std::int64_t>(book, "first_action"), column<std::uint8_t>(book, "action"),
                column<std::int32_t>(book, "peer"),         column<std::int64_t>(book, "amount"),
                column<std::int64_t>(book, "first_group"),  column<std::int64_t>(book, "first_call"),
                column<std::int32_t>(book, "call")};
    }

    CollectiveSumsInput collective_sums(nb::handle sums) {
        CollectiveSumsInput input{
            column<std::uint8_t>(sums, "kind"),          column<std::int64_t>(sums, "members"),
            column<std::int64_t>(sums, "root"),          column<std::int64_t>(sums, "bytes"),
            column<std::int64_t>(sums, "algorithm"),     column<std::int64_t>(sums, "first_member"),
            collective_sum_columns(sums.attr("member")), {}};
        for (nb::handle one : sums.attr("listed")) {
            input.listed.push_back(one.is_none() ? CollectiveSumColumns{} : collective_sum_columns(one));
        }
        return input;
    }

  private:
    CollectiveSumColumns collective_sum_columns(nb::handle sums) {
        return {column<std::int64_t>(sums, "sent_bytes"), column<std::int64_t>(sums, "received_bytes"),
                column<std::int64_t>(sums, "sent_messages"), column<std::int64_t>(sums, "received_messages"),
                column<std::int64_t>(sums, "instructions")};
    }

    std::vector<nb::ndarray<nb::ro>> kept_;
};

}  // namespace striate::bind
