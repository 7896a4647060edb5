// The same arguments in every style, for callgrind to count.

#include <cstdio>
#include <string_view>

#include <ringside/event.hpp>
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>
#include <ringside/span.hpp>
#include <ringside/stream.hpp>

#include "tests/instruction-counts/counted_statement.hpp"

using namespace ringside::test;

namespace {

enum class Side { buy = 1, sell };

void count_two_integers() {
  count(
      "named_two_integers", []() __attribute__((always_inline)) {
        RS_FMT_INFO("{used} bytes used, {free} bytes free", RS_NAMED("used", opaque(1032024U)),
                    RS_NAMED("free", opaque(1016544U)));
      });
  count(
      "event_two_integers", []() __attribute__((always_inline)) {
        RS_EVENT(INFO, "buffer", RS_NAMED("used", opaque(1032024U)),
                 RS_NAMED("free", opaque(1016544U)));
      });
  count(
      "event_two_integers_and_constant", []() __attribute__((always_inline)) {
        RS_EVENT(INFO, "buffer.of", RS_NAMED("used", opaque(1032024U)), RS_NAMED("of", "replica"),
                 RS_NAMED("free", opaque(1016544U)));
      });
  count(
      "event_integer_and_enumeration", []() __attribute__((always_inline)) {
        RS_EVENT(INFO, "fill", RS_NAMED("qty", opaque(1032024U)),
                 RS_NAMED("side", opaque(Side::buy)));
      });
}

void count_string() {
  constexpr const char* kPlace = "basic+udp:host=192.168.1.140,port=12246";
  count(
      "brace_string", []() __attribute__((always_inline)) {
        RS_FMT_INFO("Opened session with coordinator at {}", opaque(kPlace));
      });
  count(
      "event_string", []() __attribute__((always_inline)) {
        RS_EVENT(INFO, "session.opened", RS_NAMED("place", opaque(kPlace)));
      });
  count(
      "stream_string", []() __attribute__((always_inline)) {
        RS_STREAM(INFO) << "Opened session with coordinator at " << opaque(kPlace);
      });
}

void count_spans() {
  count(
      "span_two_integers", []() __attribute__((always_inline)) {
        RS_SPAN("buffer.use", RS_NAMED("used", opaque(1032024U)),
                RS_NAMED("free", opaque(1016544U)));
      });
  count(
      "open_span_two_integers", []() __attribute__((always_inline)) {
        RS_OPEN_SPAN("buffer.open", RS_NAMED("used", opaque(1032024U)),
                     RS_NAMED("free", opaque(1016544U)));
      });
}

void count_switched_off() {
  count(
      "brace_switched_off",
      []() __attribute__((always_inline)) { RS_FMT_INFO("never {}", opaque(1U)); });
  count(
      "event_switched_off",
      []() __attribute__((always_inline)) { RS_EVENT(INFO, "never", opaque(1U)); });
  count(
      "open_span_switched_off",
      []() __attribute__((always_inline)) { RS_OPEN_SPAN("never", opaque(1U)); });
  count(
      "stream_switched_off",
      []() __attribute__((always_inline)) { RS_STREAM(INFO) << "never " << opaque(1U); });
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
  count_two_integers();
  count_string();
  count_spans();
  ringside::set_level(ringside::Level::off);
  count_switched_off();
  return ringside::status().dropped == 0 ? 0 : 1;
}
