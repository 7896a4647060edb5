// Samples of other tools' formats, cut after every byte and with every byte changed: everything
// before the damage is delivered, and the damage is reported.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/interop/bytes_apart.hpp"
#include "tools/interop/format_registry.hpp"

namespace ringside::tool {
namespace {

struct Sample {
  const char* format;
  const char* path;
};

constexpr Sample kSamples[] = {
    {"heph", "heph/h02_seed_event_example.heph"},
    {"heph", "heph/h03_scalars.heph"},
    {"heph", "heph/h05_streams.heph"},
    {"netlogger", "netlogger/n01_basic_be.nlb"},
    {"netlogger", "netlogger/n02_basic_le.nlb"},
    {"perfetto", "perfetto/p01_threads.perfetto"},
    {"ulm", "ulm/u01_types.ulm"},
};

class ReaderDamage : public ::testing::TestWithParam<Sample> {
 protected:
  void SetUp() override {
    const char* const samples = std::getenv("RINGSIDE_TEST_INTEROP_SAMPLES");
    ASSERT_NE(samples, nullptr);
    std::ifstream file(std::string(samples) + "/" + GetParam().path, std::ios::binary);
    const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(read.empty());
    bytes_ = {reinterpret_cast<const std::byte*>(read.data()),
              reinterpret_cast<const std::byte*>(read.data()) + read.size()};
  }

  std::uint64_t imported(std::span<const std::byte> bytes, ReadOutcome& outcome) const {
    ConversionReport report;
    TraceBuilder builder(report);
    const auto input = InputBytes::in_memory("sample", bytes);
    outcome = find_foreign_format(GetParam().format)->read(*input, builder, report);
    std::string error;
    builder.finish(&error);
    EXPECT_EQ(error, "");
    return builder.records();
  }

  nlohmann::json inspected(std::span<const std::byte> bytes, ReadOutcome& outcome) const {
    std::string text;
    OutputBytes output([&text](std::span<const std::byte> part) {
      text.append(reinterpret_cast<const char*>(part.data()), part.size());
      return true;
    });
    const auto input = InputBytes::in_memory("sample", bytes);
    outcome = find_foreign_format(GetParam().format)->inspect(*input, InspectStyle::kJson, output);
    output.flush();
    if (outcome.end != ReadEnd::kRefused) return nlohmann::json::parse(text);
    EXPECT_EQ(text, "");
    return {};
  }

  // Both readers agree about the damage; returns the number of imported records.
  std::uint64_t check(std::span<const std::byte> bytes) const {
    ReadOutcome import;
    ReadOutcome inspection;
    const std::uint64_t records = imported(bytes, import);
    const nlohmann::json told = inspected(bytes, inspection);
    EXPECT_EQ(import.end, inspection.end);
    EXPECT_EQ(import.offset, inspection.offset);
    EXPECT_LE(import.offset, bytes.size());
    EXPECT_EQ(import.message.empty(), import.end == ReadEnd::kWhole);
    EXPECT_EQ(records == 0, told.is_null() || told["counts"]["events"] == 0);
    return records;
  }

  std::vector<std::byte> bytes_;
};

TEST_P(ReaderDamage, WhatPrecedesACutIsDelivered) {
  const std::uint64_t whole = check(bytes_);
  std::uint64_t before = 0;
  for (std::size_t bytes = first_cut(bytes_.size()); bytes < bytes_.size();
       bytes += bytes_apart()) {
    const std::uint64_t records = check(std::span(bytes_).first(bytes));
    ASSERT_GE(records, before) << bytes;
    ASSERT_LT(records, whole) << bytes;
    before = records;
  }
  EXPECT_EQ(before + 1, whole);
}

TEST_P(ReaderDamage, AnyByteMayBeAnyOther) {
  for (std::size_t at = 0; at < bytes_.size(); at += bytes_apart()) {
    for (const unsigned bits : {0xFFU, 0x01U, 0x80U}) {
      std::vector<std::byte> changed = bytes_;
      changed[at] ^= static_cast<std::byte>(bits);
      check(changed);
      ASSERT_FALSE(HasFailure()) << at << " ^ " << bits;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ReaderDamage, ::testing::ValuesIn(kSamples),
                         [](const auto& sample) {
                           const std::string path = sample.param.path;
                           return path.substr(path.find('/') + 1, 3);
                         });

}  // namespace
}  // namespace ringside::tool
