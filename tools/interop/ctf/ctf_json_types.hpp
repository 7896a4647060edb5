#pragma once
// Converts field classes of CTF 2 to types.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tools/interop/ctf/ctf_json_value.hpp"
#include "tools/interop/ctf/ctf_metadata.hpp"

namespace ringside::tool::ctf {

class JsonTypes {
 public:
  // False with why().
  bool add_alias(JsonValue fragment);

  // A structure, or the name of an alias of one. Null with why().
  TypePointer make_root(JsonValue field_class);
  const std::string& why() const { return why_; }

 private:
  TypePointer make(JsonValue field_class);
  TypePointer make_integer(JsonValue field_class, std::string_view type);
  TypePointer make_variable_integer(JsonValue field_class, bool is_signed);
  TypePointer make_float(JsonValue field_class);
  TypePointer make_string(JsonValue field_class, std::string_view type);
  TypePointer make_blob(JsonValue field_class, bool is_static);
  TypePointer make_array(JsonValue field_class, bool is_static);
  TypePointer make_structure(JsonValue field_class);
  TypePointer make_variant(JsonValue field_class);
  TypePointer make_optional(JsonValue field_class);
  bool take_bits(JsonValue field_class, Type& type);
  bool take_number(JsonValue field_class, Type& type);
  bool take_length(JsonValue field_class, bool is_static, Type& type);
  bool take_encoding(JsonValue field_class, Type& type);
  bool take_ranges(JsonValue ranges, const std::string& label, Type& type);
  bool take_location(JsonValue location, Type& type);
  bool take_roles(JsonValue field_class, Type& type);
  // The height of a type is one more than the largest height of its parts.
  bool rise(const Type& part, Type& type);
  TypePointer fail(std::string why);
  bool refuse(std::string why) { return fail(std::move(why)) != nullptr; }

  std::map<std::string, TypePointer, std::less<>> aliases_;
  std::size_t made_ = 0;
  std::string why_;
};

}  // namespace ringside::tool::ctf
