// Replaces Ringside's header when kvd is built with spdlog: the same statements, with the formats
// that a user of spdlog would have written.
#pragma once

#include "perf/integration/placeholders.hpp"
#include "perf/integration/spdlog/async_log.hpp"

#define RS_SPDLOG_(level_, ...)                                                         \
  do {                                                                                  \
    struct RsSource {                                                                   \
      static constexpr std::string_view text() { return "" RS_FIRST_(__VA_ARGS__, ); }  \
    };                                                                                  \
    ::ringside::perf::log_async<RsSource>(spdlog::level::level_ RS_REST_(__VA_ARGS__)); \
  } while (0)
#define RS_FIRST_(first, ...) first
#define RS_REST_(first, ...) __VA_OPT__(, ) __VA_ARGS__

#define RS_TRACE(...) RS_SPDLOG_(trace, __VA_ARGS__)
#define RS_DEBUG(...) RS_SPDLOG_(debug, __VA_ARGS__)
#define RS_INFO(...) RS_SPDLOG_(info, __VA_ARGS__)
#define RS_NOTICE(...) RS_SPDLOG_(info, __VA_ARGS__)
#define RS_WARNING(...) RS_SPDLOG_(warn, __VA_ARGS__)
#define RS_ERROR(...) RS_SPDLOG_(err, __VA_ARGS__)
#define RS_CRITICAL(...) RS_SPDLOG_(critical, __VA_ARGS__)
