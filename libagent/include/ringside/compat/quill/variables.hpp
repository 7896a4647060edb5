#pragma once
// Formats of quill's LOGV_ and LOGJ_ macros, from the names of up to 20 variables.

#define RS_QUILL_COUNT_(t_, a1_, a2_, a3_, a4_, a5_, a6_, a7_, a8_, a9_, a10_, a11_, a12_, a13_, \
                        a14_, a15_, a16_, a17_, a18_, a19_, a20_, n_, ...)                       \
  n_
#define RS_QUILL_NUMBER_(...)                                                                      \
  RS_QUILL_COUNT_(__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, \
                  1, 0, )
#define RS_QUILL_JOIN_(a_, b_) RS_QUILL_JOINED_(a_, b_)
#define RS_QUILL_JOINED_(a_, b_) a_##b_

// "text [a: {}, b: {}]"
#define RS_QUILL_NAMED_VARIABLES_(...) \
  RS_QUILL_JOIN_(RS_QUILL_NAMED_, RS_QUILL_NUMBER_(__VA_ARGS__))(__VA_ARGS__)
#define RS_QUILL_NAMED_0(text_) text_
#define RS_QUILL_NAMED_1(text_, a_) text_ " [" RS_QUILL_NAMES_1(a_) "]"
#define RS_QUILL_NAMED_2(text_, ...) text_ " [" RS_QUILL_NAMES_2(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_3(text_, ...) text_ " [" RS_QUILL_NAMES_3(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_4(text_, ...) text_ " [" RS_QUILL_NAMES_4(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_5(text_, ...) text_ " [" RS_QUILL_NAMES_5(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_6(text_, ...) text_ " [" RS_QUILL_NAMES_6(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_7(text_, ...) text_ " [" RS_QUILL_NAMES_7(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_8(text_, ...) text_ " [" RS_QUILL_NAMES_8(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_9(text_, ...) text_ " [" RS_QUILL_NAMES_9(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_10(text_, ...) text_ " [" RS_QUILL_NAMES_10(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_11(text_, ...) text_ " [" RS_QUILL_NAMES_11(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_12(text_, ...) text_ " [" RS_QUILL_NAMES_12(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_13(text_, ...) text_ " [" RS_QUILL_NAMES_13(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_14(text_, ...) text_ " [" RS_QUILL_NAMES_14(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_15(text_, ...) text_ " [" RS_QUILL_NAMES_15(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_16(text_, ...) text_ " [" RS_QUILL_NAMES_16(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_17(text_, ...) text_ " [" RS_QUILL_NAMES_17(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_18(text_, ...) text_ " [" RS_QUILL_NAMES_18(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_19(text_, ...) text_ " [" RS_QUILL_NAMES_19(__VA_ARGS__) "]"
#define RS_QUILL_NAMED_20(text_, ...) text_ " [" RS_QUILL_NAMES_20(__VA_ARGS__) "]"
#define RS_QUILL_NAMES_1(a_) #a_ ": {}"
#define RS_QUILL_NAMES_2(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_1(__VA_ARGS__)
#define RS_QUILL_NAMES_3(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_2(__VA_ARGS__)
#define RS_QUILL_NAMES_4(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_3(__VA_ARGS__)
#define RS_QUILL_NAMES_5(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_4(__VA_ARGS__)
#define RS_QUILL_NAMES_6(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_5(__VA_ARGS__)
#define RS_QUILL_NAMES_7(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_6(__VA_ARGS__)
#define RS_QUILL_NAMES_8(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_7(__VA_ARGS__)
#define RS_QUILL_NAMES_9(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_8(__VA_ARGS__)
#define RS_QUILL_NAMES_10(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_9(__VA_ARGS__)
#define RS_QUILL_NAMES_11(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_10(__VA_ARGS__)
#define RS_QUILL_NAMES_12(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_11(__VA_ARGS__)
#define RS_QUILL_NAMES_13(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_12(__VA_ARGS__)
#define RS_QUILL_NAMES_14(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_13(__VA_ARGS__)
#define RS_QUILL_NAMES_15(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_14(__VA_ARGS__)
#define RS_QUILL_NAMES_16(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_15(__VA_ARGS__)
#define RS_QUILL_NAMES_17(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_16(__VA_ARGS__)
#define RS_QUILL_NAMES_18(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_17(__VA_ARGS__)
#define RS_QUILL_NAMES_19(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_18(__VA_ARGS__)
#define RS_QUILL_NAMES_20(a_, ...) #a_ ": {}, " RS_QUILL_NAMES_19(__VA_ARGS__)

// "text {}, {}"
#define RS_QUILL_VARIABLES_(...) \
  RS_QUILL_JOIN_(RS_QUILL_TEXT_, RS_QUILL_NUMBER_(__VA_ARGS__))(__VA_ARGS__)
#define RS_QUILL_TEXT_0(text_) text_
#define RS_QUILL_PLACES_1 " {}"
#define RS_QUILL_TEXT_1(text_, ...) text_ RS_QUILL_PLACES_1
#define RS_QUILL_PLACES_2 RS_QUILL_PLACES_1 ", {}"
#define RS_QUILL_TEXT_2(text_, ...) text_ RS_QUILL_PLACES_2
#define RS_QUILL_PLACES_3 RS_QUILL_PLACES_2 ", {}"
#define RS_QUILL_TEXT_3(text_, ...) text_ RS_QUILL_PLACES_3
#define RS_QUILL_PLACES_4 RS_QUILL_PLACES_3 ", {}"
#define RS_QUILL_TEXT_4(text_, ...) text_ RS_QUILL_PLACES_4
#define RS_QUILL_PLACES_5 RS_QUILL_PLACES_4 ", {}"
#define RS_QUILL_TEXT_5(text_, ...) text_ RS_QUILL_PLACES_5
#define RS_QUILL_PLACES_6 RS_QUILL_PLACES_5 ", {}"
#define RS_QUILL_TEXT_6(text_, ...) text_ RS_QUILL_PLACES_6
#define RS_QUILL_PLACES_7 RS_QUILL_PLACES_6 ", {}"
#define RS_QUILL_TEXT_7(text_, ...) text_ RS_QUILL_PLACES_7
#define RS_QUILL_PLACES_8 RS_QUILL_PLACES_7 ", {}"
#define RS_QUILL_TEXT_8(text_, ...) text_ RS_QUILL_PLACES_8
#define RS_QUILL_PLACES_9 RS_QUILL_PLACES_8 ", {}"
#define RS_QUILL_TEXT_9(text_, ...) text_ RS_QUILL_PLACES_9
#define RS_QUILL_PLACES_10 RS_QUILL_PLACES_9 ", {}"
#define RS_QUILL_TEXT_10(text_, ...) text_ RS_QUILL_PLACES_10
#define RS_QUILL_PLACES_11 RS_QUILL_PLACES_10 ", {}"
#define RS_QUILL_TEXT_11(text_, ...) text_ RS_QUILL_PLACES_11
#define RS_QUILL_PLACES_12 RS_QUILL_PLACES_11 ", {}"
#define RS_QUILL_TEXT_12(text_, ...) text_ RS_QUILL_PLACES_12
#define RS_QUILL_PLACES_13 RS_QUILL_PLACES_12 ", {}"
#define RS_QUILL_TEXT_13(text_, ...) text_ RS_QUILL_PLACES_13
#define RS_QUILL_PLACES_14 RS_QUILL_PLACES_13 ", {}"
#define RS_QUILL_TEXT_14(text_, ...) text_ RS_QUILL_PLACES_14
#define RS_QUILL_PLACES_15 RS_QUILL_PLACES_14 ", {}"
#define RS_QUILL_TEXT_15(text_, ...) text_ RS_QUILL_PLACES_15
#define RS_QUILL_PLACES_16 RS_QUILL_PLACES_15 ", {}"
#define RS_QUILL_TEXT_16(text_, ...) text_ RS_QUILL_PLACES_16
#define RS_QUILL_PLACES_17 RS_QUILL_PLACES_16 ", {}"
#define RS_QUILL_TEXT_17(text_, ...) text_ RS_QUILL_PLACES_17
#define RS_QUILL_PLACES_18 RS_QUILL_PLACES_17 ", {}"
#define RS_QUILL_TEXT_18(text_, ...) text_ RS_QUILL_PLACES_18
#define RS_QUILL_PLACES_19 RS_QUILL_PLACES_18 ", {}"
#define RS_QUILL_TEXT_19(text_, ...) text_ RS_QUILL_PLACES_19
#define RS_QUILL_PLACES_20 RS_QUILL_PLACES_19 ", {}"
#define RS_QUILL_TEXT_20(text_, ...) text_ RS_QUILL_PLACES_20
