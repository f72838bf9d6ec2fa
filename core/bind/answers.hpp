// Answers of the core as Python classes: numbers and columns by name, read only. A column keeps its answer
// alive.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "columns.hpp"

namespace striate::bind {

template <class T>
using ReadOnly = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

template <class Answer>
class AnswerClass {
  public:
    AnswerClass(nb::module_& module, const char* name, const char* about) : bound_(module, name, about) {}

    template <class T, class Allocator>
    AnswerClass& column(const char* name, std::vector<T, Allocator> Answer::* member) {
        bound_.def_prop_ro(name, [member](nb::pointer_and_handle<Answer> answer) {
            const auto& values = answer.p->*member;
            return ReadOnly<T>(values.data(), {values.size()}, answer.h);
        });
        return *this;
    }

    template <class T>
    AnswerClass& number(const char* name, T Answer::* member) {
        bound_.def_ro(name, member);
        return *this;
    }

    // A column of whole numbers made of every row: a member of it, or a function of it.
    template <class Row, class Value>
    AnswerClass& column(const char* name, std::vector<Row> Answer::* rows, Value value) {
        bound_.def_prop_ro(
            name,
            [rows, value](const Answer& answer) {
                std::vector<std::int64_t> values;
                for (const Row& row : answer.*rows) {
                    values.push_back(static_cast<std::int64_t>(std::invoke(value, row)));
                }
                return hand_over(std::move(values));
            },
            nb::rv_policy::automatic);
        return *this;
    }

  private:
    nb::class_<Answer> bound_;
};

}  // namespace striate::bind
