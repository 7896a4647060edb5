#include "tools/interop/nettrace/nettrace_manifest.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tools/interop/nettrace/nettrace_manifest_rows.hpp"
#include "tools/interop/nettrace/nettrace_manifest_values.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"

namespace ringside::tool::nettrace {
namespace {

struct Table {
  std::string_view provider;
  std::span<const ManifestRow> rows;
};

const Table kTables[] = {{kRuntimeProvider, runtime_rows()},
                         {kRundownProvider, rundown_rows()},
                         {kStressProvider, stress_rows()},
                         {kSamplerProvider, sampler_rows()}};

void check_list(const std::vector<ManifestField>& fields, const std::string& event) {
  EXPECT_LE(fields.size(), 40U) << event;
  std::set<std::string> names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ManifestField& field = fields[i];
    EXPECT_TRUE(names.insert(field.name).second) << event << ' ' << field.name;
    const std::string_view letters = "1248ijdbpsagx{";
    EXPECT_NE(letters.find(static_cast<char>(field.type)), std::string_view::npos) << event;
    EXPECT_EQ(field.type == ManifestType::kStructure, !field.parts.empty()) << event;
    if (field.type == ManifestType::kStructure || field.type == ManifestType::kBytes) {
      EXPECT_TRUE(field.is_counted()) << event;
    }
    if (field.is_counted()) {
      ASSERT_LT(field.count_field, i) << event << ' ' << field.name;
      const ManifestType count = fields[field.count_field].type;
      EXPECT_TRUE(count == ManifestType::kU16 || count == ManifestType::kU32) << event;
    }
    check_list(field.parts, event);
  }
}

TEST(NettraceManifest, TablesAreWellFormed) {
  for (const Table& table : kTables) {
    EXPECT_TRUE(std::is_sorted(
        table.rows.begin(), table.rows.end(), [](const ManifestRow& a, const ManifestRow& b) {
          return std::pair(a.id, a.first_version) < std::pair(b.id, b.first_version);
        }));
    for (const ManifestRow& row : table.rows) {
      std::size_t fields = 0;
      for (std::uint32_t version = row.first_version; version < row.first_version + 5U; ++version) {
        const auto event = find_manifest_event(table.provider, row.id, version);
        ASSERT_TRUE(event);
        const std::string name = event->name + ' ' + std::to_string(row.id);
        check_list(event->fields, name);
        EXPECT_LE(event->columns().size(), 54U) << name;
        if (!event->name.starts_with(row.name)) break;  // an event of the next row
        EXPECT_GE(event->fields.size(), fields) << name;
        fields = event->fields.size();
      }
    }
  }
}

TEST(NettraceManifest, LatestVersionAppliesToLaterOnes) {
  const auto known = find_manifest_event(kRuntimeProvider, 1, 2);
  const auto later = find_manifest_event(kRuntimeProvider, 1, UINT32_MAX);
  ASSERT_TRUE(known && later);
  EXPECT_EQ(known->name, "GCStart_V2");
  EXPECT_EQ(later->name, "GCStart_V4294967295");
  EXPECT_EQ(later->fields.size(), known->fields.size());
  EXPECT_FALSE(find_manifest_event(kRuntimeProvider, 60000, 0));
  EXPECT_FALSE(find_manifest_event("Microsoft-Windows-DotNETRuntimePrivate", 1, 0));
}

// Whatever the bytes are, no byte past their end is read; a sanitizer would report it.
TEST(NettraceManifest, AnyBytesAreRead) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (const Table& table : kTables) {
    for (const ManifestRow& row : table.rows) {
      ManifestValues values(*find_manifest_event(table.provider, row.id, row.first_version + 4U),
                            row.id % 2 == 0 ? 4 : 8);
      ConversionReport report;
      for (unsigned i = 0; i < 20; ++i) {
        std::vector<std::byte> payload(random() % 300);
        for (std::byte& byte : payload) {
          byte = random() % 3 != 0 ? std::byte{0} : static_cast<std::byte>(random());
        }
        const std::size_t taken = values.read(payload, report);
        EXPECT_TRUE(taken == kNoValue || taken <= payload.size());
      }
    }
  }
}

}  // namespace
}  // namespace ringside::tool::nettrace
