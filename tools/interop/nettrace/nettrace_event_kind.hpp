#pragma once
// A type of events of a NetTrace file, and the statements for its records.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_manifest_values.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/nettrace/nettrace_ringside_site.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/site_definition.hpp"

namespace ringside::tool::nettrace {

// The differences between records of one type of events: each combination that occurs is a
// statement.
enum Variant : unsigned {
  kWithProcessor = 1,
  kWithStack = 2,
  kWithCaptureThread = 4,
  kWithThread = 8,
  kWithExtra = 16,  // bytes after the fields
  kBytesOnly = 32,  // the payload is bytes
  kVariants = 64,
};

struct EventKind {
  Metadata metadata;
  std::optional<RingsideSite> own;
  ValuePlan plan;
  bool typed = false;
  std::optional<ManifestValues> manifest;  // for the runtime's events, which files do not describe
  std::optional<std::size_t> payload_bytes;  // if it is constant
  std::optional<std::uint32_t> process;
  std::array<std::uint32_t, kVariants> sites{};  // by variant, for those that have occurred
  bool is_described = true;                      // false: it represents all types without metadata
  bool is_waited_for = false;                    // by events whose stack has not come yet

  // Called once the metadata is known.
  void prepare(std::size_t pointer_bytes, ConversionReport& report);
  // kWithExtra, kBytesOnly or 0. Reports payloads that do not fit.
  unsigned fit(std::span<const std::byte> payload, ConversionReport& report) {
    return typed && payload_bytes == payload.size() ? 0 : fit_slowly(payload, report);
  }
  // For a payload that fit() has just checked. Returns the size of the values.
  std::size_t put(std::span<const std::byte> payload, TraceBuilder& builder,
                  ConversionReport& report) const;
  SiteDefinition define(unsigned variant) const;
  std::optional<std::uint8_t> opcode() const;
  std::string event_name() const;

 private:
  unsigned fit_slowly(std::span<const std::byte> payload, ConversionReport& report);

  std::size_t manifest_bytes_ = 0;  // size of the values in the payload that fit() has read
};

}  // namespace ringside::tool::nettrace
