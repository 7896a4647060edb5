/* Long lists of arguments, and of conversions in formats. */
#ifndef RINGSIDE_TESTS_REPEATED_H
#define RINGSIDE_TESTS_REPEATED_H

#define TIMES_3(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TIMES_21(...) TIMES_7(TIMES_3(__VA_ARGS__))
#define TIMES_7(...) \
  __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TIMES_63(...) TIMES_21(__VA_ARGS__), TIMES_21(__VA_ARGS__), TIMES_21(__VA_ARGS__)
#define TIMES_64(...) __VA_ARGS__, TIMES_63(__VA_ARGS__)
#define TIMES_127(...) __VA_ARGS__, TIMES_63(__VA_ARGS__), TIMES_63(__VA_ARGS__)
#define TIMES_253(...) TIMES_63(__VA_ARGS__), TIMES_63(__VA_ARGS__), TIMES_127(__VA_ARGS__)
#define TIMES_254(...) __VA_ARGS__, TIMES_253(__VA_ARGS__)

#define TEXT_63(text) \
  TEXT_9(text) TEXT_9(text) TEXT_9(text) TEXT_9(text) TEXT_9(text) TEXT_9(text) TEXT_9(text)
#define TEXT_9(text) text text text text text text text text text
#define TEXT_127(text) text TEXT_63(text) TEXT_63(text)
#define TEXT_254(text) TEXT_127(text) TEXT_127(text)

#endif
