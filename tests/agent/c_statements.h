#ifndef RINGSIDE_TESTS_AGENT_C_STATEMENTS_H
#define RINGSIDE_TESTS_AGENT_C_STATEMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

void c_log_integers(void);
void c_log_bit_fields(void);
void c_log_short_integers(void);
void c_log_signs(void);
void c_log_floats(void);
void c_log_texts_by_format(const char* unterminated);
void c_log_texts_without_end(const char* text);
void c_log_text(const char* text);
void c_log_address(const char* text);
void c_log_others(void);
void c_log_consumer_clock(int value);
void c_log_null(const char* null_text);
void c_log_large(const char* text);
void c_log_thirty_two(void);
int c_log_counted(int* count);
void c_never_called(int value);
int c_init_for_group(const char* service, unsigned mode, const char* group);
int c_init_of_all_options(const char* shm_dir);

#ifdef __cplusplus
}
#endif

#endif
