#pragma once
// Events of the .NET runtime, which a NetTrace file does not describe: names and fields from the
// runtime's manifest (ClrEtwAll.man).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/site_definition.hpp"

namespace ringside::tool::nettrace {

inline constexpr std::string_view kRuntimeProvider = "Microsoft-Windows-DotNETRuntime";
inline constexpr std::string_view kRundownProvider = "Microsoft-Windows-DotNETRuntimeRundown";
inline constexpr std::string_view kStressProvider = "Microsoft-Windows-DotNETRuntimeStress";
inline constexpr std::string_view kSamplerProvider = "Microsoft-DotNETCore-SampleProfiler";

// The letters of ManifestRow::fields (nettrace_manifest_rows.hpp).
enum class ManifestType : char {
  kU8 = '1',
  kU16 = '2',
  kU32 = '4',
  kU64 = '8',
  kI32 = 'i',
  kI64 = 'j',
  kF64 = 'd',
  kBoolean = 'b',   // 4 bytes
  kPointer = 'p',   // in the pointer size of the trace
  kText = 's',      // UTF-16, ends with a null character
  kAnsiText = 'a',  // bytes, ends with a null character
  kGuid = 'g',
  kBytes = 'x',
  kStructure = '{',
};

struct ManifestField {
  static constexpr std::size_t kNoCount = SIZE_MAX;

  std::string name;
  ManifestType type = ManifestType::kU32;
  // For arrays, bytes and structures: the preceding field in the same list that has the count.
  std::size_t count_field = kNoCount;
  std::vector<ManifestField> parts;  // of a structure

  bool is_counted() const { return count_field != kNoCount; }
};

struct ManifestEvent {
  std::string name;
  std::uint8_t opcode = 0;  // 0: none
  std::vector<ManifestField> fields;

  // The fields of its records: structures become an array for each part, `structure.part`; arrays
  // in structures are concatenated.
  std::vector<FieldDefinition> columns() const;
};

// A version later than the table's is assumed to add fields to the last known one.
std::optional<ManifestEvent> find_manifest_event(std::string_view provider, std::uint32_t id,
                                                 std::uint32_t version);

}  // namespace ringside::tool::nettrace
