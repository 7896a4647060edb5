/* Statements with categories and keywords, and such that RS_MIN_LEVEL removes. The same source is
 * compiled as C11, C++17 and C++20. */
#ifndef RINGSIDE_TESTS_AGENT_CATEGORY_STATEMENTS_H
#define RINGSIDE_TESTS_AGENT_CATEGORY_STATEMENTS_H

#ifdef __cplusplus
extern "C" {
#endif

struct category_statements {
  const char* language; /* the formats begin with it */
  void (*log_all)(int value);
  int (*log_removed)(void); /* returns how many arguments were evaluated */
};

extern const struct category_statements c11_categories;
extern const struct category_statements cpp17_categories;
extern const struct category_statements cpp20_categories;

#ifdef __cplusplus
}
#endif

#endif
