// Log calls for callgrind to count: one dump per statement, named after it, with kCalls calls.

#include <cstdio>

#include <ringside/ringside.hpp>
#include <valgrind/callgrind.h>

namespace {

constexpr int kCalls = 1000;

// Makes arguments opaque to the compiler, as they are in a service.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}
double opaque(double value) {
  asm volatile("" : "+x"(value));
  return value;
}

// The statement is inlined into the loop, as in a service's own function.
template <class Call>
[[gnu::noinline]] void repeat(const Call& call) {
  for (int i = 0; i < kCalls; ++i) call();
}

template <class Call>
void count(const char* name, const Call& call) {
  call();  // registers the statement
  CALLGRIND_ZERO_STATS;
  repeat(call);
  CALLGRIND_DUMP_STATS_AT(name);
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
  count(
      "log_static", []() __attribute__((always_inline)) {
        RS_INFO("Starting backup replica garbage collector thread");
      });
  count(
      "log_integer", []() __attribute__((always_inline)) {
        RS_INFO("Backup storage speeds (min): %d MB/s read", opaque(181));
      });
  count(
      "log_two_integers", []() __attribute__((always_inline)) {
        RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
                opaque(1032024U), opaque(1016544U));
      });
  count(
      "log_double", []() __attribute__((always_inline)) {
        RS_INFO("Using tombstone ratio balancer with ratio = %0.6lf", opaque(0.4));
      });
  count(
      "log_five_arguments", []() __attribute__((always_inline)) {
        RS_INFO(
            "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers (%u "
            "MB), "
            "took %0.1lf ms",
            opaque(50000U), opaque(97U), opaque(50U), opaque(0U), opaque(26.2));
      });
  count(
      "log_string", []() __attribute__((always_inline)) {
        RS_INFO("Opened session with coordinator at %s",
                opaque("basic+udp:host=192.168.1.140,port=12246"));
      });
  count(
      "log_consumer_clock", []() __attribute__((always_inline)) {
        RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "without a clock %u", opaque(1U));
      });
  ringside::set_level(ringside::Level::off);
  count(
      "log_switched_off", []() __attribute__((always_inline)) { RS_INFO("never %u", opaque(1U)); });
  return ringside::status().dropped == 0 ? 0 : 1;
}
