#pragma once
// A record made of JSON values: a description of its statement, and its values in a ring's
// encoding.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "tools/interop/json/json_tree.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool {

// The description of a statement, without its fields.
struct JsonHead {
  shm::SiteKind kind = shm::SiteKind::kEvent;
  shm::Level level = shm::Level::kInfo;
  shm::FormatStyle style = shm::FormatStyle::none;
  std::uint32_t line = 0;
  std::uint64_t keywords = 0;
  std::string_view name;
  std::string_view category;
  std::string_view format;
  std::string_view file;
  std::string_view function;
};

// Stored as bytes, so that many records of few statements cost little. Fields beyond the 512th are
// counted and left out. Not thread-safe.
class JsonRecord {
 public:
  void begin(const JsonHead& head);

  // Integers have 64 bits, signed if they fit, or else 128. Arrays of one type are arrays; other
  // arrays and deeper nesting become their JSON text. Members of objects become "name.member". null
  // makes no field.
  void add(std::string_view name, const JsonTree& tree, std::uint32_t index);
  // Adds a value of that type in ringcat's JSON form. False, and nothing is added, if it is not
  // such a value.
  bool add_as(shm::FieldType type, bool is_format_argument, std::string_view name,
              const JsonNode& node);
  void add_text(std::string_view name, std::string_view text);
  // Adds a value of another record.
  void add_value(std::string_view name, const trace::Value& value);

  // Everything except the values: records with equal keys belong to one statement.
  std::string_view key() const { return key_; }
  std::string_view values() const { return values_; }
  std::uint32_t left_out() const { return left_out_; }
  std::uint32_t nulls() const { return nulls_; }

  SiteDefinition definition() const;

  // visit(name, value, is_format_argument)
  template <class Visit>
  void for_each_field(Visit&& visit) const {
    std::string_view names = std::string_view(key_).substr(fields_at_);
    std::string_view left = values_;
    while (!names.empty()) {
      const Field field = take_field(names);
      visit(field.name, take_value(field.type, left), field.is_format_argument);
    }
  }

 private:
  struct Field {
    shm::FieldType type = shm::FieldType::none;
    bool is_format_argument = false;
    std::string_view name;
  };

  bool open_field(std::string_view name, shm::FieldType type, bool is_format_argument = false);
  void add_array(std::string_view name, const JsonTree& tree, std::uint32_t index);
  template <class Number>
  void put(Number number) {
    values_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    values_ += text;
  }
  void put_element(shm::FieldType type, const JsonNode& node);

  static Field take_field(std::string_view& names);
  static trace::Value take_value(shm::FieldType type, std::string_view& values);

  std::string key_;
  std::string values_;
  std::size_t fields_at_ = 0;  // in the key
  std::uint32_t fields_ = 0;
  std::uint32_t left_out_ = 0;
  std::uint32_t nulls_ = 0;
};

}  // namespace ringside::tool
