/* The arguments of a macro: their number, and a macro applied to each. C11, and C++17 and later. */
#ifndef RINGSIDE_EACH_ARGUMENT_H
#define RINGSIDE_EACH_ARGUMENT_H

#define RS_FIRST_(first, ...) first

/* The number of arguments after the first, up to 255, as two hexadecimal digits in parentheses:
 * (0,Z) for none, (2,F) for 47. (X,X) for 256 to 287. A statement counts once: the list has as many
 * tokens as the rest of a short statement. */
#define RS_ARGUMENT_COUNT_(...)                                                                    \
  RS_COUNT_(                                                                                       \
      __VA_ARGS__, (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), \
      (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X),      \
      (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X), (X, X),      \
      (F, F), (F, E), (F, D), (F, C), (F, B), (F, A), (F, 9), (F, 8), (F, 7), (F, 6), (F, 5),      \
      (F, 4), (F, 3), (F, 2), (F, 1), (F, 0), (E, F), (E, E), (E, D), (E, C), (E, B), (E, A),      \
      (E, 9), (E, 8), (E, 7), (E, 6), (E, 5), (E, 4), (E, 3), (E, 2), (E, 1), (E, 0), (D, F),      \
      (D, E), (D, D), (D, C), (D, B), (D, A), (D, 9), (D, 8), (D, 7), (D, 6), (D, 5), (D, 4),      \
      (D, 3), (D, 2), (D, 1), (D, 0), (C, F), (C, E), (C, D), (C, C), (C, B), (C, A), (C, 9),      \
      (C, 8), (C, 7), (C, 6), (C, 5), (C, 4), (C, 3), (C, 2), (C, 1), (C, 0), (B, F), (B, E),      \
      (B, D), (B, C), (B, B), (B, A), (B, 9), (B, 8), (B, 7), (B, 6), (B, 5), (B, 4), (B, 3),      \
      (B, 2), (B, 1), (B, 0), (A, F), (A, E), (A, D), (A, C), (A, B), (A, A), (A, 9), (A, 8),      \
      (A, 7), (A, 6), (A, 5), (A, 4), (A, 3), (A, 2), (A, 1), (A, 0), (9, F), (9, E), (9, D),      \
      (9, C), (9, B), (9, A), (9, 9), (9, 8), (9, 7), (9, 6), (9, 5), (9, 4), (9, 3), (9, 2),      \
      (9, 1), (9, 0), (8, F), (8, E), (8, D), (8, C), (8, B), (8, A), (8, 9), (8, 8), (8, 7),      \
      (8, 6), (8, 5), (8, 4), (8, 3), (8, 2), (8, 1), (8, 0), (7, F), (7, E), (7, D), (7, C),      \
      (7, B), (7, A), (7, 9), (7, 8), (7, 7), (7, 6), (7, 5), (7, 4), (7, 3), (7, 2), (7, 1),      \
      (7, 0), (6, F), (6, E), (6, D), (6, C), (6, B), (6, A), (6, 9), (6, 8), (6, 7), (6, 6),      \
      (6, 5), (6, 4), (6, 3), (6, 2), (6, 1), (6, 0), (5, F), (5, E), (5, D), (5, C), (5, B),      \
      (5, A), (5, 9), (5, 8), (5, 7), (5, 6), (5, 5), (5, 4), (5, 3), (5, 2), (5, 1), (5, 0),      \
      (4, F), (4, E), (4, D), (4, C), (4, B), (4, A), (4, 9), (4, 8), (4, 7), (4, 6), (4, 5),      \
      (4, 4), (4, 3), (4, 2), (4, 1), (4, 0), (3, F), (3, E), (3, D), (3, C), (3, B), (3, A),      \
      (3, 9), (3, 8), (3, 7), (3, 6), (3, 5), (3, 4), (3, 3), (3, 2), (3, 1), (3, 0), (2, F),      \
      (2, E), (2, D), (2, C), (2, B), (2, A), (2, 9), (2, 8), (2, 7), (2, 6), (2, 5), (2, 4),      \
      (2, 3), (2, 2), (2, 1), (2, 0), (1, F), (1, E), (1, D), (1, C), (1, B), (1, A), (1, 9),      \
      (1, 8), (1, 7), (1, 6), (1, 5), (1, 4), (1, 3), (1, 2), (1, 1), (1, 0), (0, F), (0, E),      \
      (0, D), (0, C), (0, B), (0, A), (0, 9), (0, 8), (0, 7), (0, 6), (0, 5), (0, 4), (0, 3),      \
      (0, 2), (0, 1), (0, Z), (0, Z))
#define RS_COUNT_(                                                                                 \
    f, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20,  \
    a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, \
    a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, \
    a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, a73, a74, a75, a76, a77, \
    a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, \
    a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111, a112,   \
    a113, a114, a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125, a126, a127,      \
    a128, a129, a130, a131, a132, a133, a134, a135, a136, a137, a138, a139, a140, a141, a142,      \
    a143, a144, a145, a146, a147, a148, a149, a150, a151, a152, a153, a154, a155, a156, a157,      \
    a158, a159, a160, a161, a162, a163, a164, a165, a166, a167, a168, a169, a170, a171, a172,      \
    a173, a174, a175, a176, a177, a178, a179, a180, a181, a182, a183, a184, a185, a186, a187,      \
    a188, a189, a190, a191, a192, a193, a194, a195, a196, a197, a198, a199, a200, a201, a202,      \
    a203, a204, a205, a206, a207, a208, a209, a210, a211, a212, a213, a214, a215, a216, a217,      \
    a218, a219, a220, a221, a222, a223, a224, a225, a226, a227, a228, a229, a230, a231, a232,      \
    a233, a234, a235, a236, a237, a238, a239, a240, a241, a242, a243, a244, a245, a246, a247,      \
    a248, a249, a250, a251, a252, a253, a254, a255, a256, a257, a258, a259, a260, a261, a262,      \
    a263, a264, a265, a266, a267, a268, a269, a270, a271, a272, a273, a274, a275, a276, a277,      \
    a278, a279, a280, a281, a282, a283, a284, a285, a286, a287, n, ...)                            \
  n

#define RS_HIGH_(high, low) high
#define RS_LOW_(high, low) low

/* RS_EACH_(M, format, a, b) -> M(0x02, a) M(0x01, b). The numbers are part of names too.
 * RS_EACH_OF_ is the same for a known count. The last argument of the macros below is none. */
#define RS_EACH_(M, ...) RS_EACH_OF_(M, RS_ARGUMENT_COUNT_(__VA_ARGS__), __VA_ARGS__)
#define RS_EACH_OF_(M, count, ...) RS_EACH_IN_(M, RS_HIGH_ count, RS_LOW_ count, __VA_ARGS__, ~)
#define RS_EACH_IN_(M, high, low, ...) RS_EACH_NOW_(M, high, low, __VA_ARGS__)
#define RS_EACH_NOW_(M, high, low, f, ...) RS_EACH_##low(M, high, __VA_ARGS__)
#define RS_EACH_X(M, high, ...) \
  _Static_assert(0, "more than 255 arguments in one statement: split it");
#define RS_EACH_Z(M, high, ...)
#define RS_EACH_0(M, high, ...) RS_SIXTEENS_##high(M, __VA_ARGS__)
#define RS_EACH_1(M, high, a, ...) M(0x##high##1, a) RS_EACH_0(M, high, __VA_ARGS__)
#define RS_EACH_2(M, high, a, ...) M(0x##high##2, a) RS_EACH_1(M, high, __VA_ARGS__)
#define RS_EACH_3(M, high, a, ...) M(0x##high##3, a) RS_EACH_2(M, high, __VA_ARGS__)
#define RS_EACH_4(M, high, a, ...) M(0x##high##4, a) RS_EACH_3(M, high, __VA_ARGS__)
#define RS_EACH_5(M, high, a, ...) M(0x##high##5, a) RS_EACH_4(M, high, __VA_ARGS__)
#define RS_EACH_6(M, high, a, ...) M(0x##high##6, a) RS_EACH_5(M, high, __VA_ARGS__)
#define RS_EACH_7(M, high, a, ...) M(0x##high##7, a) RS_EACH_6(M, high, __VA_ARGS__)
#define RS_EACH_8(M, high, a, ...) M(0x##high##8, a) RS_EACH_7(M, high, __VA_ARGS__)
#define RS_EACH_9(M, high, a, ...) M(0x##high##9, a) RS_EACH_8(M, high, __VA_ARGS__)
#define RS_EACH_A(M, high, a, ...) M(0x##high##A, a) RS_EACH_9(M, high, __VA_ARGS__)
#define RS_EACH_B(M, high, a, ...) M(0x##high##B, a) RS_EACH_A(M, high, __VA_ARGS__)
#define RS_EACH_C(M, high, a, ...) M(0x##high##C, a) RS_EACH_B(M, high, __VA_ARGS__)
#define RS_EACH_D(M, high, a, ...) M(0x##high##D, a) RS_EACH_C(M, high, __VA_ARGS__)
#define RS_EACH_E(M, high, a, ...) M(0x##high##E, a) RS_EACH_D(M, high, __VA_ARGS__)
#define RS_EACH_F(M, high, a, ...) M(0x##high##F, a) RS_EACH_E(M, high, __VA_ARGS__)
#define RS_SIXTEENS_0(M, ...)
#define RS_SIXTEENS_1(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 1, 0, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_0(M, __VA_ARGS__)
#define RS_SIXTEENS_2(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 2, 1, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_1(M, __VA_ARGS__)
#define RS_SIXTEENS_3(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 3, 2, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_2(M, __VA_ARGS__)
#define RS_SIXTEENS_4(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 4, 3, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_3(M, __VA_ARGS__)
#define RS_SIXTEENS_5(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 5, 4, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_4(M, __VA_ARGS__)
#define RS_SIXTEENS_6(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 6, 5, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_5(M, __VA_ARGS__)
#define RS_SIXTEENS_7(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 7, 6, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_6(M, __VA_ARGS__)
#define RS_SIXTEENS_8(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 8, 7, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_7(M, __VA_ARGS__)
#define RS_SIXTEENS_9(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, 9, 8, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_8(M, __VA_ARGS__)
#define RS_SIXTEENS_A(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, A, 9, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_9(M, __VA_ARGS__)
#define RS_SIXTEENS_B(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, B, A, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_A(M, __VA_ARGS__)
#define RS_SIXTEENS_C(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, C, B, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_B(M, __VA_ARGS__)
#define RS_SIXTEENS_D(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, D, C, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_C(M, __VA_ARGS__)
#define RS_SIXTEENS_E(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, E, D, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_D(M, __VA_ARGS__)
#define RS_SIXTEENS_F(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  RS_SIXTEEN_(M, F, E, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) RS_SIXTEENS_E(M, __VA_ARGS__)
#define RS_SIXTEEN_(M, high, low, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
  M(0x##high##0, a)                                                               \
  M(0x##low##F, b)                                                                \
  M(0x##low##E, c)                                                                \
  M(0x##low##D, d)                                                                \
  M(0x##low##C, e)                                                                \
  M(0x##low##B, f)                                                                \
  M(0x##low##A, g)                                                                \
  M(0x##low##9, h)                                                                \
  M(0x##low##8, i)                                                                \
  M(0x##low##7, j)                                                                \
  M(0x##low##6, k)                                                                \
  M(0x##low##5, l)                                                                \
  M(0x##low##4, m)                                                                \
  M(0x##low##3, n)                                                                \
  M(0x##low##2, o)                                                                \
  M(0x##low##1, p)

/* RS_NUMBERS_(M, (0,2)) -> M(0x02) M(0x01) */
#define RS_NUMBERS_(M, count) RS_NUMBERS_IN_(M, RS_HIGH_ count, RS_LOW_ count)
#define RS_NUMBERS_IN_(M, high, low) RS_NUMBERS_NOW_(M, high, low)
#define RS_NUMBERS_NOW_(M, high, low) RS_NUMBERS_##low(M, high)
#define RS_NUMBERS_X(M, high)
#define RS_NUMBERS_Z(M, high)
#define RS_NUMBERS_0(M, high) RS_SIXTEENS_OF_NUMBERS_##high(M)
#define RS_NUMBERS_1(M, high) M(0x##high##1) RS_NUMBERS_0(M, high)
#define RS_NUMBERS_2(M, high) M(0x##high##2) RS_NUMBERS_1(M, high)
#define RS_NUMBERS_3(M, high) M(0x##high##3) RS_NUMBERS_2(M, high)
#define RS_NUMBERS_4(M, high) M(0x##high##4) RS_NUMBERS_3(M, high)
#define RS_NUMBERS_5(M, high) M(0x##high##5) RS_NUMBERS_4(M, high)
#define RS_NUMBERS_6(M, high) M(0x##high##6) RS_NUMBERS_5(M, high)
#define RS_NUMBERS_7(M, high) M(0x##high##7) RS_NUMBERS_6(M, high)
#define RS_NUMBERS_8(M, high) M(0x##high##8) RS_NUMBERS_7(M, high)
#define RS_NUMBERS_9(M, high) M(0x##high##9) RS_NUMBERS_8(M, high)
#define RS_NUMBERS_A(M, high) M(0x##high##A) RS_NUMBERS_9(M, high)
#define RS_NUMBERS_B(M, high) M(0x##high##B) RS_NUMBERS_A(M, high)
#define RS_NUMBERS_C(M, high) M(0x##high##C) RS_NUMBERS_B(M, high)
#define RS_NUMBERS_D(M, high) M(0x##high##D) RS_NUMBERS_C(M, high)
#define RS_NUMBERS_E(M, high) M(0x##high##E) RS_NUMBERS_D(M, high)
#define RS_NUMBERS_F(M, high) M(0x##high##F) RS_NUMBERS_E(M, high)
#define RS_FIFTEEN_NUMBERS_(M, high) \
  M(0x##high##F)                     \
  M(0x##high##E)                     \
  M(0x##high##D)                     \
  M(0x##high##C)                     \
  M(0x##high##B)                     \
  M(0x##high##A)                     \
  M(0x##high##9)                     \
  M(0x##high##8)                     \
  M(0x##high##7)                     \
  M(0x##high##6)                     \
  M(0x##high##5)                     \
  M(0x##high##4)                     \
  M(0x##high##3)                     \
  M(0x##high##2)                     \
  M(0x##high##1)
#define RS_SIXTEENS_OF_NUMBERS_0(M)
#define RS_SIXTEENS_OF_NUMBERS_1(M) M(0x10) RS_FIFTEEN_NUMBERS_(M, 0) RS_SIXTEENS_OF_NUMBERS_0(M)
#define RS_SIXTEENS_OF_NUMBERS_2(M) M(0x20) RS_FIFTEEN_NUMBERS_(M, 1) RS_SIXTEENS_OF_NUMBERS_1(M)
#define RS_SIXTEENS_OF_NUMBERS_3(M) M(0x30) RS_FIFTEEN_NUMBERS_(M, 2) RS_SIXTEENS_OF_NUMBERS_2(M)
#define RS_SIXTEENS_OF_NUMBERS_4(M) M(0x40) RS_FIFTEEN_NUMBERS_(M, 3) RS_SIXTEENS_OF_NUMBERS_3(M)
#define RS_SIXTEENS_OF_NUMBERS_5(M) M(0x50) RS_FIFTEEN_NUMBERS_(M, 4) RS_SIXTEENS_OF_NUMBERS_4(M)
#define RS_SIXTEENS_OF_NUMBERS_6(M) M(0x60) RS_FIFTEEN_NUMBERS_(M, 5) RS_SIXTEENS_OF_NUMBERS_5(M)
#define RS_SIXTEENS_OF_NUMBERS_7(M) M(0x70) RS_FIFTEEN_NUMBERS_(M, 6) RS_SIXTEENS_OF_NUMBERS_6(M)
#define RS_SIXTEENS_OF_NUMBERS_8(M) M(0x80) RS_FIFTEEN_NUMBERS_(M, 7) RS_SIXTEENS_OF_NUMBERS_7(M)
#define RS_SIXTEENS_OF_NUMBERS_9(M) M(0x90) RS_FIFTEEN_NUMBERS_(M, 8) RS_SIXTEENS_OF_NUMBERS_8(M)
#define RS_SIXTEENS_OF_NUMBERS_A(M) M(0xA0) RS_FIFTEEN_NUMBERS_(M, 9) RS_SIXTEENS_OF_NUMBERS_9(M)
#define RS_SIXTEENS_OF_NUMBERS_B(M) M(0xB0) RS_FIFTEEN_NUMBERS_(M, A) RS_SIXTEENS_OF_NUMBERS_A(M)
#define RS_SIXTEENS_OF_NUMBERS_C(M) M(0xC0) RS_FIFTEEN_NUMBERS_(M, B) RS_SIXTEENS_OF_NUMBERS_B(M)
#define RS_SIXTEENS_OF_NUMBERS_D(M) M(0xD0) RS_FIFTEEN_NUMBERS_(M, C) RS_SIXTEENS_OF_NUMBERS_C(M)
#define RS_SIXTEENS_OF_NUMBERS_E(M) M(0xE0) RS_FIFTEEN_NUMBERS_(M, D) RS_SIXTEENS_OF_NUMBERS_D(M)
#define RS_SIXTEENS_OF_NUMBERS_F(M) M(0xF0) RS_FIFTEEN_NUMBERS_(M, E) RS_SIXTEENS_OF_NUMBERS_E(M)

#endif
