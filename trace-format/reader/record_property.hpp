// The properties of records besides time and fields: the one list of their names, for conditions,
// templates, columns, JSON and questions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

enum class Property : std::uint8_t {
  kUnixNs,
  kLevel,
  kKind,  // of the statement: log, event, span, counter, histogram, context
  kKeywords,
  kCategory,
  kService,
  kPid,
  kHost,
  kThread,  // its name; in conditions also its id
  kThreadId,
  kFile,
  kLine,
  kFunction,
  kSite,  // the statement's name
  kSequence,
  kDurationNs,
  kSubstream,
  kActivity,
  kRelated,
  kStackId,
  kProcessor,  // at the thread's last check; of an imported record its field, see processor_field()
  kCut,
};

enum class PropertyType : std::uint8_t { kNumber, kText, kNumberAndText, kBoolean };

struct PropertyEntry {
  std::string_view name;
  Property property{};
  PropertyType type = PropertyType::kNumber;  // in conditions
  bool of_statement = false;                  // the same for all records of a statement
};

// In the order in which outputs list them.
std::span<const PropertyEntry> properties();

// By name, with or without a leading '@'; null if there is none.
const PropertyEntry* find_property(std::string_view name);

const PropertyEntry& entry_of(Property property);

// All names, for messages: "unix_ns, level, ...".
std::string property_names();

// A set of properties, as bits.
constexpr std::uint32_t property_bit(Property property) {
  return std::uint32_t{1} << static_cast<unsigned>(property);
}

// What properties are read from. A null pointer means that the record does not have the part.
struct PropertySource {
  const Site* site = nullptr;
  const SegmentInfo* segment = nullptr;
  const StreamInfo* stream = nullptr;
  const RecordExtension* extension = nullptr;
  std::uint32_t processor_code = 0;  // shm::processor_code()
  const Value* processor = nullptr;  // its field, for records without a code
  std::uint64_t unix_ns = 0;
  std::uint64_t sequence = 0;
  std::uint64_t tick_hz = 0;  // of durations; 0: durations are unknown

  // Without the processor's field. Refers to the event.
  static PropertySource of(const Event& event);
};

// Texts live as long as the source.
struct PropertyValue {
  enum class Type : std::uint8_t { kNone, kNumber, kText, kBoolean, kMask, kId };

  Type type = Type::kNone;      // kNone: the record does not have the property
  std::uint64_t number = 0;     // of kNumber, kMask (shown in hexadecimal), kBoolean
  std::string_view text = {};   // of kText
  const std::uint8_t* id = {};  // of kId: 16 bytes

  explicit operator bool() const { return type != Type::kNone; }
};

// Durations above 584 years are clamped to that. A level is a number here; as a text, outputs show
// its name.
PropertyValue read_property(Property property, const PropertySource& source);

// Appends the property as text; nothing if the record does not have it, or if its text is empty.
void append_property(TextSink& out, Property property, const PropertySource& source);

inline constexpr std::size_t kActivityDigits = 32;
// Writes kActivityDigits hexadecimal digits.
void write_activity(const std::uint8_t* id, char* digits);

// Imports store the processor's number in a field with one of these names.
inline constexpr std::string_view kProcessorFields[] = {"nettrace.processor", "ctf.cpu_id"};

// The index of the site's field that is the processor's number.
std::optional<std::size_t> processor_field(const Site& site);

// The name of a statement's kind; "" if no version defines it.
constexpr std::string_view kind_name(shm::SiteKind kind) {
  constexpr std::string_view kNames[] = {"",        "log",       "event",  "span",
                                         "counter", "histogram", "context"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : std::string_view();
}

}  // namespace ringside::trace
