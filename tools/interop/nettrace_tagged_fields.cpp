#include "tools/interop/nettrace_tagged_fields.hpp"

#include "tools/interop/nettrace_format.hpp"
#include "trace-format/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr unsigned kMostNesting = 64;

// Behind kBeginObject or kBeginPrivateObject: an object's type. 0 if there is none.
std::size_t type_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kHead = 1 + 1 + 4 + 4 + 4;
  if (bytes.size() < kHead || bytes[1] != static_cast<std::byte>(Tag::kNullReference)) return 0;
  const auto begins = static_cast<Tag>(bytes[0]);
  if (begins != Tag::kBeginObject && begins != Tag::kBeginPrivateObject) return 0;
  const std::size_t end = kHead + trace::load<std::uint32_t>(bytes.data() + 10);
  if (end >= bytes.size() || bytes[end] != static_cast<std::byte>(Tag::kEndObject)) return 0;
  return end + 1;
}

}  // namespace

std::size_t tagged_fields_bytes(std::span<const std::byte> bytes) {
  unsigned nesting = 0;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto tag = static_cast<Tag>(bytes[at]);
    const std::span<const std::byte> rest = bytes.subspan(at + 1);
    std::size_t value = 0;
    switch (tag) {
      case Tag::kEndObject:
        if (nesting == 0) return at;
        --nesting;
        break;
      case Tag::kNullReference:
        break;
      case Tag::kByte:
        value = 1;
        break;
      case Tag::kInt16:
        value = 2;
        break;
      case Tag::kInt64:
        value = 8;
        break;
      case Tag::kObjectReference:
      case Tag::kForwardReference:
      case Tag::kForwardDefinition:
      case Tag::kSkipRegion:
      case Tag::kInt32:
        value = 4;
        break;
      case Tag::kString:
      case Tag::kBlob:
        if (rest.size() < 4) return kNoTaggedFields;
        value = std::size_t{4} + trace::load<std::uint32_t>(rest.data());
        break;
      case Tag::kBeginObject:
      case Tag::kBeginPrivateObject:
        value = type_bytes(rest);
        if (value == 0 || ++nesting > kMostNesting) return kNoTaggedFields;
        break;
      default:
        return kNoTaggedFields;
    }
    if (value > rest.size()) return kNoTaggedFields;
    at += 1 + value;
  }
  return kNoTaggedFields;
}

}  // namespace ringside::tool::nettrace
