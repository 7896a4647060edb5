#pragma once
// The messages of NetLogger's binary encoding, in the byte order of their sender.
//
//   header  u16 length, u8 0x80 | major, u8 minor, u32 identifier, u8 arch (bit 0: little-endian),
//           u8 fields, u8 constants, the fields' names, a type and a value for each constant
//   body    u16 length, u8 major, u8 minor, u32 identifier, u32 and u32 NTP time,
//           a type and a value for each field that is not a constant
//
// A name and a STRING are a byte of length and that many bytes; lengths of messages count
// everything. A header of minor version 1 announces the extension types; its definition and bodies
// may have them beside the three types of version 1.0.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::tool::netlogger {

inline constexpr std::uint8_t kInt = 1;     // i32
inline constexpr std::uint8_t kFloat = 2;   // f32
inline constexpr std::uint8_t kString = 3;  // at most 255 bytes
// The extension types, which section 4.1 of the white paper plans without their numbers.
inline constexpr std::uint8_t kUint32 = 4;
inline constexpr std::uint8_t kInt64 = 5;
inline constexpr std::uint8_t kUint64 = 6;
inline constexpr std::uint8_t kDouble = 7;  // f64
inline constexpr std::uint8_t kMinorOfExtension = 1;
inline constexpr std::uint8_t kLittleEndian = 1;
inline constexpr std::uint8_t kHeaderFlag = 0x80;
inline constexpr std::size_t kHeaderBytes = 11;  // without names and constants
inline constexpr std::size_t kBodyBytes = 16;    // without values
inline constexpr std::size_t kMostTextBytes = 255;
inline constexpr std::size_t kMostFields = 255;  // of an event, constants included
inline constexpr std::size_t kMostMessageBytes = 65535;
inline constexpr std::string_view kEventName = "NL.EVNT";

struct Datum {
  std::uint8_t type = 0;
  std::uint64_t bits = 0;  // of numbers; those of 32 bits are not sign-extended
  std::string_view text = {};
};

struct Definition {
  std::uint32_t identifier = 0;
  std::uint8_t arch = 0;
  bool is_extended = false;  // its header announces the extension types
  std::vector<std::string> names;
  std::vector<Datum> constants;  // of the first names; texts refer to `bytes`
  std::vector<std::byte> bytes;  // the message

  std::size_t variables() const { return names.size() - constants.size(); }
};

struct Message {
  std::uint32_t length = 0;
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  std::uint32_t identifier = 0;
  const Definition* definition = nullptr;  // until the next header of this identifier
  bool redefinition = false;               // of a header
  std::uint32_t ntp_seconds = 0;
  std::uint32_t ntp_fraction = 0;
  std::vector<Datum> values;  // texts are valid as long as the bytes
};

enum class Step : std::uint8_t {
  kHeader,
  kBody,
  kUnknown,  // a body whose identifier no header has defined
  kBad,      // a body that does not match its header, or a later header that is invalid: why()
  kMore,     // the message needs wanted() bytes
  kDamaged,  // no further message can be found: why()
};

// For one sender. Its definitions need at most 256 MiB.
class Decoder {
 public:
  // Decodes the message at the beginning of `bytes`; the caller then skips message.length.
  Step take(std::span<const std::byte> bytes, Message& message);

  std::size_t wanted() const { return wanted_; }
  const std::string& why() const { return why_; }
  std::size_t definitions() const { return definitions_.size(); }
  // Approximate memory of the definitions.
  std::size_t definition_bytes() const { return definition_bytes_; }

 private:
  Step need(std::size_t bytes) {
    wanted_ = bytes;
    return Step::kMore;
  }
  Step damaged(std::string why);
  Step take_header(std::span<const std::byte> bytes, Message& message);
  Step take_body(std::span<const std::byte> bytes, Message& message);
  Step bad(const char* why);
  Step bad_header(const char* why, const Message& message);

  bool knows_order_ = false;
  bool swap_ = false;
  std::unordered_map<std::uint32_t, std::unique_ptr<Definition>> definitions_;
  std::size_t definition_bytes_ = 0;
  const Definition* last_ = nullptr;
  std::size_t wanted_ = 0;
  std::string why_;
};

// Whether `bytes`, the first bytes of a file, can be a header, which can be longer than they are.
bool may_be_header(std::span<const std::byte> bytes);

// Unix time; empty for 0/0, an unknown time. Negative before 1970.
std::optional<std::int64_t> unix_ns_of(std::uint32_t ntp_seconds, std::uint32_t ntp_fraction);

// The earliest NTP time that converts to these nanoseconds; false if there is none.
bool ntp_of(std::uint64_t unix_ns, std::uint32_t& seconds, std::uint32_t& fraction);

}  // namespace ringside::tool::netlogger
