// What crosses the border: typed one-dimensional columns, borrowed on the way in, handed over on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace striate::bind {

namespace nb = nanobind;

// A read-only, contiguous column of a NumPy array; it lives as long as the call.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A writable column, filled in place.
template <class T>
using MutableColumn = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> borrow(const Column<T>& column) {
    return {column.data(), column.size()};
}

template <class T>
std::span<T> borrow(const MutableColumn<T>& column) {
    return {column.data(), column.size()};
}

template <class T>
using Owned = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector's storage to NumPy without a copy; NumPy frees it.
template <class T, class Allocator>
Owned<T> hand_over(std::vector<T, Allocator>&& values) {
    using Vector = std::vector<T, Allocator>;
    auto* heap = new Vector(std::move(values));
    nb::capsule owner(heap, [](void* pointer) noexcept { delete static_cast<Vector*>(pointer); });
    return Owned<T>(heap->data(), {heap->size()}, owner);
}

}  // namespace striate::bind
