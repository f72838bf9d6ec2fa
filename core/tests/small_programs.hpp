// Programs written operation by operation, owning their columns.
#pragma once

#include <cstdint>
#include <vector>

#include "striate/programs/program.hpp"

// A program for every rank, every operand a constant.
struct Written {
    std::vector<std::uint32_t> first_row{0}, first_operand{0}, first_stride{0};
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> communicator, table, program_of_rank;
    std::vector<std::int64_t> constant, per_rank, stride, value;
    std::vector<std::int64_t> first_value{0};

    void add(striate::Kind what, const std::vector<std::int64_t>& operands) {
        kind.push_back(static_cast<std::uint8_t>(what));
        communicator.push_back(0);
        for (const std::int64_t operand : operands) {
            constant.push_back(operand);
            per_rank.push_back(0);
            table.push_back(-1);
            first_stride.push_back(0);
        }
        first_operand.push_back(static_cast<std::uint32_t>(constant.size()));
    }
    void end_of_rank() {
        program_of_rank.push_back(static_cast<std::int32_t>(program_of_rank.size()));
        first_row.push_back(static_cast<std::uint32_t>(kind.size()));
    }
    [[nodiscard]] striate::Programs programs() const {
        return {first_row, kind,         communicator, first_operand, constant, per_rank,
                table,     first_stride, stride,       first_value,   value,    program_of_rank};
    }
};
