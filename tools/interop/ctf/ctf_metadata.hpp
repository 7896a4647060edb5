#pragma once
// What the metadata of a CTF trace says.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::tool::ctf {

enum class TypeKind : std::uint8_t {
  kInteger,
  kFloat,
  kEnum,
  kString,
  kArray,
  kSequence,
  kStruct,
  kVariant,
};

enum class ByteOrder : std::uint8_t { kNative, kLittle, kBig };

struct Type;
using TypePointer = std::shared_ptr<const Type>;

struct Member {
  std::string name;  // as declared, underscores included
  TypePointer type;
};

struct EnumRange {
  std::uint64_t first = 0;  // of signed ones the bits of the number
  std::uint64_t last = 0;
  std::string label;
};

struct Type {
  TypeKind kind = TypeKind::kInteger;
  std::uint32_t align_bits = 1;  // a power of two
  // Integers and floats; an enumeration has its container's.
  std::uint32_t bits = 0;  // 1 to 64
  bool is_signed = false;
  bool is_text = false;  // has an encoding
  ByteOrder order = ByteOrder::kNative;
  std::uint32_t base = 10;
  std::string clock;  // whose value it holds
  std::vector<EnumRange> ranges;
  TypePointer element;          // of arrays and sequences
  std::uint64_t length = 0;     // of arrays
  std::string reference;        // a sequence's length or a variant's tag: names with dots
  std::vector<Member> members;  // of structures and variants
};

struct Clock {
  std::uint64_t frequency = 1'000'000'000;
  std::int64_t offset_s = 0;
  std::int64_t offset = 0;  // ticks

  // Of Unix time if it is absolute; clamped to what 63 bits hold.
  std::uint64_t unix_ns(std::uint64_t ticks) const;
};

struct EventDescription {
  std::uint64_t id = 0;
  std::uint64_t stream_id = 0;
  std::string name;
  std::optional<std::uint64_t> loglevel;
  std::string model_uri;
  TypePointer context;  // or null
  TypePointer fields;   // or null
};

struct StreamDescription {
  std::uint64_t id = 0;
  TypePointer packet_context;  // each may be null
  TypePointer event_header;
  TypePointer event_context;
};

struct Metadata {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::string uuid;
  bool big_endian = false;
  TypePointer packet_header;  // or null
  std::map<std::string, Clock> clocks;
  std::map<std::string, std::string> env;  // numbers as text
  std::map<std::uint64_t, StreamDescription> streams;
  std::vector<EventDescription> events;

  // That a field of the name `clock` is mapped to. Empty, of a field that is known for a time by
  // its name: the only clock, or nanoseconds of Unix time. Null if there is none.
  const Clock* find_clock(const std::string& clock) const;
};

// What is wrong, and where in the text (of a packetised file: without the heads of its packets).
struct MetadataError {
  std::uint64_t offset = 0;
  std::string message;
};

// Null with `*error`.
std::unique_ptr<Metadata> parse_metadata(std::string_view tsdl, MetadataError* error);

// Of a file's first bytes: TSDL's signature, or the magic of a packetised file.
bool is_metadata(std::string_view first_bytes);

// The text of the file's bytes. False with `*error` (offset in the file).
bool metadata_text(std::string_view file, std::string* tsdl, MetadataError* error);

}  // namespace ringside::tool::ctf
