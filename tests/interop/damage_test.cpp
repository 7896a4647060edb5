// Foreign traces in which any byte is cut off or changed: the result is an error with its place,
// never a crash.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "tests/interop/bytes_apart.hpp"
#include "tools/interop/ctf/ctf_import.hpp"
#include "tools/interop/nanolog/nanolog_format.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path samples() {
  const char* const path = std::getenv("RINGSIDE_TEST_INTEROP_SAMPLES");
  return path == nullptr ? fs::path() : fs::path(path);
}

struct Read {
  ReadOutcome outcome;
  std::uint64_t records = 0;
};

Read read_nanolog_of(const std::string& bytes) {
  ConversionReport report;
  TraceBuilder builder(report);
  const auto input = InputBytes::in_memory("log", std::as_bytes(std::span(bytes)));
  Read read;
  read.outcome = read_nanolog(*input, builder, report);
  read.records = builder.records();
  OutputBytes output([](std::span<const std::byte>) { return true; });
  const auto again = InputBytes::in_memory("log", std::as_bytes(std::span(bytes)));
  EXPECT_EQ(inspect_nanolog(*again, InspectStyle::kJson, output).end, read.outcome.end);
  return read;
}

TEST(DamagedNanoLog, GivesWhatPrecedesACutAnywhere) {
  const std::string whole = bytes_of(samples() / "nanolog" / "cpp17.log");
  ASSERT_EQ(read_nanolog_of(whole).records, 42U);
  std::uint64_t before = 0;
  for (std::size_t bytes = whole.size() % bytes_apart(); bytes <= whole.size();
       bytes += bytes_apart()) {
    const Read read = read_nanolog_of(whole.substr(0, bytes));
    ASSERT_GE(read.records, before) << bytes;
    before = read.records;
    ASSERT_LE(read.outcome.offset, bytes);
    ASSERT_EQ(read.outcome.end == ReadEnd::kRefused, bytes < 33) << bytes;
  }
  EXPECT_EQ(before, 42U);
}

TEST(DamagedNanoLog, AnyByteMayBeWrong) {
  const std::string whole = bytes_of(samples() / "nanolog" / "cpp17.log");
  for (std::size_t at = 0; at < whole.size(); at += bytes_apart()) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (at % 2 == 0 ? '\xFF' : '\x05'));
    ASSERT_LE(read_nanolog_of(changed).outcome.offset, whole.size());
  }
}

class DamagedCtf : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ringside-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    for (const char* const file : {"metadata", "all_0"}) {
      fs::copy_file(samples() / "ctf" / "lttng-ust" / file, directory_ / file);
    }
  }
  void TearDown() override { fs::remove_all(directory_); }

  Read read_with(const std::string& file, const std::string& bytes) {
    std::ofstream(directory_ / file, std::ios::binary | std::ios::trunc) << bytes;
    ConversionReport report;
    TraceBuilder builder(report);
    Read read;
    read.outcome = read_ctf(directory_, builder, report);
    read.records = builder.records();
    return read;
  }

  fs::path directory_;
};

TEST_F(DamagedCtf, GivesWhatPrecedesACutAnywhere) {
  const std::string whole = bytes_of(directory_ / "all_0");
  const std::uint64_t all = read_with("all_0", whole).records;
  ASSERT_GT(all, 10U);
  std::uint64_t before = 0;
  // Cuts at every byte of the head and of the first events, less often after that.
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 500    ? 1
                                                             : bytes < 1600 ? 7
                                                                            : 250) {
    const Read read = read_with("all_0", whole.substr(0, bytes));
    ASSERT_GE(read.records, before) << bytes;
    before = read.records;
    ASSERT_EQ(read.outcome.end, bytes == 0 ? ReadEnd::kWhole : ReadEnd::kDamaged) << bytes;
    ASSERT_LE(read.outcome.offset, bytes);
  }
  EXPECT_EQ(before, all);
}

TEST_F(DamagedCtf, AnyByteOfAStreamMayBeWrong) {
  const std::string whole = bytes_of(directory_ / "all_0");
  for (std::size_t at = 0; at < 1600; at += 4 * bytes_apart()) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (at % 3 == 0   ? '\xFF'
                                                   : at % 3 == 1 ? '\x80'
                                                                 : '\x01'));
    ASSERT_LE(read_with("all_0", changed).outcome.offset, whole.size());
  }
}

TEST_F(DamagedCtf, AnyByteOfTheMetadataMayBeWrongOrMissing) {
  const std::string whole = bytes_of(directory_ / "metadata");
  for (std::size_t at = 0; at < whole.size(); at += 19 * bytes_apart()) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (at % 2 == 0 ? '\x04' : '\x13'));
    ASSERT_LE(read_with("metadata", changed).outcome.offset, whole.size());
    if (at % 7 == 0) {
      ASSERT_LE(read_with("metadata", whole.substr(0, at)).outcome.offset, at);
    }
  }
}

}  // namespace
}  // namespace ringside::tool
