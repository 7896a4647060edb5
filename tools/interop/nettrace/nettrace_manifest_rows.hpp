#pragma once
// The tables of nettrace_manifest.hpp, by provider: each sorted by id and version.

#include <cstdint>
#include <span>
#include <string_view>

namespace ringside::tool::nettrace {

// One or more versions of an event; each but the first adds fields.
struct ManifestRow {
  std::uint16_t id;
  std::uint8_t first_version;
  std::uint8_t opcode;    // 0: none
  std::string_view name;  // without the version suffix
  // "Count:4 ClrInstanceID:2 Values{Address:p Size:8}[Count] | AddedByTheNextVersion:8", with the
  // letters of ManifestType.
  std::string_view fields;
};

std::span<const ManifestRow> runtime_rows();
std::span<const ManifestRow> rundown_rows();
std::span<const ManifestRow> stress_rows();
std::span<const ManifestRow> sampler_rows();

}  // namespace ringside::tool::nettrace
