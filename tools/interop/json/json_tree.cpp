#include "tools/interop/json/json_tree.hpp"

#include <cstring>
#include <simdjson.h>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/json/json_text_reading.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::tool {
namespace {

bool is_json_blank(char character) {
  return character == ' ' || character == '\n' || character == '\r' || character == '\t';
}

// Removes trailing white space.
std::string_view json_trimmed(std::string_view text) {
  std::size_t bytes = text.size();
  while (bytes != 0 && is_json_blank(text[bytes - 1])) --bytes;
  return text.substr(0, bytes);
}

// The offset where a text ceases to be UTF-8; its size if it never does.
std::size_t json_utf8_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return at;
}

}  // namespace

// simdjson finds the structure. Numbers and texts are converted here, because simdjson has no
// integers beyond 64 bits and rejects single surrogates.
struct JsonTree::Parser {
  simdjson::ondemand::parser simdjson;
  simdjson::ondemand::document document;
  std::string text;     // of the object, padded
  std::string strings;  // those with escapes
  char* strings_end = nullptr;
  std::size_t size = 0;
  const char* at = nullptr;  // of the current token
  const char* failure = nullptr;

  bool has_escapes = false;  // anywhere

  bool fail(const char* why, const char* where) {
    failure = why;
    at = where;
    return false;
  }
  bool fail(simdjson::error_code code) {
    const char* where = nullptr;
    if (document.current_location().get(where) == simdjson::SUCCESS) at = where;
    return fail(simdjson::error_message(code), at);
  }

  // `raw` points after the opening quote.
  bool take_text(const char* raw, std::string_view& result) {
    const char* end = raw;
    while (*end != '"' && *end != '\\') ++end;
    if (*end == '"') {
      result = {raw, static_cast<std::size_t>(end - raw)};
      return true;
    }
    const char* const stop = text.data() + size;
    char* const begin = strings_end;
    const char* const read = append_unescaped(raw, stop, strings_end);
    if (read == nullptr) return fail("invalid escape in a text", raw);
    result = {begin, static_cast<std::size_t>(strings_end - begin)};
    return true;
  }

  bool take_scalar(std::string_view token, JsonNode& node) {
    node.text = json_trimmed(token);
    if (node.text == "true" || node.text == "false") {
      node.kind = JsonKind::kBool;
      node.low = node.text == "true" ? 1 : 0;
      return true;
    }
    if (node.text == "null") return true;
    return parse_json_number(node.text, node) || fail("invalid JSON value", at);
  }

  // The iterators are not copied: copies would cost more than all the work done with them.
  bool add(std::vector<JsonNode>& nodes, simdjson::ondemand::value& value, std::string_view key,
           unsigned depth) {
    const std::string_view token = value.raw_json_token();
    at = token.data();
    const std::size_t index = nodes.size();
    JsonNode& node = nodes.emplace_back();
    node.key = key;
    node.end = static_cast<std::uint32_t>(index + 1);
    if (*at == '"') {
      node.kind = JsonKind::kString;
      if (has_escapes) return take_text(at + 1, node.text);
      const std::string_view quoted = json_trimmed(token);
      if (quoted.size() < 2 || quoted.back() != '"') return fail("unterminated text", at);
      node.text = quoted.substr(1, quoted.size() - 2);
      return true;
    }
    if (*at != '{' && *at != '[') return take_scalar(token, node);
    if (depth == kMostDepth) return fail("values are nested more than 64 deep", at);
    node.kind = *at == '{' ? JsonKind::kObject : JsonKind::kArray;
    const char* const begin = at;
    if (node.kind == JsonKind::kObject) {
      simdjson::ondemand::object object;
      if (const auto error = value.get_object().get(object)) return fail(error);
      if (!add_members(nodes, object, depth)) return false;
    } else {
      simdjson::ondemand::array array;
      if (const auto error = value.get_array().get(array)) return fail(error);
      for (auto element : array) {
        if (element.error() != simdjson::SUCCESS) return fail(element.error());
        simdjson::ondemand::value inner = element.value_unsafe();
        if (!add(nodes, inner, {}, depth + 1)) return false;
      }
    }
    close(nodes[index], nodes.size(), begin);
    return true;
  }

  bool add_members(std::vector<JsonNode>& nodes, simdjson::ondemand::object& object,
                   unsigned depth) {
    for (auto field : object) {
      if (field.error() != simdjson::SUCCESS) return fail(field.error());
      simdjson::ondemand::field&& member = std::move(field).value_unsafe();
      std::string_view key;
      if (!take_text(member.key().raw(), key)) return false;
      if (!add(nodes, member.value(), key, depth + 1)) return false;
    }
    return true;
  }

  // Its text ends before simdjson's current token.
  void close(JsonNode& node, std::size_t end, const char* begin) {
    node.end = static_cast<std::uint32_t>(end);
    const char* next = text.data() + size;
    if (document.current_location().get(next) != simdjson::SUCCESS) next = text.data() + size;
    const std::string_view whole(begin, static_cast<std::size_t>(next - begin));
    node.text = whole.substr(0, whole.find_last_of("]}") + 1);
  }
};

JsonTree::JsonTree() : parser_(std::make_unique<Parser>()) {}
JsonTree::~JsonTree() = default;

bool JsonTree::damage(std::string why, std::size_t at) {
  why_ = std::move(why);
  damaged_at_ = at;
  return false;
}

bool JsonTree::parse(std::span<const std::byte> text) {
  Parser& p = *parser_;
  nodes_.clear();
  p.size = text.size();
  p.text.resize(std::max(p.text.size(), p.size + simdjson::SIMDJSON_PADDING));
  if (!text.empty()) std::memcpy(p.text.data(), text.data(), text.size());
  std::memset(p.text.data() + p.size, 0, simdjson::SIMDJSON_PADDING);
  p.has_escapes = std::memchr(p.text.data(), '\\', p.size) != nullptr;
  if (p.has_escapes && p.strings.size() < p.size) p.strings.resize(p.size);
  p.strings_end = p.strings.data();
  p.at = p.text.data();
  const std::string_view object_text(p.text.data(), p.size);
  std::size_t begin = 0;
  while (begin < p.size && is_json_blank(object_text[begin])) ++begin;
  if (begin == p.size || object_text[begin] != '{') {
    return damage("expected a JSON object", 0);
  }
  const auto error = p.simdjson.iterate(p.text.data(), p.size, p.text.size()).get(p.document);
  if (error == simdjson::UTF8_ERROR) {
    return damage("this is not UTF-8", json_utf8_end(object_text));
  }
  if (error != simdjson::SUCCESS) return damage(simdjson::error_message(error), 0);
  simdjson::ondemand::object object;
  JsonNode& root = nodes_.emplace_back();
  root.kind = JsonKind::kObject;
  const auto opened = p.document.get_object().get(object);
  const bool sound =
      opened == simdjson::SUCCESS ? p.add_members(nodes_, object, 1) : p.fail(opened);
  if (!sound) {
    const auto at = static_cast<std::size_t>(p.at - p.text.data());
    return damage(p.failure, std::min(at, p.size));
  }
  const char* rest = nullptr;
  if (p.document.current_location().get(rest) == simdjson::SUCCESS) {
    return damage("unexpected text after the object",
                  static_cast<std::size_t>(rest - p.text.data()));
  }
  nodes_[0].end = static_cast<std::uint32_t>(nodes_.size());
  nodes_[0].text = object_text;
  return true;
}

}  // namespace ringside::tool
