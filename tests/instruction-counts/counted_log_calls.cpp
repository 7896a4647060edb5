// Log calls for callgrind to count.

#include <cstdio>

#include <ringside/ringside.hpp>

#include "tests/instruction-counts/counted_statement.hpp"

using namespace ringside::test;

// The program is compiled a second time with each statement as a probe.
#if defined(RINGSIDE_USDT)
#define NAME(name_) "probed_" name_
#else
#define NAME(name_) name_
#endif

int main() {
  ringside::Options options;
  options.ring_bytes = 4U << 20;  // holds all records: no consumer drains them
  ringside::init(options);
  if (!ringside::preallocate()) {
    std::fprintf(stderr, "%s\n", ringside::status().message.c_str());
    return 1;
  }
  count(
      NAME("log_static"), []() __attribute__((always_inline)) {
        RS_INFO("Starting backup replica garbage collector thread");
      });
  count(
      NAME("log_integer"), []() __attribute__((always_inline)) {
        RS_INFO("Backup storage speeds (min): %d MB/s read", opaque(181));
      });
  count(
      NAME("log_two_integers"), []() __attribute__((always_inline)) {
        RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
                opaque(1032024U), opaque(1016544U));
      });
  count(
      NAME("log_double"), []() __attribute__((always_inline)) {
        RS_INFO("Using tombstone ratio balancer with ratio = %0.6lf", opaque(0.4));
      });
  count(
      NAME("log_five_arguments"), []() __attribute__((always_inline)) {
        RS_INFO(
            "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers (%u "
            "MB), "
            "took %0.1lf ms",
            opaque(50000U), opaque(97U), opaque(50U), opaque(0U), opaque(26.2));
      });
  count(
      NAME("log_string"), []() __attribute__((always_inline)) {
        RS_INFO("Opened session with coordinator at %s",
                opaque("basic+udp:host=192.168.1.140,port=12246"));
      });
  count(
      NAME("log_consumer_clock"), []() __attribute__((always_inline)) {
        RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "without a clock %u", opaque(1U));
      });
  {
    ringside::Burst rs_burst;
    count(
        NAME("log_in_burst"),
        []() __attribute__((always_inline)) { RS_INFO("in a burst %u", opaque(1U)); });
  }
  ringside::set_level(ringside::Level::off);
  count(
      NAME("log_switched_off"),
      []() __attribute__((always_inline)) { RS_INFO("never %u", opaque(1U)); });
  return ringside::status().dropped == 0 ? 0 : 1;
}
