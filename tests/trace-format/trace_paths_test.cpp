// Rotated files are read in the order of their numbers, in whatever order they are named.
#include "trace-format/reader/trace_paths.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using Names = std::vector<std::string>;

TEST(TracePaths, OfADirectoryAreInTheOrderOfTheirNumbers) {
  const TemporaryDirectory directory;
  for (const char* name :
       {"kv.7.10.ringtrace", "kv.7.9.ringtrace", "kv.7.2.ringtrace.zst", "kv.7.2.ringtrace",
        "kv.7.11.ringtrace.zst", "kv.7.1.txt", "kv.7.0.ringtrace"}) {
    directory.write(name, {});
  }
  Names files;
  ReadError error;
  ASSERT_TRUE(expand_trace_path(directory.path(), files, &error)) << error.text();
  for (std::string& file : files) file = std::filesystem::path(file).filename();
  EXPECT_EQ(files, (Names{"kv.7.0.ringtrace", "kv.7.2.ringtrace", "kv.7.9.ringtrace",
                          "kv.7.10.ringtrace", "kv.7.11.ringtrace.zst"}));
}

TEST(TracePaths, OfOneRotationArePutInOrderAndNoOthers) {
  Names files{"z/kv.7.10.ringtrace",    "b.ringtrace",        "a.ringtrace",
              "z/kv.7.9.ringtrace.zst", "y/kv.7.1.ringtrace", "z/kv.7.0.ringtrace"};
  put_rotated_in_order(files);
  EXPECT_EQ(files, (Names{"z/kv.7.0.ringtrace", "y/kv.7.1.ringtrace", "z/kv.7.9.ringtrace.zst",
                          "z/kv.7.10.ringtrace", "b.ringtrace", "a.ringtrace"}))
      << "whatever their directories";
}

}  // namespace
}  // namespace ringside::trace::testing
