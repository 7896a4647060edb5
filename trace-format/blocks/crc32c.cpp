#include "trace-format/blocks/crc32c.hpp"

#include <array>

#include "trace-format/blocks/little_endian.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>

#include "trace-format/blocks/crc32c_avx512.hpp"
#else
#include <arm_acle.h>

#include <sys/auxv.h>
#endif

namespace ringside::trace {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: the contribution of byte b if k more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

// One step of the processor's instruction, which is a part of the base of neither architecture.
#if defined(__x86_64__)
#define RINGSIDE_CRC_INSTRUCTION __attribute__((target("sse4.2")))
RINGSIDE_CRC_INSTRUCTION inline std::uint64_t crc_word(std::uint64_t crc, std::uint64_t word) {
  return _mm_crc32_u64(crc, word);
}
RINGSIDE_CRC_INSTRUCTION inline std::uint32_t crc_byte(std::uint32_t crc, std::uint8_t byte) {
  return _mm_crc32_u8(crc, byte);
}
bool has_crc_instruction() {
  return __builtin_cpu_supports("sse4.2") != 0;
}
#else
#define RINGSIDE_CRC_INSTRUCTION __attribute__((target("+crc")))
RINGSIDE_CRC_INSTRUCTION inline std::uint64_t crc_word(std::uint64_t crc, std::uint64_t word) {
  return __crc32cd(static_cast<std::uint32_t>(crc), word);
}
RINGSIDE_CRC_INSTRUCTION inline std::uint32_t crc_byte(std::uint32_t crc, std::uint8_t byte) {
  return __crc32cb(crc, byte);
}
bool has_crc_instruction() {
  constexpr unsigned long kCrc32 = 1UL << 7;  // HWCAP_CRC32 of <asm/hwcap.h>
  return (getauxval(AT_HWCAP) & kCrc32) != 0;
}
#endif

// The instruction takes three cycles but one can start in each. Long inputs are therefore
// processed in three lanes whose results are joined: appending kLane zero bytes to a message is
// linear in its CRC.
constexpr std::size_t kLane = 1024;

constexpr std::array<std::array<std::uint32_t, 256>, 4> make_lane_shift() {
  // The shift of each single bit: runs kLane zero bytes through the table.
  std::array<std::uint32_t, 32> of_bit{};
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::uint32_t crc = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i < kLane; ++i) crc = (crc >> 8) ^ kTables[0][crc & 0xFF];
    of_bit[bit] = crc;
  }
  std::array<std::array<std::uint32_t, 256>, 4> shift{};
  for (std::size_t byte = 0; byte < 4; ++byte) {
    for (std::size_t value = 0; value < 256; ++value) {
      std::uint32_t sum = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1) != 0) sum ^= of_bit[8 * byte + bit];
      }
      shift[byte][value] = sum;
    }
  }
  return shift;
}

const std::array<std::array<std::uint32_t, 256>, 4>& lane_shift() {
  static const auto kShift = make_lane_shift();
  return kShift;
}

std::uint64_t shift_lane(std::uint64_t crc) {
  const auto& shift = lane_shift();
  return shift[0][crc & 0xFF] ^ shift[1][crc >> 8 & 0xFF] ^ shift[2][crc >> 16 & 0xFF] ^
         shift[3][crc >> 24 & 0xFF];
}

RINGSIDE_CRC_INSTRUCTION std::uint32_t crc32c_by_instruction(std::uint32_t start,
                                                             std::span<const std::byte> bytes) {
  std::uint64_t crc = ~start;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLane; left -= 3 * kLane, p += 3 * kLane) {
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      crc = crc_word(crc, load<std::uint64_t>(p + i));
      b = crc_word(b, load<std::uint64_t>(p + kLane + i));
      c = crc_word(c, load<std::uint64_t>(p + 2 * kLane + i));
    }
    crc = shift_lane(shift_lane(crc) ^ b) ^ c;
  }
  for (; left >= 8; left -= 8, p += 8) crc = crc_word(crc, load<std::uint64_t>(p));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++p) narrow = crc_byte(narrow, static_cast<std::uint8_t>(*p));
  return ~narrow;
}

std::uint32_t crc32c_portable(std::uint32_t crc, std::span<const std::byte> bytes) {
  crc = ~crc;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    const std::uint64_t word = load<std::uint64_t>(p) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][word >> (8 * i) & 0xFF];
  }
  for (; left > 0; --left, ++p) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(*p)) & 0xFF];
  }
  return ~crc;
}

struct Versions {
  std::array<Crc32c, 3> all{crc32c_portable};
  std::size_t count = 1;

  Versions() {
    if (has_crc_instruction()) all[count++] = crc32c_by_instruction;
#if defined(__x86_64__)
    if (can_crc32c_avx512()) all[count++] = crc32c_avx512;
#endif
  }
};

}  // namespace

std::span<const Crc32c> crc32c_versions() {
  static const Versions kVersions;
  return {kVersions.all.data(), kVersions.count};
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes) {
  static const Crc32c kBest = crc32c_versions().back();
  return kBest(crc, bytes);
}

}  // namespace ringside::trace
