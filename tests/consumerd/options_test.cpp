#include "consumerd/configuration/options.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "consumerd/configuration/option_values.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& message) {
  ConsumerdProcess consumerd(arguments);
  EXPECT_EQ(consumerd.wait(), 2) << message;
  EXPECT_NE(consumerd.error_output().find(message), std::string::npos) << consumerd.error_output();
  EXPECT_NE(consumerd.error_output().find("--help"), std::string::npos);
  EXPECT_EQ(consumerd.standard_output(), "");
}

TEST(Options, EveryMistakeHasStatus2AndAMessage) {
  const TemporaryDirectory dir;
  expect_usage_error({}, "--output DIR or --text DIR is required");
  expect_usage_error({"--output", "/nonexistent/x"}, "create it first");
  std::ofstream(dir.file("file"));
  expect_usage_error({"--output", dir.file("file")}, "is not a directory");
  expect_usage_error({"--output", dir.path(), "--io", "aio"}, "auto, uring or pwrite");
  for (const char* const cpu : {"-1", "x", "1x", "", "100000", "99999999999999999999"}) {
    expect_usage_error({"--output", dir.path(), "--cpu", cpu}, "--cpu must be");
  }
  for (const char* const size :
       {"0", "", "K", "1T", "-1", "1 K", "99999999999999999999", "2000000000G"}) {
    expect_usage_error({"--output", dir.path(), "--rotate-bytes", size}, "--rotate-bytes must be");
  }
  for (const char* const size : {"5", "16383", "15K"}) {
    expect_usage_error({"--output", dir.path(), "--rotate-bytes", size}, "at least 16K");
  }
  expect_usage_error({"--output", dir.path(), "--keep-bytes", "0"}, "--keep-bytes must be");
  expect_usage_error({"--output", dir.path(), "--keep-files", "0"}, "--keep-files must be");
  for (const char* const duration : {"0s", "", "10", "s", "1d", "-1s", "9000h"}) {
    expect_usage_error({"--output", dir.path(), "--rotate-after", duration},
                       "--rotate-after must be");
  }
  for (const char* const address : {"9465", "localhost:9465", "127.0.0.1", "127.0.0.1:0", ":9465",
                                    "127.0.0.1:99999", "::1:80", "[::1]", "[]:80", "1.2.3:80"}) {
    expect_usage_error({"--output", dir.path(), "--metrics", address}, "--metrics must be");
  }
  for (const char* const group : {"", "-1", "no such group", "root:", "4294967295", "1x"}) {
    expect_usage_error({"--output", dir.path(), "--allow-group", group}, "--allow-group must be");
  }
  expect_usage_error({"--output", dir.path(), "--metrics", "127.0.0.1:9465", "--once"},
                     "cannot be used with --once");
  expect_usage_error({"--output", dir.path(), "extra"}, "unexpected argument extra");
  expect_usage_error({"--frobnicate"}, "frobnicate");
  expect_usage_error({"--output"}, "requires an argument");
}

TEST(Options, EveryMistakeAboutTextHasAMessage) {
  const TemporaryDirectory dir;
  expect_usage_error({"--text", "/nonexistent/x"}, "create it first");
  expect_usage_error({"--text", ""}, "--text must be a directory");
  expect_usage_error({"--output", dir.path(), "--text-utc"}, "--text-utc requires --text DIR");
  expect_usage_error({"--output", dir.path(), "--text-level", "info"},
                     "--text-level requires --text DIR");
  expect_usage_error({"--output", dir.path(), "--template", "{msg}"},
                     "--template requires --text DIR");
  expect_usage_error({"--text", dir.path(), "--text-level", "loud"}, "--text-level must be one of");
  expect_usage_error({"--text", dir.path(), "--template", "{oops}"},
                     "--template must be a template as for ringcat: character 1: unknown name");
  expect_usage_error({"--text", dir.path(), "--pack"}, "--pack requires --output DIR");
  EXPECT_FALSE(std::filesystem::exists(dir.file(".trace")));
}

TEST(Options, CheckingTextOptionsCreatesNothing) {
  const TemporaryDirectory dir;
  ConsumerdProcess consumerd({"--text", dir.path(), "--template", "{time} {msg}", "--text-level",
                              "warning", "--text-utc", "--check-config"});
  EXPECT_EQ(consumerd.wait(), 0) << consumerd.error_output();
  EXPECT_FALSE(std::filesystem::exists(dir.file(".trace")));
}

TEST(OptionValues, HaveUnits) {
  using namespace std::chrono_literals;
  EXPECT_EQ(consumer::parse_size("1000"), 1000U);
  EXPECT_EQ(consumer::parse_size("3K"), 3072U);
  EXPECT_EQ(consumer::parse_size("2M"), 2U << 20);
  EXPECT_EQ(consumer::parse_size("5G"), std::uint64_t{5} << 30);
  EXPECT_EQ(consumer::parse_duration("30s"), 30s);
  EXPECT_EQ(consumer::parse_duration("10m"), 10min);
  EXPECT_EQ(consumer::parse_duration("1h"), 1h);
}

TEST(OptionValues, AGroupIsANameOrANumber) {
  EXPECT_EQ(consumer::group_number("root"), 0U);
  EXPECT_EQ(consumer::group_number("daemon"), 1U);
  EXPECT_EQ(consumer::group_number("123"), 123U);
  for (const char* const group : {"roo", "root:", "root:x", "roott", ""}) {
    EXPECT_EQ(consumer::group_number(group), std::nullopt) << group;
  }
}

TEST(Options, RefusesAnOutputThatItCannotWriteTo) {
  if (geteuid() == 0) GTEST_SKIP() << "root can write everywhere";
  const TemporaryDirectory dir;
  const std::string sealed = dir.file("sealed");
  std::filesystem::create_directory(sealed);
  std::filesystem::permissions(sealed, std::filesystem::perms::owner_read);
  expect_usage_error({"--output", sealed}, "writable");
}

TEST(Options, HelpAndVersionGoToStandardOutput) {
  for (const char* const flag : {"--help", "-h"}) {
    ConsumerdProcess consumerd({flag});
    EXPECT_EQ(consumerd.wait(), 0);
    EXPECT_EQ(consumerd.error_output(), "");
    const std::string text = consumerd.standard_output();
    for (const char* const option :
         {"--output", "--shm-dir", "--service", "--io", "--cpu", "--rotate-bytes", "--rotate-after",
          "--keep-files", "--keep-bytes", "--pack", "SIGHUP", "--once", "--verbose", "--help",
          "--version", "Exit status"}) {
      EXPECT_NE(text.find(option), std::string::npos) << option;
    }
  }
  ConsumerdProcess consumerd({"--version"});
  EXPECT_EQ(consumerd.wait(), 0);
  EXPECT_EQ(consumerd.standard_output().substr(0, 10), "consumerd ");
}

TEST(Options, AMissingShmDirectoryNamesTheRemedy) {
  const TemporaryDirectory dir;
  ConsumerdProcess consumerd({"-o", dir.path(), "--shm-dir", "/nonexistent"});
  EXPECT_EQ(consumerd.wait(), 1);
  EXPECT_NE(consumerd.error_output().find("RINGSIDE_SHM_DIR"), std::string::npos);
}

TEST(Options, ServesOnlyTheChosenServices) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService web(shm.path(), "web-1", 1, 1);
  ScriptedService database(shm.path(), "db", 2, 1);
  ScriptedService cache(shm.path(), "cache", 3, 1);
  for (ScriptedService* const service : {&web, &database, &cache}) service->publish(0, 10);
  ConsumerdProcess consumerd({"--output", out.path(), "--shm-dir", shm.path(), "--service", "web-*",
                              "--service", "db", "--cpu", "0", "--once", "--verbose", "--io",
                              "pwrite"});
  EXPECT_EQ(consumerd.wait(), 0) << consumerd.error_output();
  EXPECT_EQ(read_traces(out.path(), "web-1").records, 10U);
  EXPECT_EQ(read_traces(out.path(), "db").records, 10U);
  EXPECT_TRUE(out.names_with("cache").empty());
  EXPECT_NE(consumerd.error_output().find("writing with pwrite"), std::string::npos);
}

TEST(Options, KeepsThePathOfTheOutputAbsolute) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.file("out"));
  std::string output = dir.file("out/../out/.");
  std::string program = "consumerd";
  std::string flag = "-o";
  char* argv[] = {program.data(), flag.data(), output.data(), nullptr};
  int exit_code = -1;
  const auto options = consumer::parse_options(3, argv, &exit_code);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->output_dir, std::filesystem::canonical(dir.file("out")));
  EXPECT_TRUE(consumer::serves(*options, "anything"));
}

}  // namespace
}  // namespace ringside::consumer_test
