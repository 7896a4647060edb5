#include "tools/interop/perfetto/perfetto_nested_value.hpp"

#include <vector>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr unsigned kMostNestedDepth = 32;

bool append_nested(trace::TextSink& out, std::string_view message, unsigned depth);

// Keys and values are in the order of the dictionary, in two separate lists.
bool append_members(trace::TextSink& out, const std::vector<std::string_view>& keys,
                    const std::vector<std::string_view>& values, bool is_dictionary,
                    unsigned depth) {
  out.put(is_dictionary ? '{' : '[');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out.put(',');
    if (is_dictionary) {
      out.write(trace::quoted_json_text(i < keys.size() ? keys[i] : std::string_view()));
      out.put(':');
    }
    if (depth == kMostNestedDepth) {
      out.write("null");
    } else if (!append_nested(out, values[i], depth + 1)) {
      return false;
    }
  }
  out.put(is_dictionary ? '}' : ']');
  return true;
}

bool append_nested(trace::TextSink& out, std::string_view message, unsigned depth) {
  using shm::FieldType;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> entries;
  std::vector<std::string_view> elements;
  trace::Value value;
  std::uint64_t type = 0;
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case nested_value::kType:
        type = field.value;
        break;
      case nested_value::kKeys:
        keys.push_back(field.bytes);
        break;
      case nested_value::kDictionary:
        entries.push_back(field.bytes);
        break;
      case nested_value::kArray:
        elements.push_back(field.bytes);
        break;
      case nested_value::kInt:
        value = trace::Value::of_signed(FieldType::i64, field.as_signed());
        break;
      case nested_value::kDouble:
        value = trace::Value::of_f64(field.as_double());
        break;
      case nested_value::kBool:
        value = trace::Value::of_unsigned(FieldType::boolean, field.value != 0 ? 1 : 0);
        break;
      case nested_value::kString:
        value = trace::Value::of_text(FieldType::string, field.bytes);
        break;
      default:
        break;
    }
  }
  if (!fields.is_sound()) return false;
  constexpr std::uint64_t kDictionaryType = 1;
  constexpr std::uint64_t kArrayType = 2;
  if (type == kDictionaryType) return append_members(out, keys, entries, true, depth);
  if (type == kArrayType) return append_members(out, {}, elements, false, depth);
  trace::append_json_value(out, value);
  return true;
}

}  // namespace

bool append_nested_value(trace::TextSink& out, std::string_view message) {
  return append_nested(out, message, 0);
}

}  // namespace ringside::tool::perfetto
