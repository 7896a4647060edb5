// Logs in brace style, and prints the text of each message as {fmt} writes it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>

namespace {

void expect(const std::string& text) {
  std::printf("%s\n", text.c_str());
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CASE(format_, ...)                                   \
  {                                                          \
    RS_FMT(INFO, format_, __VA_ARGS__);                      \
    expect(fmt::format(fmt::runtime(format_), __VA_ARGS__)); \
  }

void log_named() {
  const std::string user = "ann";
  const double amount = 12.345;
  RS_FMT(INFO, "{user} paid {amount:.2f}", RS_NAMED("user", user), RS_NAMED("amount", amount));
  expect(
      fmt::format("{user} paid {amount:.2f}", fmt::arg("user", user), fmt::arg("amount", amount)));
  RS_FMT(WARNING, "{amount:>{width}.{digits}} {user}", amount, user, RS_NAMED("width", 12),
         RS_NAMED("digits", 3));
  expect(fmt::format("{:>12.3} {}", amount, user));
  RS_FMT_ERROR("order filled", RS_NAMED("qty", 5), RS_NAMED("px", amount));
  expect("order filled");
}

void log_others() {
  const std::filesystem::path path = "/var/log";
  RS_FMT_INFO("{} {:>12}", path, path);
  expect(fmt::format("{} {:>12}", path.native(), path.native()));
  enum class Side : std::uint8_t { buy = 1, sell = 200 };
  RS_FMT_INFO("{} {:#x}", Side::buy, Side::sell);
  expect(fmt::format("{} {:#x}", "buy", 200));  // the name, if it has one
  const void* const address = &path;
  RS_FMT_INFO("{} {}", address, nullptr);
  expect(fmt::format("{} {}", address, nullptr));
  RS_FMT_INFO("{:a} {:.40g}", 1.0L / 3, 1.0L / 3);
  expect(fmt::format("{:a} {:.40g}", 1.0L / 3, 1.0L / 3));
}

#include "tests/end-to-end/brace_cases.inc"

}  // namespace

int main() {
  log_named();
  log_others();
  log_cases();
}
