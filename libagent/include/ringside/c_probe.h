/* The probe of a C statement: usdt_note.h. With RINGSIDE_USDT defined, each statement has one: see
 * log.hpp. */
#ifndef RINGSIDE_C_PROBE_H
#define RINGSIDE_C_PROBE_H

#if !defined(RINGSIDE_USDT)
#define RS_PROBE_STATEMENT_(count_)
#else
/* `count_`: as RS_ARGUMENT_COUNT_ gives it. */
#define RS_PROBE_STATEMENT_(count_) RS_PROBE_IN_(RS_HIGH_ count_, RS_LOW_ count_)
#define RS_PROBE_IN_(high, low) RS_PROBE_NOW_(high, low)
#define RS_PROBE_NOW_(high, low) RS_PROBE_SIXTEENS_##high(low)

#include "usdt_note.h"

/* Integers and pointers as they are. Of others, which readers cannot take, a 0. */
#define RS_PROBE_IS_SCALAR_(value_) (__builtin_classify_type(value_) <= 5)
#define RS_PROBE_VALUE_(n) \
  __builtin_choose_expr(RS_PROBE_IS_SCALAR_(rs_value_##n##_), rs_value_##n##_, 0)
/* The size, above 0 for a type with a sign. */
#define RS_PROBE_NUMBER_(n) \
  __builtin_choose_expr(__builtin_classify_type(rs_value_##n##_) < 5, rs_value_##n##_, 0U)
#define RS_PROBE_SIZE_(n)                                                                        \
  (((__typeof__(RS_PROBE_NUMBER_(n)))-1 < 1 || !RS_PROBE_IS_SCALAR_(rs_value_##n##_) ? 1 : -1) * \
   (int)sizeof RS_PROBE_VALUE_(n)) /* NOLINT(bugprone-sizeof-expression) */
#define RS_PROBE_OPERAND_(n) \
  [rs_s##n] "n"(RS_PROBE_SIZE_(n)), [rs_a##n] RS_PROBE_PLACE_(RS_PROBE_VALUE_(n))

#define RS_PROBE_(texts_, ...)                                                                \
  __asm__ __volatile__(RS_PROBE_BEGIN_ RS_PROBE_NAME_ ".asciz \"" texts_ "\"\n" RS_PROBE_END_ \
                       :                                                                      \
                       : __VA_ARGS__);

/* rs_value_N_ has N - 1 others after it. */
#define RS_PROBE_TEXTS_1 RS_PROBE_ARGUMENT_(0x01)
#define RS_PROBE_TEXTS_2 RS_PROBE_ARGUMENT_(0x02) " " RS_PROBE_TEXTS_1
#define RS_PROBE_TEXTS_3 RS_PROBE_ARGUMENT_(0x03) " " RS_PROBE_TEXTS_2
#define RS_PROBE_TEXTS_4 RS_PROBE_ARGUMENT_(0x04) " " RS_PROBE_TEXTS_3
#define RS_PROBE_TEXTS_5 RS_PROBE_ARGUMENT_(0x05) " " RS_PROBE_TEXTS_4
#define RS_PROBE_TEXTS_6 RS_PROBE_ARGUMENT_(0x06) " " RS_PROBE_TEXTS_5
#define RS_PROBE_TEXTS_7 RS_PROBE_ARGUMENT_(0x07) " " RS_PROBE_TEXTS_6
#define RS_PROBE_TEXTS_8 RS_PROBE_ARGUMENT_(0x08) " " RS_PROBE_TEXTS_7
#define RS_PROBE_TEXTS_9 RS_PROBE_ARGUMENT_(0x09) " " RS_PROBE_TEXTS_8
#define RS_PROBE_TEXTS_A RS_PROBE_ARGUMENT_(0x0A) " " RS_PROBE_TEXTS_9
#define RS_PROBE_TEXTS_B RS_PROBE_ARGUMENT_(0x0B) " " RS_PROBE_TEXTS_A
#define RS_PROBE_TEXTS_C RS_PROBE_ARGUMENT_(0x0C) " " RS_PROBE_TEXTS_B
#define RS_PROBE_OPERANDS_1 RS_PROBE_OPERAND_(0x01)
#define RS_PROBE_OPERANDS_2 RS_PROBE_OPERAND_(0x02), RS_PROBE_OPERANDS_1
#define RS_PROBE_OPERANDS_3 RS_PROBE_OPERAND_(0x03), RS_PROBE_OPERANDS_2
#define RS_PROBE_OPERANDS_4 RS_PROBE_OPERAND_(0x04), RS_PROBE_OPERANDS_3
#define RS_PROBE_OPERANDS_5 RS_PROBE_OPERAND_(0x05), RS_PROBE_OPERANDS_4
#define RS_PROBE_OPERANDS_6 RS_PROBE_OPERAND_(0x06), RS_PROBE_OPERANDS_5
#define RS_PROBE_OPERANDS_7 RS_PROBE_OPERAND_(0x07), RS_PROBE_OPERANDS_6
#define RS_PROBE_OPERANDS_8 RS_PROBE_OPERAND_(0x08), RS_PROBE_OPERANDS_7
#define RS_PROBE_OPERANDS_9 RS_PROBE_OPERAND_(0x09), RS_PROBE_OPERANDS_8
#define RS_PROBE_OPERANDS_A RS_PROBE_OPERAND_(0x0A), RS_PROBE_OPERANDS_9
#define RS_PROBE_OPERANDS_B RS_PROBE_OPERAND_(0x0B), RS_PROBE_OPERANDS_A
#define RS_PROBE_OPERANDS_C RS_PROBE_OPERAND_(0x0C), RS_PROBE_OPERANDS_B
/* The first 12 of more. */
#define RS_PROBE_FOUR_TEXTS_(a, b, c, d) \
  RS_PROBE_ARGUMENT_(a)                  \
  " " RS_PROBE_ARGUMENT_(b) " " RS_PROBE_ARGUMENT_(c) " " RS_PROBE_ARGUMENT_(d)
#define RS_PROBE_FOUR_OPERANDS_(a, b, c, d) \
  RS_PROBE_OPERAND_(a), RS_PROBE_OPERAND_(b), RS_PROBE_OPERAND_(c), RS_PROBE_OPERAND_(d)
#define RS_PROBE_FIRST_(a, b, c, d, e, f, g, h, i, j, k, l)                           \
  RS_PROBE_(RS_PROBE_FOUR_TEXTS_(a, b, c, d) " " RS_PROBE_FOUR_TEXTS_(                \
                e, f, g, h) " " RS_PROBE_FOUR_TEXTS_(i, j, k, l),                     \
            RS_PROBE_FOUR_OPERANDS_(a, b, c, d), RS_PROBE_FOUR_OPERANDS_(e, f, g, h), \
            RS_PROBE_FOUR_OPERANDS_(i, j, k, l))

/* By the number of arguments: up to 15, and more. */
#define RS_PROBE_SIXTEENS_X(low)
#define RS_PROBE_SIXTEENS_0(low) RS_PROBE_UP_TO_15_##low
#define RS_PROBE_SIXTEENS_1(low) RS_PROBE_FROM_##low(1, 0)
#define RS_PROBE_SIXTEENS_2(low) RS_PROBE_FROM_##low(2, 1)
#define RS_PROBE_SIXTEENS_3(low) RS_PROBE_FROM_##low(3, 2)
#define RS_PROBE_SIXTEENS_4(low) RS_PROBE_FROM_##low(4, 3)
#define RS_PROBE_SIXTEENS_5(low) RS_PROBE_FROM_##low(5, 4)
#define RS_PROBE_SIXTEENS_6(low) RS_PROBE_FROM_##low(6, 5)
#define RS_PROBE_SIXTEENS_7(low) RS_PROBE_FROM_##low(7, 6)
#define RS_PROBE_SIXTEENS_8(low) RS_PROBE_FROM_##low(8, 7)
#define RS_PROBE_SIXTEENS_9(low) RS_PROBE_FROM_##low(9, 8)
#define RS_PROBE_SIXTEENS_A(low) RS_PROBE_FROM_##low(A, 9)
#define RS_PROBE_SIXTEENS_B(low) RS_PROBE_FROM_##low(B, A)
#define RS_PROBE_SIXTEENS_C(low) RS_PROBE_FROM_##low(C, B)
#define RS_PROBE_SIXTEENS_D(low) RS_PROBE_FROM_##low(D, C)
#define RS_PROBE_SIXTEENS_E(low) RS_PROBE_FROM_##low(E, D)
#define RS_PROBE_SIXTEENS_F(low) RS_PROBE_FROM_##low(F, E)
#define RS_PROBE_UP_TO_15_Z RS_PROBE_ALONE_;
#define RS_PROBE_UP_TO_15_1 RS_PROBE_(RS_PROBE_TEXTS_1, RS_PROBE_OPERANDS_1)
#define RS_PROBE_UP_TO_15_2 RS_PROBE_(RS_PROBE_TEXTS_2, RS_PROBE_OPERANDS_2)
#define RS_PROBE_UP_TO_15_3 RS_PROBE_(RS_PROBE_TEXTS_3, RS_PROBE_OPERANDS_3)
#define RS_PROBE_UP_TO_15_4 RS_PROBE_(RS_PROBE_TEXTS_4, RS_PROBE_OPERANDS_4)
#define RS_PROBE_UP_TO_15_5 RS_PROBE_(RS_PROBE_TEXTS_5, RS_PROBE_OPERANDS_5)
#define RS_PROBE_UP_TO_15_6 RS_PROBE_(RS_PROBE_TEXTS_6, RS_PROBE_OPERANDS_6)
#define RS_PROBE_UP_TO_15_7 RS_PROBE_(RS_PROBE_TEXTS_7, RS_PROBE_OPERANDS_7)
#define RS_PROBE_UP_TO_15_8 RS_PROBE_(RS_PROBE_TEXTS_8, RS_PROBE_OPERANDS_8)
#define RS_PROBE_UP_TO_15_9 RS_PROBE_(RS_PROBE_TEXTS_9, RS_PROBE_OPERANDS_9)
#define RS_PROBE_UP_TO_15_A RS_PROBE_(RS_PROBE_TEXTS_A, RS_PROBE_OPERANDS_A)
#define RS_PROBE_UP_TO_15_B RS_PROBE_(RS_PROBE_TEXTS_B, RS_PROBE_OPERANDS_B)
#define RS_PROBE_UP_TO_15_C RS_PROBE_(RS_PROBE_TEXTS_C, RS_PROBE_OPERANDS_C)
#define RS_PROBE_UP_TO_15_D RS_PROBE_FROM_D(0, 0)
#define RS_PROBE_UP_TO_15_E RS_PROBE_FROM_E(0, 0)
#define RS_PROBE_UP_TO_15_F RS_PROBE_FROM_F(0, 0)
/* `low`: the digit before `high`. */
#define RS_PROBE_FROM_0(high, low)                                                         \
  RS_PROBE_FIRST_(0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D, 0x##low##C, 0x##low##B, \
                  0x##low##A, 0x##low##9, 0x##low##8, 0x##low##7, 0x##low##6, 0x##low##5)
#define RS_PROBE_FROM_1(high, low)                                                          \
  RS_PROBE_FIRST_(0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D, 0x##low##C, \
                  0x##low##B, 0x##low##A, 0x##low##9, 0x##low##8, 0x##low##7, 0x##low##6)
#define RS_PROBE_FROM_2(high, low)                                                           \
  RS_PROBE_FIRST_(0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D, \
                  0x##low##C, 0x##low##B, 0x##low##A, 0x##low##9, 0x##low##8, 0x##low##7)
#define RS_PROBE_FROM_3(high, low)                                                            \
  RS_PROBE_FIRST_(0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E, \
                  0x##low##D, 0x##low##C, 0x##low##B, 0x##low##A, 0x##low##9, 0x##low##8)
#define RS_PROBE_FROM_4(high, low)                                                             \
  RS_PROBE_FIRST_(0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F, \
                  0x##low##E, 0x##low##D, 0x##low##C, 0x##low##B, 0x##low##A, 0x##low##9)
#define RS_PROBE_FROM_5(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0, \
                  0x##low##F, 0x##low##E, 0x##low##D, 0x##low##C, 0x##low##B, 0x##low##A)
#define RS_PROBE_FROM_6(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1, \
                  0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D, 0x##low##C, 0x##low##B)
#define RS_PROBE_FROM_7(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2, \
                  0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D, 0x##low##C)
#define RS_PROBE_FROM_8(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##8, 0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3, \
                  0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E, 0x##low##D)
#define RS_PROBE_FROM_9(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##9, 0x##high##8, 0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4, \
                  0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F, 0x##low##E)
#define RS_PROBE_FROM_A(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##A, 0x##high##9, 0x##high##8, 0x##high##7, 0x##high##6, 0x##high##5, \
                  0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0, 0x##low##F)
#define RS_PROBE_FROM_B(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##B, 0x##high##A, 0x##high##9, 0x##high##8, 0x##high##7, 0x##high##6, \
                  0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1, 0x##high##0)
#define RS_PROBE_FROM_C(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##C, 0x##high##B, 0x##high##A, 0x##high##9, 0x##high##8, 0x##high##7, \
                  0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2, 0x##high##1)
#define RS_PROBE_FROM_D(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##D, 0x##high##C, 0x##high##B, 0x##high##A, 0x##high##9, 0x##high##8, \
                  0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3, 0x##high##2)
#define RS_PROBE_FROM_E(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##E, 0x##high##D, 0x##high##C, 0x##high##B, 0x##high##A, 0x##high##9, \
                  0x##high##8, 0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4, 0x##high##3)
#define RS_PROBE_FROM_F(high, low)                                                              \
  RS_PROBE_FIRST_(0x##high##F, 0x##high##E, 0x##high##D, 0x##high##C, 0x##high##B, 0x##high##A, \
                  0x##high##9, 0x##high##8, 0x##high##7, 0x##high##6, 0x##high##5, 0x##high##4)

#endif /* RINGSIDE_USDT */

#endif
