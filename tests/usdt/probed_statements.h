/* The parts of the probed program in other languages. */
#ifndef RINGSIDE_PROBED_STATEMENTS_H
#define RINGSIDE_PROBED_STATEMENTS_H

#ifdef __cplusplus
extern "C" {
#endif
void log_in_other_file(void);
void log_in_c(void);
void log_in_cpp11(void);
#ifdef __cplusplus
}
#endif

#endif
