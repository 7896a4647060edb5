// Small NetPerf files, cut after every byte and with every byte changed: what precedes the damage
// is delivered, and the damage is reported, in the same way by the import and by `ringcat inspect`.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/interop/bytes_apart.hpp"
#include "tools/interop/nettrace/nettrace_import.hpp"
#include "tools/interop/nettrace/nettrace_inspect.hpp"

namespace ringside::tool {
namespace {

class NetperfDamage : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::ifstream file(std::string(std::getenv("RINGSIDE_TEST_NETTRACE_SAMPLES")) + "/p" +
                           std::to_string(GetParam()) + ".netperf",
                       std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(bytes_.empty());
  }

  static std::uint64_t imported(std::string_view bytes, ReadOutcome& outcome) {
    ConversionReport report;
    TraceBuilder builder(report);
    const auto input = InputBytes::in_memory("sample", std::as_bytes(std::span(bytes)));
    outcome = read_nettrace(*input, builder, report);
    std::string error;
    builder.finish(&error);
    EXPECT_EQ(error, "");
    return builder.records();
  }

  // Returns the number of records, on which both agree.
  static std::uint64_t read(std::string_view bytes, ReadOutcome& outcome) {
    const std::uint64_t records = imported(bytes, outcome);
    std::string text;
    OutputBytes output([&text](std::span<const std::byte> part) {
      text.append(reinterpret_cast<const char*>(part.data()), part.size());
      return true;
    });
    const auto input = InputBytes::in_memory("sample", std::as_bytes(std::span(bytes)));
    const ReadOutcome inspection = inspect_nettrace(*input, InspectStyle::kJson, output);
    output.flush();
    if (outcome.end == ReadEnd::kRefused) {  // such as an invalid time, which an inspection shows
      EXPECT_EQ(records, 0U);
      return 0;
    }
    EXPECT_EQ(inspection.message, outcome.message);
    EXPECT_EQ(inspection.offset, outcome.offset);
    EXPECT_EQ(inspection.warnings, outcome.warnings);
    EXPECT_LE(outcome.offset, bytes.size());
    EXPECT_EQ(outcome.message.empty(), outcome.end == ReadEnd::kWhole);
    EXPECT_EQ(nlohmann::json::parse(text)["events"], records);
    return records;
  }

  std::string bytes_;
};

TEST_P(NetperfDamage, WhatPrecedesACutIsDelivered) {
  ReadOutcome outcome;
  EXPECT_EQ(read(bytes_, outcome), 4U);
  EXPECT_EQ(outcome.end, ReadEnd::kWhole);
  EXPECT_TRUE(outcome.warnings.empty());
  std::uint64_t before = 0;
  for (std::size_t bytes = first_cut(bytes_.size()); bytes < bytes_.size();
       bytes += bytes_apart()) {
    const std::uint64_t records = read(std::string_view(bytes_).substr(0, bytes), outcome);
    ASSERT_GE(records, before) << bytes;
    ASSERT_TRUE(outcome.end != ReadEnd::kWhole || !outcome.warnings.empty()) << bytes;
    before = records;
  }
  EXPECT_EQ(before, 4U);
}

TEST_P(NetperfDamage, AnyByteMayBeAnyOther) {
  for (std::size_t at = 0; at < bytes_.size(); at += bytes_apart()) {
    const unsigned bits = at % 3 == 0 ? 0x01 : at % 3 == 1 ? 0x80 : 0xFF;
    std::string changed = bytes_;
    changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
    ReadOutcome outcome;
    read(changed, outcome);
    ASSERT_FALSE(HasFailure()) << at << " ^ " << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, NetperfDamage, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace ringside::tool
