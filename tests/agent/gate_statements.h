/* Statements with gates. The same source is compiled as C11, C++17 and C++20. */
#ifndef RINGSIDE_TESTS_AGENT_GATE_STATEMENTS_H
#define RINGSIDE_TESTS_AGENT_GATE_STATEMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

struct gate_statements {
  const char* language; /* the formats begin with it */
  void (*every_ten)(int value);
  void (*every_one)(int value);
  void (*first)(int limit, int value);
  void (*once)(int value);
  void (*every_ms)(long long period_ms, int value);
  void (*if_true)(int condition, int value);
  void (*nested)(int condition, int value);
  void (*unbraced)(int condition, int value);
  int (*counts_evaluations)(int condition);
};

extern const struct gate_statements c11_gates;
extern const struct gate_statements cpp17_gates;
extern const struct gate_statements cpp20_gates;

#ifdef __cplusplus
}
#endif

#endif
