// Statements compiled as C++11.
#include "tests/agent/older_statements.h"

#include <stddef.h>

#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/ringside.h"

static_assert(__cplusplus < 201703L, "the macros of C++17 are others");

namespace {

enum Color { kRed, kGreen };
struct Bits {
  unsigned type : 3;
  bool is_set : 1;
};

template <class T>
void log_in_template(T value) {
  RS_INFO("older template %d", value);
}

}  // namespace

void older_log_integers() {
  const Bits bits = {5, true};
  const char letter = 'c';
  const short small = -2;
  const unsigned char octet = 200;
  RS_INFO("older %u %d %d %c %hd %hhu", bits.type, bits.is_set, kGreen, letter, small, octet);
  RS_INFO("older %ld %lu %lld %llx %zu", -3L, 4UL, -5LL, 6ULL, sizeof letter);
  RS_INFO("older %x %d", -1, 4000000000U);
}

void older_log_others(const char* unterminated) {
  char buffer[] = "buffer";
  const float half = 0.5F;
  RS_INFO("older %f %g %Lf %p", half, 1.5, 2.25L, static_cast<void*>(nullptr));
  RS_INFO("older %s %.3s %*d %.*s %ls", buffer, unterminated, 5, 6, 2, unterminated, L"w\u00e4");
  RS_INFO("older 100%%");
}

void older_log_everywhere(int value) {
  RS_LOG(RS_LEVEL_ERROR, "older error %d", value);
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "older by the consumer %d", value);
  const auto lambda = [](int argument) { RS_INFO("older lambda %d", argument); };
  lambda(value);
  log_in_template(value);
  log_in_template(static_cast<short>(value));
  RS_NETLOGGER_WRITE("older.event", "Const=3", "Var=%d", value);
}

int older_log_counted(int* count) {
  RS_INFO("older counted %d", ++*count);
  return *count;
}

void older_log_null(const char* null_text) {
  RS_INFO("older %s", null_text);
}

void older_log_large(const char* text) {
  RS_INFO("older large %s %d", text, 1);
}

void older_log_thirty_two() {
  RS_INFO("older %d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5,
          6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
          29, 30, 31, 32);
}

void older_never_called(int value) {
  RS_ERROR("older never executed %d", value + 1);
}
