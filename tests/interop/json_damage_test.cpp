// JSON traces, cut after every byte and with every byte changed: everything before the damage is
// delivered, and the damage is reported.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/interop/bytes_apart.hpp"
#include "tools/interop/format_registry.hpp"

namespace ringside::tool {
namespace {

struct JsonSample {
  const char* name;
  const char* format;
  const char* path;
};

constexpr JsonSample kJsonSamples[] = {
    {"ChromeArray", "chrome", "json/array.json"},
    {"ChromeObject", "chrome", "json/object.json"},
    {"Ndjson", "ndjson", "json/lines.ndjson"},
};

std::string text_of(const JsonSample& sample) {
  const char* const samples = std::getenv("RINGSIDE_TEST_INTEROP_SAMPLES");
  std::ifstream file(fmt::format("{}/{}", samples == nullptr ? "" : samples, sample.path),
                     std::ios::binary);
  EXPECT_TRUE(file) << sample.path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class JsonDamage : public ::testing::TestWithParam<JsonSample> {
 protected:
  static std::uint64_t imported(std::string_view text, ReadOutcome& outcome) {
    ConversionReport report;
    TraceBuilder builder(report);
    const auto input = InputBytes::in_memory("sample", std::as_bytes(std::span(text)));
    outcome = find_foreign_format(GetParam().format)->read(*input, builder, report);
    std::string error;
    builder.finish(&error);
    EXPECT_EQ(error, "");
    return builder.records();
  }

  static nlohmann::json inspected(std::string_view text, ReadOutcome& outcome) {
    std::string told;
    OutputBytes output([&told](std::span<const std::byte> part) {
      told.append(reinterpret_cast<const char*>(part.data()), part.size());
      return true;
    });
    const auto input = InputBytes::in_memory("sample", std::as_bytes(std::span(text)));
    outcome = find_foreign_format(GetParam().format)->inspect(*input, InspectStyle::kJson, output);
    output.flush();
    if (outcome.end != ReadEnd::kRefused) return nlohmann::json::parse(told);
    EXPECT_EQ(told, "");
    return {};
  }

  static std::uint64_t check(std::string_view text) {
    ReadOutcome import;
    ReadOutcome inspection;
    const std::uint64_t records = imported(text, import);
    const nlohmann::json told = inspected(text, inspection);
    EXPECT_EQ(import.end, inspection.end);
    EXPECT_EQ(import.offset, inspection.offset);
    EXPECT_EQ(import.message, inspection.message);
    EXPECT_LE(import.offset, text.size());
    EXPECT_EQ(import.message.empty(), import.end == ReadEnd::kWhole);
    if (import.end == ReadEnd::kRefused) {
      EXPECT_EQ(records, 0U);
    } else {
      EXPECT_EQ(told["error"].is_null(), import.end == ReadEnd::kWhole);
      EXPECT_LE(records, told["counts"]["events"]);
    }
    return records;
  }
};

TEST_P(JsonDamage, WhatPrecedesACutIsDelivered) {
  const std::string whole_text = text_of(GetParam());
  const std::string_view text = whole_text;
  const std::uint64_t whole = check(text);
  ASSERT_GE(whole, 2U);
  std::uint64_t before = 0;
  for (std::size_t bytes = first_cut(text.size()); bytes < text.size(); bytes += bytes_apart()) {
    const std::uint64_t records = check(text.substr(0, bytes));
    ASSERT_FALSE(HasFailure()) << bytes;
    ASSERT_GE(records, before) << bytes;
    before = records;
  }
  EXPECT_EQ(before, whole);
}

TEST_P(JsonDamage, AnyByteMayBeAnyOther) {
  const std::string text = text_of(GetParam());
  for (std::size_t at = 0; at < text.size(); at += bytes_apart()) {
    for (const unsigned bits : {0xFFU, 0x01U, 0x80U, 0x02U, 0x20U}) {
      std::string changed = text;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
      check(changed);
      ASSERT_FALSE(HasFailure()) << at << " ^ " << bits;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, JsonDamage, ::testing::ValuesIn(kJsonSamples),
                         [](const auto& sample) { return std::string(sample.param.name); });

TEST(JsonDamageOfObjects, EverythingCutOffOfAnObjectIsReported) {
  const std::string text = text_of(kJsonSamples[1]);
  const std::size_t end = text.rfind('}');
  for (std::size_t bytes = 1; bytes <= end; bytes += bytes_apart()) {
    ConversionReport report;
    TraceBuilder builder(report);
    const auto input = InputBytes::in_memory("sample", std::as_bytes(std::span(text).first(bytes)));
    const ReadOutcome outcome = find_foreign_format("chrome")->read(*input, builder, report);
    EXPECT_EQ(outcome.end, ReadEnd::kDamaged) << bytes;
  }
}

}  // namespace
}  // namespace ringside::tool
