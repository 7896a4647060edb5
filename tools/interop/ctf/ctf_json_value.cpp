#include "tools/interop/ctf/ctf_json_value.hpp"

#include <fmt/format.h>

namespace ringside::tool::ctf {
namespace {

constexpr std::uint64_t kMostAlignBits = std::uint64_t{1} << 20;

}  // namespace

JsonValue JsonValue::member(std::string_view key) const {
  JsonValue found;
  if (!is_object()) return found;
  for_each([&](JsonValue value) {
    if (!found && value.node().key == key) found = value;
  });
  return found;
}

void JsonProperties::fail(std::string_view key, std::string_view what) {
  if (why_.empty()) why_ = fmt::format("invalid property '{}': {}", key, what);
}

std::uint64_t JsonProperties::natural(std::string_view key, std::optional<std::uint64_t> absent,
                                      std::uint64_t least) {
  const JsonValue value = object_.member(key);
  if (!value) {
    if (!absent) fail(key, "it is missing");
    return absent.value_or(least);
  }
  if (value.node().kind != JsonKind::kUnsigned) {
    fail(key, "expected a non-negative integer");
    return least;
  }
  if (value.node().low < least) fail(key, fmt::format("expected at least {}", least));
  return value.node().low;
}

std::int64_t JsonProperties::integer(std::string_view key, std::int64_t absent) {
  const JsonValue value = object_.member(key);
  if (!value) return absent;
  const auto number = static_cast<std::int64_t>(value.node().low);
  const bool is_whole = value.node().is_integer();
  if (!is_whole || (number < 0) != (value.node().kind == JsonKind::kSigned))
    fail(key, "expected an integer");
  return number;
}

std::uint32_t JsonProperties::alignment(std::string_view key) {
  const std::uint64_t bits = natural(key, 1, 1);
  if ((bits & (bits - 1)) != 0 || bits > kMostAlignBits) {
    fail(key, fmt::format("{} is not a power of two up to {}", bits, kMostAlignBits));
    return 1;
  }
  return static_cast<std::uint32_t>(bits);
}

std::string JsonProperties::text(std::string_view key, std::optional<std::string_view> absent) {
  const JsonValue value = object_.member(key);
  if (value.is_text()) return std::string(value.node().text);
  if (value) fail(key, "expected a string");
  if (!value && !absent) fail(key, "it is missing");
  return std::string(absent.value_or(""));
}

JsonValue JsonProperties::object(std::string_view key) {
  const JsonValue value = object_.member(key);
  if (value && !value.is_object()) fail(key, "expected an object");
  return value.is_object() ? value : JsonValue();
}

void JsonProperties::refuse_extensions() {
  const JsonValue extensions = object("extensions");
  if (!extensions) return;
  extensions.for_each([&](JsonValue extension) {
    if (why_.empty())
      why_ = fmt::format("extensions of CTF 2 are not supported: '{}'", extension.node().key);
  });
}

JsonValue JsonProperties::array(std::string_view key) {
  const JsonValue value = object_.member(key);
  if (value && !value.is_array()) fail(key, "expected an array");
  return value.is_array() ? value : JsonValue();
}

}  // namespace ringside::tool::ctf
