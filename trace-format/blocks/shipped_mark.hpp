#pragma once
// How far the files of a segment are shipped from their host (README.md, "Shipped marks").

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ringside::trace {

struct ShippedMark {
  static constexpr std::size_t kBytes = 32;
  static constexpr const char* kFolder = ".ringship";  // in the directory of the trace files

  std::array<std::uint8_t, 16> uuid{};  // of the segment
  // All files of the segment with a lower number are shipped as a whole.
  std::uint32_t next_file = 0;

  static std::string file_name(const std::array<std::uint8_t, 16>& uuid);

  std::array<std::byte, kBytes> bytes() const;
  // Empty if they are not a mark of this version.
  static std::optional<ShippedMark> parse(std::span<const std::byte> bytes);
};

}  // namespace ringside::trace
