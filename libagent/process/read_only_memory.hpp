#pragma once
// Whether data belongs to the constants of a program or shared object.

#include <cstddef>

namespace ringside {

// Whether [begin, begin + bytes) lies in a segment of the object that is not writable.
// `elf_header`: the object's own, as it is loaded; null: unknown, false. Takes no lock.
bool is_read_only_data(const void* elf_header, const void* begin, std::size_t bytes) noexcept;

}  // namespace ringside
