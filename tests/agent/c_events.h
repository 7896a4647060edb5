#ifndef RINGSIDE_TESTS_AGENT_C_EVENTS_H
#define RINGSIDE_TESTS_AGENT_C_EVENTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct c_order {
  unsigned qty;
  const char* side;
};

void c_record_fill(double px, const struct c_order* order);
void c_record_types(const char* text, const unsigned char* octets, size_t size);
void c_record_constants(void);
void c_record_bare(void);
void c_record_large(const char* text, size_t size);
void c_record_many(void);
int c_record_counted(int* count);

#ifdef __cplusplus
}
#endif

#endif
