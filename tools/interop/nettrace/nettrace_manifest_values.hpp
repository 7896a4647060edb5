#pragma once
// Converts payloads of events of the .NET runtime to values of records, and back.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_manifest.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::nettrace {

// Reads payloads of one event; memory: the largest payload. Not thread-safe.
class ManifestValues {
 public:
  ManifestValues(ManifestEvent event, std::size_t pointer_bytes);

  const ManifestEvent& event() const { return event_; }

  // The size of the fields; kNoValue for a payload that ends before them.
  std::size_t read(std::span<const std::byte> payload, ConversionReport& report);
  // Puts the values of the last read() into the open record, in the order of event().columns().
  void put(TraceBuilder& builder) const;

 private:
  struct Column {
    shm::FieldType type;
    std::size_t element_bytes;  // of an array; 0 for texts
    std::string data;           // as in a record, without its length
    std::uint32_t count = 0;    // of elements
  };

  bool read_fields(const std::vector<ManifestField>& fields, std::size_t column);
  bool read_field(const ManifestField& field, std::uint64_t count, std::size_t column);
  bool read_value(ManifestType type, Column& column);
  std::size_t bytes_of(ManifestType type) const;

  ManifestEvent event_;
  std::size_t pointer_bytes_;
  std::vector<Column> columns_;
  std::span<const std::byte> rest_;  // of the current payload
  ConversionReport* report_ = nullptr;
};

// Appends the payload for `values` (those of the columns, in order), with pointers of 8 bytes.
// Counts become the numbers of the existing values.
void append_manifest_payload(const ManifestEvent& event, std::span<const trace::Value> values,
                             std::string& out, ConversionReport& report);

}  // namespace ringside::tool::nettrace
