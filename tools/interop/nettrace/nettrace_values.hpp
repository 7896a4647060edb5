#pragma once
// Converts the values of a NetTrace payload to those of a Ringside record.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/site_definition.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::nettrace {

// How one value is converted.
enum class ValueStep : std::uint8_t {
  kCopy,       // unchanged
  kBoolean,    // 4 bytes to one
  kCharacter,  // a code unit below 256 to a byte
  kText,       // UTF-16 to UTF-8
  kGuid,       // to its text
  kDecimal,    // to a double
  kBytes,      // an array of bytes
  kArray,      // elements unchanged
  kBooleans,   // arrays of the above
  kCharacters,
  kTexts,
  kGuids,
  kDecimals,
  kByteArrays,
  kNested,  // an array of arrays or objects, to JSON
  kSkip,    // a constant, which the statement has
};

// The fields of a type of events, objects flattened to `outer.inner`, and how to read them.
struct ValuePlan {
  struct Step {
    ValueStep step;
    std::uint32_t bytes = 0;               // for kCopy, and for an element of kArray
    const MetadataField* field = nullptr;  // for kCopy, the first of those that are copied together
  };
  std::vector<Step> steps;
  std::vector<FieldDefinition> fields;

  // False if there are more than `most` fields. `metadata` must outlive the plan.
  bool make(const Metadata& metadata, std::size_t most);
  // For a record that Ringside has written: the fields of its statement, in their own types.
  void make_own(const Metadata& metadata, const SiteDefinition& site);
  // The size of the values in a payload that fits.
  std::size_t bytes_of(std::span<const std::byte> payload) const;

 private:
  void add_step(ValueStep step, std::uint32_t bytes, const MetadataField& field);
};

// Puts the values of a payload that fits (fit_payload()) into the open record. Returns their size.
std::size_t put_values(const ValuePlan& plan, std::span<const std::byte> payload,
                       TraceBuilder& builder, ConversionReport& report);

// "0a1b2c3d-...": in .NET's form.
std::string guid_text(std::span<const std::byte> guid);

// A GUID with its first three parts in the other byte order, so that its bytes are in the order of
// .NET's text.
Guid in_order_of_text(const Guid& guid);

}  // namespace ringside::tool::nettrace
