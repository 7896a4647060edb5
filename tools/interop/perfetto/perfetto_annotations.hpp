#pragma once
// Values as Perfetto's debug annotations, and the strings that are sent once.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/text_sink.hpp"
#include "trace-format/value.hpp"

namespace ringside::tool::perfetto {

// Not thread-safe.
class InternedStrings {
 public:
  // `kind`: a field of InternedData. The text's number; `rest`: further fields of its entry.
  std::uint64_t number_of(std::uint32_t kind, std::string_view text, std::string_view rest = {});

  bool has_fresh() const { return !fresh_.empty(); }
  // What has been numbered since, an InternedData message, empty if nothing has.
  std::string take() { return std::exchange(fresh_, {}); }

  void clear() {
    for (auto& numbers : numbers_) numbers.clear();
    fresh_.clear();
  }

 private:
  static constexpr std::size_t kKinds = interned_data::kStringValues + 1;
  std::array<std::unordered_map<std::string, std::uint64_t>, kKinds> numbers_;
  std::string fresh_;
};

// Appends the value's field of a DebugAnnotation: numbers as they are, those of 128 bits, bytes
// (base64) and characters as texts, enumerations by name, f80 as doubles.
void put_annotation_value(trace::TextSink& out, const trace::Value& value,
                          UncarriedFacts& uncarried);

// Text that may be any bytes.
void put_text(trace::TextSink& out, std::uint32_t field, std::string_view text,
              UncarriedFacts& uncarried);

}  // namespace ringside::tool::perfetto
