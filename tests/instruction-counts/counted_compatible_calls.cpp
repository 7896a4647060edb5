// Statements of other libraries' macros for callgrind to count, and those of Ringside with the same
// arguments.

#include <cstdio>
#include <string_view>

#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_DEBUG

#include <ringside/compat/glog.hpp>
#include <ringside/compat/nanolog.hpp>
#include <ringside/compat/quill.hpp>
#include <ringside/compat/spdlog.hpp>
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>

#include "tests/instruction-counts/counted_statement.hpp"

using namespace ringside::test;

namespace {

void count_brace_style() {
  count(
      "brace_two_integers", []() __attribute__((always_inline)) {
        RS_FMT_INFO("Buffer has consumed {} bytes of extra storage, current allocation: {} bytes",
                    opaque(1032024U), opaque(1016544U));
      });
  count(
      "spdlog_two_integers", []() __attribute__((always_inline)) {
        SPDLOG_INFO("Buffer has consumed {} bytes of extra storage, current allocation: {} bytes",
                    opaque(1032024U), opaque(1016544U));
      });
  const std::string_view name = opaque("root");
  count(
      "brace_two_integers_and_name", [name]() __attribute__((always_inline)) {
        RS_FMT_INFO("Buffer has consumed {} bytes of extra storage, {} bytes for {}",
                    opaque(1032024U), opaque(1016544U), name);
      });
  quill::Logger* const quill_logger = quill::Frontend::create_or_get_logger("root");
  count(
      "quill_two_integers", [quill_logger]() __attribute__((always_inline)) {
        LOG_INFO(quill_logger, "Buffer has consumed {} bytes of extra storage, {} bytes",
                 opaque(1032024U), opaque(1016544U));
      });
  const auto spdlog_logger = spdlog::stdout_color_mt("root");
  count(
      "spdlog_logger_two_integers", [&spdlog_logger]() __attribute__((always_inline)) {
        SPDLOG_LOGGER_INFO(spdlog_logger, "Buffer has consumed {} bytes of extra storage, {} bytes",
                           opaque(1032024U), opaque(1016544U));
      });
  count(
      "spdlog_below_its_level", [&spdlog_logger]() __attribute__((always_inline)) {
        SPDLOG_LOGGER_DEBUG(spdlog_logger, "never {}", opaque(1U));
      });
}

void count_printf_style() {
  count(
      "nanolog_two_integers", []() __attribute__((always_inline)) {
        NANO_LOG(NOTICE,
                 "Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
                 opaque(1032024U), opaque(1016544U));
      });
}

void count_stream_style() {
  count(
      "stream_two_integers", []() __attribute__((always_inline)) {
        RS_STREAM(INFO) << "Buffer has consumed " << opaque(1032024U)
                        << " bytes of extra storage, current allocation: " << opaque(1016544U);
      });
  count(
      "glog_two_integers", []() __attribute__((always_inline)) {
        LOG(INFO) << "Buffer has consumed " << opaque(1032024U)
                  << " bytes of extra storage, current allocation: " << opaque(1016544U);
      });
}

}  // namespace

int main() {
  ringside::Options options;
  options.ring_bytes = 4U << 20;  // holds all records: no consumer drains them
  ringside::init(options);
  if (!ringside::preallocate()) {
    std::fprintf(stderr, "%s\n", ringside::status().message.c_str());
    return 1;
  }
  count_brace_style();
  count_printf_style();
  count_stream_style();
  return ringside::status().dropped == 0 ? 0 : 1;
}
