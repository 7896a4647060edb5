#include "trace-format/blocks/shipped_mark.hpp"

#include <cstring>

#include "trace-format/blocks/crc32c.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint32_t kMarkMagic = 0x4D535352;  // "RSSM"
constexpr std::uint16_t kMarkVersion = 1;
constexpr std::size_t kSummedBytes = ShippedMark::kBytes - 4;

}  // namespace

std::string ShippedMark::file_name(const std::array<std::uint8_t, 16>& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const std::uint8_t byte : uuid) {
    name += kDigits[byte >> 4U];
    name += kDigits[byte & 15U];
  }
  return name + ".shipped";
}

std::array<std::byte, ShippedMark::kBytes> ShippedMark::bytes() const {
  std::array<std::byte, kBytes> out{};
  std::byte* const p = out.data();
  store(p, kMarkMagic);
  store(p + 4, kMarkVersion);
  std::memcpy(p + 8, uuid.data(), uuid.size());
  store(p + 24, next_file);
  store(p + kSummedBytes, crc32c(0, std::span(out).first(kSummedBytes)));
  return out;
}

std::optional<ShippedMark> ShippedMark::parse(std::span<const std::byte> bytes) {
  if (bytes.size() != kBytes) return std::nullopt;
  const std::byte* const p = bytes.data();
  if (load<std::uint32_t>(p) != kMarkMagic || load<std::uint16_t>(p + 4) != kMarkVersion ||
      load<std::uint32_t>(p + kSummedBytes) != crc32c(0, bytes.first(kSummedBytes))) {
    return std::nullopt;
  }
  ShippedMark mark;
  std::memcpy(mark.uuid.data(), p + 8, mark.uuid.size());
  mark.next_file = load<std::uint32_t>(p + 24);
  return mark;
}

}  // namespace ringside::trace
