/* Statements of the C front end. */
#include "tests/agent/c_statements.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libagent/include/ringside/ringside.h"

void c_log_integers(void) {
  const bool flag = true;
  const char letter = 'c';
  const short small = -2;
  const unsigned char octet = 200;
  RS_INFO("c %d %c %hd %hhu", flag, letter, small, octet);
  RS_INFO("c %ld %lu %lld %llx", -3L, 4UL, -5LL, 6ULL);
  RS_INFO("c %zu %jd %td", (size_t)7, (intmax_t)-8, (ptrdiff_t)9);
  RS_INFO("c %u %x %o %i", 4000000000U, 255U, 8U, -1);
}

void c_log_bit_fields(void) {
  enum __attribute__((packed)) small { kNone, kTwo = 2 };
  const struct {
    unsigned type : 3;
    int offset : 5;
    bool is_set : 1;
    unsigned char octet : 4;
    enum small small : 2;
  } bits = {5, -3, true, 9, kTwo};
  const enum small small = kTwo;
  RS_INFO("c %u %d %d %u %u %d", bits.type, bits.offset, bits.is_set, bits.octet, bits.small,
          small);
}

void c_log_short_integers(void) {
  const signed char small = -1;
  const unsigned char octet = 200;
  const short number = -300;
  const unsigned short port = 60000;
  const char letter = 'x';
  RS_INFO("c promoted %d %u %d %u %x", small, octet, number, port, small);
  RS_INFO("c own %hhd %hhu %hd %hu %c", small, octet, number, port, letter);
  RS_INFO("c both %hu %u %c %d", port, port, letter, letter);
  RS_INFO("c cut %c %d", 0x141, 7);
}

void c_log_signs(void) {
  RS_INFO("c %x %d %lx", -1, 4000000000U, -1L);
}

void c_log_floats(void) {
  const float half = 0.5F;
  RS_INFO("c %f %g %s %f", half, (double)half, "text", -half);
}

void c_log_texts_by_format(const char* unterminated) {
  char text[] = "text";
  RS_INFO("c %.3s %.*s %s", unterminated, 2, unterminated, text);
  RS_INFO("c %s %d %s", text, 7, "");
}

void c_log_texts_without_end(const char* text) {
  RS_INFO("c %.3s %.*s", text, 2, text);
}

void c_log_text(const char* text) {
  RS_INFO("c %s", text);
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-pedantic"
#endif
void c_log_address(const char* text) {
  RS_INFO("c address %p", text);
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

void c_log_others(void) {
  char buffer[] = "buffer";
  RS_INFO("c %f %g %Lf", 0.5, (double)1.5f, 2.25L);
  RS_INFO("c %s %.3s %*d %.*s", buffer, "abcdef", 5, 6, 2, "xyz");
  RS_INFO("c %ls %lc %p", (const wchar_t*)L"w\u00e4", L'\u00e9', (void*)0);
  RS_INFO("c 100%%");
}

void c_log_consumer_clock(int value) {
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "c by the consumer %d", value);
}

void c_log_null(const char* null_text) {
  RS_INFO("c %s %.5s %.6s", null_text, null_text, null_text);
}

void c_log_large(const char* text) {
  RS_INFO("c large %s %d", text, 1);
}

void c_log_thirty_two(void) {
  RS_INFO("c %d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7,
          8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
          31, 32);
}

int c_log_counted(int* count) {
  RS_INFO("c counted %d", ++*count);
  return *count;
}

void c_never_called(int value) {
  RS_ERROR("c never executed %d", value + 1);
}

int c_init_for_group(const char* service, unsigned mode, const char* group) {
  const struct rs_options options = {
      .struct_bytes = sizeof options, .service = service, .mode = mode, .group = group};
  return rs_init_with(&options);
}

int c_init_of_all_options(const char* shm_dir) {
  const struct rs_options options = {.struct_bytes = sizeof options,
                                     .service = "from-c",
                                     .shm_dir = shm_dir,
                                     .ring_bytes = 1 << 17,
                                     .max_threads = 7,
                                     .block_timeout_ms = 33,
                                     .cost_sampling = 512,
                                     .overflow = RS_OVERFLOW_DROP,
                                     .level = RS_LEVEL_ERROR,
                                     .consumer_clock = 1};
  return rs_init_with(&options);
}
