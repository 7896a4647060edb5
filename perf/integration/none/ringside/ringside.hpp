// Replaces Ringside's header when kvd is built without tracing: the compiler checks the statements
// and generates no code for them.
#pragma once

#include <cstdio>

#define RS_NOTHING_(...)                       \
  do {                                         \
    if (false) (void)std::printf(__VA_ARGS__); \
  } while (0)

#define RS_TRACE(...) RS_NOTHING_(__VA_ARGS__)
#define RS_DEBUG(...) RS_NOTHING_(__VA_ARGS__)
#define RS_INFO(...) RS_NOTHING_(__VA_ARGS__)
#define RS_NOTICE(...) RS_NOTHING_(__VA_ARGS__)
#define RS_WARNING(...) RS_NOTHING_(__VA_ARGS__)
#define RS_ERROR(...) RS_NOTHING_(__VA_ARGS__)
#define RS_CRITICAL(...) RS_NOTHING_(__VA_ARGS__)
