// A source written for quill that keeps the names of its headers, with arguments that only {fmt}
// can format. `// LEVEL| TEXT` is the record of the next line; the test reads it.

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <quill/Backend.h>
#include <quill/DeferredFormatCodec.h>
#include <quill/Frontend.h>
#include <quill/HelperMacros.h>
#include <quill/LogFunctions.h>
#include <quill/LogMacros.h>
#include <quill/Logger.h>
#include <quill/SimpleSetup.h>
#include <quill/StopWatch.h>
#include <quill/UserClockSource.h>
#include <quill/bundled/fmt/format.h>
#include <quill/bundled/fmt/ostream.h>
#include <quill/core/Common.h>
#include <quill/core/Filesystem.h>
#include <quill/core/QuillError.h>
#include <quill/sinks/ConsoleSink.h>
#include <quill/sinks/FileSink.h>
#include <quill/std/Array.h>
#include <quill/std/Chrono.h>
#include <quill/std/Map.h>
#include <quill/std/Vector.h>

struct Point {
  int x;
  int y;
};
template <>
struct fmtquill::formatter<Point> {
  char style = 'p';
  constexpr auto parse(format_parse_context& context) -> decltype(context.begin()) {
    auto at = context.begin();
    if (at != context.end() && (*at == 'p' || *at == 'c')) style = *at++;
    return at;
  }
  template <class Context>
  auto format(const Point& point, Context& context) const -> decltype(context.out()) {
    if (style == 'c') {
      return fmtquill::format_to(context.out(), "x: {}, y: {}", point.x, point.y);
    }
    return fmtquill::format_to(context.out(), "({}, {})", point.x, point.y);
  }
};
template <>
struct quill::Codec<Point> : quill::DeferredFormatCodec<Point> {};

struct Named {
  const char* name;
};
inline std::ostream& operator<<(std::ostream& out, const Named& named) {
  return out << '<' << named.name << '>';
}
QUILL_LOGGABLE_DEFERRED_FORMAT(Named)

namespace {

class Clock : public quill::UserClockSource {
 public:
  std::uint64_t now() const override { return 0; }
};

void log_values(quill::Logger* logger) {
  const Point point{1, 2};
  const std::vector<int> numbers{1, 2, 3};
  // INFO| at (1, 2) or x: 1, y: 2
  LOG_INFO(logger, "at {} or {:c}", point, point);
  // WARNING| <far> has [1, 2, 3] {}
  LOG_WARNING(logger, "{who} has {what} {{}}", Named{"far"}, numbers);
  const int pair[2] = {4, 5};
  const std::string words[2] = {"one", "two"};
  // INFO| arrays [4, 5] and ["one", "two"]
  LOG_INFO(logger, "arrays {} and {}", pair, words);
  const std::map<int, int> map{{1, 2}};
  // INFO| containers [map: {1: 2}, numbers: [1, 2, 3]]
  LOGV_INFO(logger, "containers", map, numbers);
  // NOTICE| took 5ms
  LOG_NOTICE(logger, "took {}", std::chrono::milliseconds(5));
  // INFO| in folder
  LOG_INFO(logger, "in {}", quill::fs::path("folder/file").parent_path().string());
  const quill::StopWatchTsc watch;
  // INFO| watch 0
  LOG_INFO(logger, "watch {:.0f}", watch);
  // ERROR| once 7
  LOG_ERROR_LIMIT_EVERY_N(10, logger, "once {}", 7, "too many");
  // INFO| [invalid format: invalid type specifier]
  LOG_INFO(logger, "wrong {:d}", std::string("text"));
}

void log_macros(quill::Logger* logger) {
  const int a = 1;
  // INFO| prefixed 1
  QUILL_LOG_INFO(logger, "prefixed {}", a);
  // DEBUG| variables [a: 1]
  QUILL_LOGV_DEBUG(logger, "variables", a);
  // INFO| tagged 1
  LOG_INFO_TAGS(logger, TAGS("first", "second"), "tagged {}", a);
  // ERROR| one tag [a: 1]
  QUILL_LOGV_ERROR_TAGS(logger, TAGS("alone"), "one tag", a);
  for (const quill::LogLevel level : {quill::LogLevel::TraceL3, quill::LogLevel::Critical}) {
    // CRITICAL| dynamic 1
    LOG_DYNAMIC(logger, level, "dynamic {}", a);
  }
}

void log_functions(quill::Logger* logger) {
  // NOTICE| function 1 far
  quill::notice(logger, "function {} {name}", 1, "far");
  // WARNING| tagged function (3, 4)
  quill::warning(logger, quill::Tags{"tag", "two"}, "tagged function {}", Point{3, 4});
  quill::tracel1(logger, "below the level {}", 1);
}

}  // namespace

int main() try {
  quill::Backend::start();
  Clock clock;
  quill::Logger* const logger = quill::Frontend::create_or_get_logger(
      "root", quill::Frontend::create_or_get_sink<quill::ConsoleSink>("console"),
      quill::PatternFormatterOptions{}, quill::ClockSourceType::User, &clock);
  logger->set_log_level(quill::LogLevel::Debug);
  log_values(logger);
  log_macros(logger);
  log_functions(logger);
  // INFO| simple
  quill::info(quill::simple_logger(), "simple");
} catch (const quill::QuillError&) {
  return 1;
}
