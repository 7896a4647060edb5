#pragma once
// The packets of a Heph trace, version 0.1.0: integers are big-endian, sizes count the whole
// packet.
//
//   metadata  u32 magic, u32 size, u16 and the option's name, its value
//   event     u32 magic, u32 size, u32 stream, u32 counter, u64 substream, u64 start, u64 end,
//             u16 and the description, attributes: u16 and the name, u8 type, the value

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool::heph {

inline constexpr std::uint32_t kMetadataMagic = 0x75D11D4D;
inline constexpr std::uint32_t kEventMagic = 0xC1FC1FB7;
inline constexpr std::uint32_t kLeastMetadataBytes = 10;
inline constexpr std::uint32_t kLeastEventBytes = 42;
// A larger size is probably corrupt; such a packet is skipped.
inline constexpr std::uint32_t kMostPacketBytes = std::uint32_t{64} << 20;
inline constexpr std::size_t kMostTextBytes = 65535;
inline constexpr std::size_t kMostElements = 65535;
inline constexpr std::string_view kEpoch = "epoch";

// Types of attributes; arrays also have kArray.
inline constexpr std::uint8_t kUnsigned = 1;
inline constexpr std::uint8_t kSigned = 2;
inline constexpr std::uint8_t kFloat = 3;
inline constexpr std::uint8_t kString = 4;
inline constexpr std::uint8_t kArray = 0x80;

template <std::unsigned_integral Number>
Number load_big(const std::byte* p) {
  Number value;
  std::memcpy(&value, p, sizeof value);
  if constexpr (sizeof value == 2) return __builtin_bswap16(value);
  if constexpr (sizeof value == 4) return __builtin_bswap32(value);
  if constexpr (sizeof value == 8) return __builtin_bswap64(value);
  return value;
}

struct Attribute {
  std::string_view name;
  std::uint8_t type = 0;
  std::uint32_t count = 1;      // of an array's elements
  std::string_view value = {};  // 8 bytes; a string's text; an array's encoded elements

  bool is_array() const { return (type & kArray) != 0; }
  std::uint8_t element_type() const { return type & 0x7F; }
};

// Iterates over the attributes of an event; the bytes need not be valid.
class AttributeCursor {
 public:
  explicit AttributeCursor(std::span<const std::byte> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // False at the end, and at an invalid attribute: see failure().
  bool next(Attribute& attribute);
  const char* failure() const { return failure_; }  // a literal, or null

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool fail(const char* why) {
    failure_ = why;
    return false;
  }
  bool take_text(std::string_view& text);

  const std::byte* at_;
  const std::byte* end_;
  const char* failure_ = nullptr;
};

// Takes the next text from the elements of an array of strings of AttributeCursor.
std::string_view take_element(std::string_view& elements);

struct Packet {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  bool is_event = false;

  std::string_view option;           // of metadata
  std::span<const std::byte> value;  // of metadata
  bool is_epoch = false;
  std::uint64_t epoch_ns = 0;  // of Unix time, if is_epoch

  std::uint32_t stream = 0;
  std::uint32_t counter = 0;
  std::uint64_t substream = 0;
  std::uint64_t start = 0;  // nanoseconds since the epoch
  std::uint64_t end = 0;
  std::string_view description;
  std::span<const std::byte> attributes;  // valid, if checked
};

enum class Step : std::uint8_t {
  kPacket,
  kBad,  // skipped; the packet's offset and size are set, why() has the reason
  kEnd,
  kDamaged,  // nothing more can be read from the packet's offset on, why() has the reason
};

// The packet at the beginning of `bytes`, without reading more. kEnd: `bytes` is empty. kDamaged
// with an empty `*why`: the packet is longer than `bytes`. The caller then skips packet.size.
Step parse_packet(std::span<const std::byte> bytes, Packet& packet, std::string* why);

class PacketReader {
 public:
  explicit PacketReader(InputBytes& input) : input_(input) {}

  // Views in `packet` are valid until the next call. The attributes of an event are not checked: if
  // a cursor over them fails, the packet is bad.
  Step next(Packet& packet);
  const std::string& why() const { return why_; }

 private:
  Step bad(const Packet& packet, std::string why);
  Step damaged(std::string why);
  Step cut(const Packet& packet, std::uint64_t here);

  InputBytes& input_;
  std::size_t shown_ = 0;  // bytes of the packet that was returned
  std::string why_;
};

// Null, or what is wrong.
const char* fault_of_attributes(std::span<const std::byte> attributes);

// For events before the first epoch, whose times also count from it: searches ahead for the epoch,
// at most to the end. Afterwards the packets must be read from the result's `input`.
struct EpochSearch {
  std::optional<std::uint64_t> epoch_ns;
  std::unique_ptr<InputBytes> replay;  // null: the input itself
  std::string failure;                 // no room for what was read ahead
};
EpochSearch find_first_epoch(InputBytes& input);

// Finds gaps in the counters of one stream.
struct CounterWatch {
  std::uint64_t events = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint64_t missing = 0;
  std::uint64_t late = 0;
  std::uint64_t duplicates = 0;

  // Returns the number of events missing directly before this one.
  std::uint32_t see(std::uint32_t counter) {
    constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
    if (events++ == 0) {
      first = last = counter;
      return 0;
    }
    const std::uint32_t delta = counter - last;
    if (delta == 0) {
      ++duplicates;
      return 0;
    }
    if (delta >= kHalf) {
      ++late;
      if (missing != 0) --missing;
      return 0;
    }
    last = counter;
    missing += delta - 1;
    return delta - 1;
  }
};

}  // namespace ringside::tool::heph
