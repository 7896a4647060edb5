#ifndef RINGSIDE_PERF_C_CALLS_H
#define RINGSIDE_PERF_C_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

struct perf_c_calls {
  void (*static_text)(void);
  void (*two_integers)(unsigned first, unsigned second);
  void (*five_arguments)(unsigned first, unsigned second, const char* text, unsigned third,
                         double fourth);
};
extern const struct perf_c_calls perf_calls_in_c;
extern const struct perf_c_calls perf_calls_in_cpp;

#ifdef __cplusplus
}
#endif

#endif
