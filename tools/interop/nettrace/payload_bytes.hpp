#pragma once
// Converts bytes of a payload to the values of a record.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool::nettrace {

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Appends the length before an element of an array of texts or bytes (shm-layout/README.md,
// "Records").
inline void append_length(std::string& out, std::size_t length) {
  const auto bytes = static_cast<std::uint32_t>(length);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

}  // namespace ringside::tool::nettrace
