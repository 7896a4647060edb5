#pragma once
// Converts debug annotations of a Perfetto event to fields and values of a record.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "tools/interop/perfetto/perfetto_interned.hpp"
#include "tools/interop/perfetto/perfetto_own_facts.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::perfetto {

struct ArgumentField {
  std::string_view name;
  shm::FieldType type = shm::FieldType::none;
};

// Holds one event at a time. Dictionaries become fields `outer.inner`, arrays of scalars of one
// type arrays, other arrays JSON. Views are valid until clear(), and as long as what was added. Not
// thread-safe.
class Arguments {
 public:
  void clear();

  // Adds a DebugAnnotation. False if it is invalid.
  bool add(std::string_view annotation, const InternedEntries& interned);

  void put_text(std::string_view name, std::string_view text);
  void put_number(std::string_view name, shm::FieldType type, std::uint64_t number);  // 64 bits
  void put_numbers(std::string_view name, const std::vector<std::uint64_t>& numbers);

  // Adds bytes that belong to the statement in addition to the fields.
  void key(std::string_view bytes) { key_.write(bytes); }
  void key_number(char what, std::uint64_t number);

  // Equal for events of one statement, as long as the interned entries do not change.
  std::string_view key() const { return key_.text(); }
  const std::vector<ArgumentField>& fields() const { return fields_; }
  std::string_view values() const { return values_.text(); }  // in a ring's encoding
  const OwnFacts& own() const { return own_; }
  bool was_cut() const { return was_cut_; }
  std::uint64_t missing_strings() const { return missing_strings_; }
  std::uint64_t left_out() const { return left_out_; }  // beyond the limit of fields

 private:
  struct Annotation;

  bool read(std::string_view message, const InternedEntries& interned, Annotation& annotation);
  void take_own(const Annotation& annotation);
  bool put(const Annotation& annotation, const InternedEntries& interned, unsigned depth);
  bool put_dictionary(const Annotation& annotation, const InternedEntries& interned,
                      unsigned depth);
  bool put_array(const Annotation& annotation, const InternedEntries& interned);
  bool put_json(const Annotation& annotation, const InternedEntries& interned);
  bool append_json(trace::TextSink& out, const Annotation& annotation,
                   const InternedEntries& interned, unsigned depth);
  bool begin_field(const Annotation& annotation, shm::FieldType type);
  bool begin_field(std::string_view name, shm::FieldType type);
  void put_sized(std::string_view text);
  void append(const void* bytes, std::size_t count) {
    values_.write({static_cast<const char*>(bytes), count});
  }

  trace::TextSink key_;
  trace::TextSink values_;
  trace::TextSink elements_;
  std::vector<ArgumentField> fields_;
  std::deque<std::string> names_;  // names that were composed
  OwnFacts own_;
  bool was_cut_ = false;
  std::uint64_t missing_strings_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace ringside::tool::perfetto
