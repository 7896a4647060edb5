#pragma once
// Writes values as Perfetto's debug annotations, and strings that are sent only once.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::perfetto {

// Not thread-safe.
class InternedStrings {
 public:
  // `kind`: a field of InternedData. Returns the text's number; `rest`: further fields of its
  // entry.
  std::uint64_t number_of(std::uint32_t kind, std::string_view text, std::string_view rest = {});

  bool has_fresh() const { return !fresh_.empty(); }
  // The strings numbered since the last call, as an InternedData message; empty if there are none.
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

// Appends the value's field of a DebugAnnotation: numbers unchanged; 128-bit numbers, bytes
// (base64) and characters as texts; enumerations by name; f80 as doubles.
void put_annotation_value(trace::TextSink& out, const trace::Value& value,
                          UncarriedFacts& uncarried);

// A text that can contain any bytes.
void put_text(trace::TextSink& out, std::uint32_t field, std::string_view text,
              UncarriedFacts& uncarried);

}  // namespace ringside::tool::perfetto
