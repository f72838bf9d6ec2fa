// Reads a striate.predict.file_layouts.LayoutTable: which files have a layout of their own.
#pragma once

#include <cstdint>

#include "../columns.hpp"
#include "programs.hpp"
#include "striate/layout/file_layouts.hpp"

namespace striate::bind {

template <class... Layouts>
AnyLayout any_layout(nb::handle native, std::variant<Layouts...>*) {
    const AnyLayout* found = nullptr;
    AnyLayout layout = SimpleStripe(1, 1);
    const auto take = [&]<class Layout>(const Layout*) {
        if (nb::isinstance<Layout>(native)) {
            layout = nb::cast<const Layout&>(native);
            found = &layout;
        }
    };
    (take(static_cast<const Layouts*>(nullptr)), ...);
    if (found == nullptr) throw nb::type_error("a layout of no known kind");
    return layout;
}

inline FileLayouts borrow_layouts(Borrower& borrower, nb::handle table, std::int64_t servers,
                                  std::int64_t stripe_unit) {
    FileLayouts layouts(servers, stripe_unit);
    const auto first = borrower.column<std::int64_t>(table, "first");
    const auto count = borrower.column<std::int64_t>(table, "count");
    std::size_t row = 0;
    for (const nb::handle native : nb::cast<nb::list>(table.attr("natives"))) {
        layouts.add(first[row], count[row], any_layout(native, static_cast<AnyLayout*>(nullptr)));
        ++row;
    }
    return layouts;
}

}  // namespace striate::bind
