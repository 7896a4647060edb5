#include "tools/interop/nettrace/nettrace_tagged_fields.hpp"

#include "tools/interop/nettrace/nettrace_format.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr unsigned kMostNesting = 64;
constexpr std::size_t kMostTaggedNameBytes = 1024;
// A tag, and the type of an object or the length of a text.
constexpr std::size_t kTaggedHeadBytes = 1 + 1 + 1 + 4 + 4 + 4;
constexpr std::size_t kMostHeadBytes = kTaggedHeadBytes + kMostTaggedNameBytes + 1;

struct Field {
  TaggedEnd end = TaggedEnd::kNone;  // kEnd: it is a field
  std::uint64_t bytes = 0;
};

// The type of an object, which follows kBeginObject or kBeginPrivateObject.
Field type_field(std::span<const std::byte> bytes) {
  if (bytes.size() < kTaggedHeadBytes) return {TaggedEnd::kCut};
  const auto begins = static_cast<Tag>(bytes[1]);
  const auto name_bytes = trace::load<std::uint32_t>(bytes.data() + 11);
  if ((begins != Tag::kBeginObject && begins != Tag::kBeginPrivateObject) ||
      bytes[2] != static_cast<std::byte>(Tag::kNullReference) ||
      name_bytes > kMostTaggedNameBytes) {
    return {};
  }
  const std::size_t end = kTaggedHeadBytes + name_bytes;
  if (end >= bytes.size()) return {TaggedEnd::kCut};
  if (bytes[end] != static_cast<std::byte>(Tag::kEndObject)) return {};
  return {TaggedEnd::kEnd, end + 1};
}

Field field_at(std::span<const std::byte> bytes) {
  switch (static_cast<Tag>(bytes[0])) {
    case Tag::kEndObject:
    case Tag::kNullReference:
      return {TaggedEnd::kEnd, 1};
    case Tag::kByte:
      return {TaggedEnd::kEnd, 2};
    case Tag::kInt16:
      return {TaggedEnd::kEnd, 3};
    case Tag::kInt64:
      return {TaggedEnd::kEnd, 9};
    case Tag::kObjectReference:
    case Tag::kForwardReference:
    case Tag::kForwardDefinition:
    case Tag::kSkipRegion:
    case Tag::kInt32:
      return {TaggedEnd::kEnd, 5};
    case Tag::kString:
    case Tag::kBlob:
      if (bytes.size() < 5) return {TaggedEnd::kCut};
      return {TaggedEnd::kEnd, std::uint64_t{5} + trace::load<std::uint32_t>(bytes.data() + 1)};
    case Tag::kBeginObject:
    case Tag::kBeginPrivateObject:
      return type_field(bytes);
  }
  return {};
}

// Peek() returns the next bytes, enough for the head of a field if there are that many; pass(bytes)
// returns false if there are fewer.
template <class Peek, class Pass>
TaggedEnd walk(Peek&& peek, Pass&& pass) {
  unsigned nesting = 0;
  for (;;) {
    const std::span<const std::byte> bytes = peek();
    if (bytes.empty()) return TaggedEnd::kCut;
    const auto tag = static_cast<Tag>(bytes[0]);
    const Field field = field_at(bytes);
    if (field.end != TaggedEnd::kEnd) return field.end;
    if (!pass(field.bytes)) return TaggedEnd::kCut;
    if (tag == Tag::kEndObject && nesting-- == 0) return TaggedEnd::kEnd;
    if (tag == Tag::kBeginObject || tag == Tag::kBeginPrivateObject) {
      if (++nesting > kMostNesting) return TaggedEnd::kNone;
    }
  }
}

}  // namespace

TaggedEnd look_at_tagged_fields(std::span<const std::byte> bytes) {
  return walk([&bytes] { return bytes; },
              [&bytes](std::uint64_t count) {
                if (count > bytes.size()) return false;
                bytes = bytes.subspan(static_cast<std::size_t>(count));
                return true;
              });
}

TaggedEnd pass_tagged_fields(InputBytes& input) {
  return walk([&input] { return input.peek(kMostHeadBytes); },
              [&input](std::uint64_t count) { return input.pass_over(count) == count; });
}

}  // namespace ringside::tool::nettrace
