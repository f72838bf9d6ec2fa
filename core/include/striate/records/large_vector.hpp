// Vectors of millions of numbers, whose memory is got in large pages and is not cleared before it is filled.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace striate {

template <class T>
struct LargeAllocator {
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = nullptr;
        if (bytes >= page / 2) {
            const std::size_t whole = (bytes + page - 1) / page * page;
            memory = std::aligned_alloc(page, whole);
            if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // a wish: small pages do as well
        } else {
            memory = std::malloc(bytes > 0 ? bytes : 1);
        }
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }

    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;  // numbers stay as they are
    }
    template <class U, class... Values>
    void construct(U* place, Values&&... values) {
        ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
    }

    bool operator==(const LargeAllocator&) const { return true; }

  private:
    static constexpr std::size_t page = std::size_t{2} << 20;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace striate
