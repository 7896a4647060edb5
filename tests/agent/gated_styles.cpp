#include "tests/agent/gated_styles.hpp"

// Of the other libraries' headers, so that nothing has to be linked.
#define FMT_HEADER_ONLY
#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_TRACE
#include <ringside/compat/glog.hpp>
#include <ringside/compat/nanolog.hpp>
#include <ringside/compat/quill.hpp>
#include <ringside/compat/spdlog.hpp>
#include <ringside/event.hpp>
#include <ringside/netlogger.h>
#include <ringside/runtime_format.hpp>
#include <ringside/stream.hpp>
#include <ringside/text.hpp>

namespace ringside::test {
namespace {

quill::Logger* logger = nullptr;
volatile int level = RS_LEVEL_INFO;

#define BRACE(value_) RS_FMT(INFO, "brace {}", value_)
#define EVENT(value_) RS_EVENT(INFO, "event", value_)
#define STREAM(value_) RS_STREAM(INFO) << "stream " << value_
#define NETLOGGER(value_) RS_NETLOGGER_WRITE("netlogger", "", "value=%d", value_)
#define LEVEL(value_) RS_LOG(level, "level %d", value_)
#define TEXT(value_) RS_TEXT(RS_LEVEL_INFO, std::to_string(value_))
#define FORMAT(value_) RS_FMT_RUNTIME(RS_LEVEL_INFO, std::string("format {}"), value_)
#define SPDLOG(value_) SPDLOG_INFO("spdlog {}", value_)
#define QUILL(value_) LOG_INFO(logger, "quill {}", value_)
#define GLOG(value_) LOG(INFO) << "glog " << value_
#define NANOLOG(value_) NANO_LOG(NOTICE, "nanolog %d", value_)

#define FUNCTIONS(style_, statement_)                                               \
  void style_##_every_n(int value) {                                                \
    RS_EVERY_N(3, statement_(value));                                               \
  }                                                                                 \
  void style_##_first_n(int value) {                                                \
    RS_FIRST_N(2, statement_(value));                                               \
  }                                                                                 \
  void style_##_once(int value) {                                                   \
    RS_ONCE(statement_(value));                                                     \
  }                                                                                 \
  void style_##_every_ms(int value) {                                               \
    RS_EVERY_MS(86'400'000, statement_(value));                                     \
  }                                                                                 \
  void style_##_if_even(int value) {                                                \
    RS_IF(value % 2 == 0, statement_(value));                                       \
  }                                                                                 \
  void style_##_nested(int value) {                                                 \
    RS_IF(value != 0, RS_EVERY_N(2, RS_FIRST_N(2, statement_(value))));             \
  }                                                                                 \
  void style_##_of_category(int value) {                                            \
    RS_WITH_CATEGORY("own", RS_EVERY_N(3, RS_WITH_KEYWORDS(6, statement_(value)))); \
  }
FUNCTIONS(brace, BRACE)
FUNCTIONS(event, EVENT)
FUNCTIONS(stream, STREAM)
FUNCTIONS(netlogger, NETLOGGER)
FUNCTIONS(level, LEVEL)
FUNCTIONS(text, TEXT)
FUNCTIONS(format, FORMAT)
FUNCTIONS(spdlog, SPDLOG)
FUNCTIONS(quill, QUILL)
FUNCTIONS(glog, GLOG)
FUNCTIONS(nanolog, NANOLOG)

#define EACH_STYLE(macro_)                                                                      \
  macro_(brace, BRACE) macro_(event, EVENT) macro_(stream, STREAM) macro_(netlogger, NETLOGGER) \
      macro_(level, LEVEL) macro_(text, TEXT) macro_(format, FORMAT) macro_(spdlog, SPDLOG)     \
          macro_(quill, QUILL) macro_(glog, GLOG) macro_(nanolog, NANOLOG)
#define IN_FILE(style_, statement_)  \
  void style_##_of_file(int value) { \
    statement_(value);               \
  }
#define REMOVED(style_, statement_)  \
  void style_##_removed(int value) { \
    statement_(++value);             \
  }
#define RS_CATEGORY "file"
#define RS_KEYWORDS 0x8000000000000001
EACH_STYLE(IN_FILE)
#undef RS_CATEGORY
#undef RS_KEYWORDS
#define RS_MIN_LEVEL RS_LEVEL_ERROR
EACH_STYLE(REMOVED)
#undef RS_MIN_LEVEL

}  // namespace

#define TABLE(style_, statement_)                                                                 \
  {#style_,          style_##_every_n, style_##_first_n,     style_##_once,    style_##_every_ms, \
   style_##_if_even, style_##_nested,  style_##_of_category, style_##_of_file, style_##_removed},
const GatedStyle gated_styles[] = {EACH_STYLE(TABLE)};

// A macro that leaves no braces cannot silence -Wshadow.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
void glog_gate_in_gate(int value) {
  RS_IF(value % 2 == 0, LOG_EVERY_N(INFO, 2) << "glog " << value);
}
#pragma GCC diagnostic pop
void quill_gate_in_gate(int value) {
  RS_IF(value % 2 == 0, LOG_INFO_LIMIT_EVERY_N(2, logger, "quill {}", value));
}

void prepare_gated_styles() {
  logger = quill::Frontend::create_or_get_logger(
      "root", quill::Frontend::create_or_get_sink<quill::ConsoleSink>("console"));
}

}  // namespace ringside::test
