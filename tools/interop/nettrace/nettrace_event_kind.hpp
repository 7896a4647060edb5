#pragma once
// A type of events of a NetTrace file, and the statements that its records become.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/nettrace/nettrace_ringside_site.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/site_definition.hpp"

namespace ringside::tool::nettrace {

// What records of one type of events differ in: each combination that occurs is a statement.
enum Variant : unsigned {
  kWithProcessor = 1,
  kWithStack = 2,
  kWithCaptureThread = 4,
  kWithThread = 8,
  kWithExtra = 16,  // bytes behind the fields
  kBytesOnly = 32,  // the payload is bytes
  kVariants = 64,
};

struct EventKind {
  Metadata metadata;
  std::optional<RingsideSite> own;
  ValuePlan plan;
  bool typed = false;
  std::optional<std::size_t> payload_bytes;  // if it is always the same
  std::optional<std::uint32_t> process;
  std::array<std::uint32_t, kVariants> sites{};  // by variant, as far as they have occurred
  bool is_described = true;                      // else it stands for all types without metadata
  bool is_waited_for = false;                    // by events whose stack has not come yet

  // Once the metadata is there.
  void prepare(ConversionReport& report);
  // kWithExtra, kBytesOnly or 0. Tells the report of what does not fit.
  unsigned fit(std::span<const std::byte> payload, ConversionReport& report) const {
    return typed && payload_bytes == payload.size() ? 0 : fit_slowly(payload, report);
  }
  SiteDefinition define(unsigned variant) const;

 private:
  unsigned fit_slowly(std::span<const std::byte> payload, ConversionReport& report) const;
};

}  // namespace ringside::tool::nettrace
