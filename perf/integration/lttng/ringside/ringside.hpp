// Replaces Ringside's header when kvd is built with LTTng-UST: the same statements as typed
// tracepoints. The text stays in the program, as it would with handwritten tracepoints for kvd; a
// number identifies the statement.
#pragma once

#include <cstdint>
#include <string_view>

#include <kvd_tracepoint_calls.hpp>

#include "perf/integration/placeholders.hpp"

namespace ringside::perf {

consteval std::uint32_t statement_number(std::string_view file, std::uint32_t line) {
  std::uint32_t hash = 2166136261U;
  for (const char c : file) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash ^ line;
}

template <class Source, class... Arguments>
void fire_tracepoint(std::uint32_t statement, Arguments... arguments) {
  PrintfFormat<Source>::with_values(
      [statement](auto... values) { Tracepoint<decltype(values)...>::fire(statement, values...); },
      arguments...);
}

}  // namespace ringside::perf

#define RS_LTTNG_(...)                                                                 \
  do {                                                                                 \
    struct RsSource {                                                                  \
      static constexpr std::string_view text() { return "" RS_FIRST_(__VA_ARGS__, ); } \
    };                                                                                 \
    ::ringside::perf::fire_tracepoint<RsSource>(                                       \
        ::ringside::perf::statement_number(__FILE__, __LINE__) RS_REST_(__VA_ARGS__)); \
  } while (0)
#define RS_FIRST_(first, ...) first
#define RS_REST_(first, ...) __VA_OPT__(, ) __VA_ARGS__

#define RS_TRACE(...) RS_LTTNG_(__VA_ARGS__)
#define RS_DEBUG(...) RS_LTTNG_(__VA_ARGS__)
#define RS_INFO(...) RS_LTTNG_(__VA_ARGS__)
#define RS_NOTICE(...) RS_LTTNG_(__VA_ARGS__)
#define RS_WARNING(...) RS_LTTNG_(__VA_ARGS__)
#define RS_ERROR(...) RS_LTTNG_(__VA_ARGS__)
#define RS_CRITICAL(...) RS_LTTNG_(__VA_ARGS__)
