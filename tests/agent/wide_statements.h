/* Statements of C with many fields. */
#ifndef RINGSIDE_TESTS_WIDE_STATEMENTS_H
#define RINGSIDE_TESTS_WIDE_STATEMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each records `n` in every field but the last, which is n + 1. */
void c_event_of_64(int n);
void c_event_of_65(int n);
void c_event_of_254(int n);
void c_event_of_255(int n);
/* A message: integers and text in turn, and text at its end. */
void c_message_of_255(int n, const char* text);

#ifdef __cplusplus
}
#endif

#endif
