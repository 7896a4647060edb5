// Statements of all styles of C++, compiled as probes. usdt_test.py knows each by the comment
// "probe" on the line before it, which has the arguments as a debugger shows them.

#include "probed_statements.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <ringside/event.hpp>
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>
#include <ringside/runtime_format.hpp>
#include <ringside/stream.hpp>
#include <ringside/text.hpp>

#include "probed_inline.hpp"

#define THIRTEEN_NUMBERS "%d %d %d %d %d %d %d %d %d %d %d %d %d"

namespace {

enum class Side : std::uint8_t { buy = 1, sell = 2 };

template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

template <class T>
void log_in_template(T value) {
  // probe 41
  RS_INFO("in a template %d", static_cast<int>(value));
}

void log_all() {
  const char* const host = "alpha";
  const std::string name = "a string longer than what fits into the object itself";
  // probe
  RS_INFO("without arguments");
  // probe -5 7 "alpha"
  RS_INFO("%d %u %s", opaque(-5), opaque(7U), host);
  // probe -1099511627776 0 9
  RS_INFO("%lld %.1f %d", opaque(-(1LL << 40)), 2.5, opaque(9));
  // probe 12345
  RS_INFO("a constant %d", 12345);
  // probe 200
  RS_LOG(opaque(ringside::Level::warning), "%hhu", opaque<std::uint8_t>(200));
  // probe 3
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "%d", opaque(3));
  // probe "a string longer" 1
  RS_FMT(INFO, "{} {}", name, opaque(true));
  // probe 17 2
  RS_EVENT(INFO, "order.fill", RS_NAMED("id", opaque(17L)), RS_NAMED("side", opaque(Side::sell)));
  // probe 6 "alpha"
  RS_STREAM(INFO) << "sum " << opaque(6) << " of " << host;
  // probe "a string longer"
  RS_TEXT(RS_LEVEL_INFO, name);
  // probe 8
  RS_LOG_RUNTIME(RS_LEVEL_INFO, host, opaque(8));
  // probe 4
  RS_IF(opaque(1) == 1, RS_INFO("gated %d", opaque(4)));
  // probe 1 2 3 4 5 6 7 8 9 10 11 12
  RS_INFO(THIRTEEN_NUMBERS, opaque(1), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  log_in_template(opaque(41));
  log_in_inline_function(opaque(43));
}

}  // namespace

int main() {
  ringside::init();
  log_all();
  log_in_other_file();
  log_in_c();
  log_in_cpp11();
  ringside::set_level(ringside::Level::error);
  // probe never
  RS_INFO("disabled %d", opaque(1));
  return ringside::losses() == 0 ? 0 : 1;
}
