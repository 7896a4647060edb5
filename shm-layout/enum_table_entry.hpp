#pragma once
// Writing an enum table, the names of an enumeration's values (dictionary_entry.hpp has its
// layout).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "dictionary_entry.hpp"

namespace ringside::shm {

inline constexpr std::uint32_t kEnumTableFixedBytes = 16;
inline constexpr std::uint32_t kEnumValueBytes = 16;

// Bytes of the entry. `names`: each with its terminating NUL.
inline std::size_t enum_table_bytes(std::size_t count, const char* names) {
  std::size_t bytes = kEnumTableFixedBytes + count * kEnumValueBytes;
  for (; count > 0; --count) {
    const std::size_t length = std::strlen(names);
    bytes += length;
    names += length + 1;
  }
  return (bytes + 7) & ~std::size_t{7};
}

// Writes the entry to `out`: enum_table_bytes() bytes, all of them written.
inline void write_enum_table(std::uint32_t id, std::span<const std::int64_t> values,
                             const char* names, std::byte* out) {
  const std::size_t size = enum_table_bytes(values.size(), names);
  std::memset(out, 0, size);
  detail::store(out, static_cast<std::uint32_t>(size));
  detail::store(out + 4, kEntryEnumTable);
  detail::store(out + 6, static_cast<std::uint16_t>(values.size()));
  detail::store(out + 8, id);
  std::byte* value_place = out + kEnumTableFixedBytes;
  std::byte* name_place = value_place + values.size() * kEnumValueBytes;
  for (const std::int64_t value : values) {
    const std::size_t length = std::strlen(names);
    detail::store(value_place, value);
    detail::store(value_place + 8, static_cast<std::uint32_t>(length));
    std::memcpy(name_place, names, length);
    value_place += kEnumValueBytes;
    name_place += length;
    names += length + 1;
  }
}

}  // namespace ringside::shm
