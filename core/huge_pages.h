// SPDX-License-Identifier: Apache-2.0
// Memory for what grows large and is touched all over: in huge pages where the system has them, for otherwise
// most of the time goes to translating addresses. Small pieces come from the heap as ever.
#pragma once

#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace vg810 {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

inline constexpr std::align_val_t page_alignment(std::size_t octets) {
    return std::align_val_t{octets >= huge_page_bytes ? huge_page_bytes : 64};
}

/// At least 64-octet aligned. Give it back with free_pages() and the same size.
inline void* allocate_pages(std::size_t octets) {
    void* const p = ::operator new(octets, page_alignment(octets));
#ifdef MADV_HUGEPAGE
    if (octets >= huge_page_bytes)
        ::madvise(p, octets / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE); // advice: may be refused
#endif
    return p;
}

inline void free_pages(void* p, std::size_t octets) {
    ::operator delete(p, page_alignment(octets));
}

/// For standard containers.
template <class T> struct page_allocator {
    using value_type = T;
    page_allocator() = default;
    template <class U> page_allocator(const page_allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_pages(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { free_pages(p, n * sizeof(T)); }
    bool operator==(const page_allocator&) const { return true; }
};

} // namespace vg810
