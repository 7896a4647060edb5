#pragma once
// Statements and records of Ringside as exact text, which TPTP traces carry in messages of kind
// `custom`, and in the collation value of a method's entry. README.md has the grammar.

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/interop/site_definition.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::tptp {

// For a field in a definition.
inline constexpr std::string_view kConstantWord = "constant";
inline constexpr std::string_view kArgumentWord = "argument";

// Appends tokens, a blank before each. Printable: no control characters, and always valid UTF-8.
void append_word(std::string& out, std::string_view word);
void append_number(std::string& out, std::uint64_t number);
void append_text(std::string& out, std::string_view text);
void append_definition(std::string& out, const trace::Site& site);
// `duration_ns` is used if the extension has a duration.
void append_extension(std::string& out, const trace::RecordExtension& extension,
                      std::uint64_t duration_ns);
void append_value(std::string& out, const trace::Value& value);

// Reads these texts. After the first error every result is 0 or empty, and ok() is false.
class RecordText {
 public:
  explicit RecordText(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  // Whether there was no error and everything is read.
  bool done() const { return ok_ && rest_.empty(); }

  std::string_view word();
  template <class Number>
  Number number();
  std::string_view text();      // valid until the next call
  SiteDefinition definition();  // for the builder
  trace::RecordExtension extension();
  // Appends a value of that type to `ring`, in a ring's encoding.
  void value(shm::FieldType type, std::string& ring);

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  void scalar(shm::FieldType type, std::string& ring);

  std::string_view rest_;
  bool ok_ = true;
  std::string scratch_;
};

}  // namespace ringside::tool::tptp
