/* The arguments of a C statement: the type of a field that each C type gives, and the bytes that an
 * argument takes in a ring. */
#ifndef RINGSIDE_C_ARGUMENT_H
#define RINGSIDE_C_ARGUMENT_H

#include "required_platform.h"
/* Before all others. */
#include <wchar.h>

#include "abi.h"

__extension__ typedef __int128 rs_int128_;
__extension__ typedef unsigned __int128 rs_uint128_;

/* Codes of shm-layout/field_type.hpp. */
#define RS_GIVEN_BOOLEAN 1
#define RS_GIVEN_CHARACTER 2
#define RS_GIVEN_I8 3
#define RS_GIVEN_I16 4
#define RS_GIVEN_I32 5
#define RS_GIVEN_I64 6
#define RS_GIVEN_I128 7
#define RS_GIVEN_U8 8
#define RS_GIVEN_U16 9
#define RS_GIVEN_U32 10
#define RS_GIVEN_U64 11
#define RS_GIVEN_U128 12
#define RS_GIVEN_F32 13
#define RS_GIVEN_F64 14
#define RS_GIVEN_F80 15
#define RS_GIVEN_POINTER 16
#define RS_GIVEN_STRING 17
#define RS_GIVEN_BYTES 18

/* Whether values of a type are stored as they are. */
#define RS_PLAIN_                                                                       \
  (1 << RS_GIVEN_I32 | 1 << RS_GIVEN_I64 | 1 << RS_GIVEN_I128 | 1 << RS_GIVEN_U32 |     \
   1 << RS_GIVEN_U64 | 1 << RS_GIVEN_U128 | 1 << RS_GIVEN_F64 | 1 << RS_GIVEN_POINTER | \
   1 << RS_GIVEN_WIDE)
#define RS_IS_PLAIN_(given) (RS_PLAIN_ >> (given)&1)

/* In operands that are not evaluated: an expression of the type that x has as a value. Two equal
 * branches would be a finding of clang-tidy in the user's source. */
#define RS_PROMOTED_TYPE_(x) (1 ? (x) : ((void)0, (x)))

/* rs_field.given. Bit-fields have types of their own in gcc; the conditional expression promotes
 * them. It would also promote what is shorter than int, so that comes first.
 *
 * Pointers to integers other than characters are missing on purpose: only %n needs them. Because
 * wchar_t is an integer too, a wide string must be a const wchar_t*, which %n cannot take. */
#define RS_GIVEN_(x) \
  _Generic((x), _Bool                                \
           : RS_GIVEN_BOOLEAN, char                  \
           : RS_GIVEN_CHARACTER, signed char         \
           : RS_GIVEN_I8, short                      \
           : RS_GIVEN_I16, unsigned char             \
           : RS_GIVEN_U8, unsigned short             \
           : RS_GIVEN_U16, default                   \
           : _Generic(RS_PROMOTED_TYPE_(x), int           \
                      : RS_GIVEN_I32, long                      \
                      : RS_GIVEN_I64, long long                 \
                      : RS_GIVEN_I64, rs_int128_                \
                      : RS_GIVEN_I128, unsigned                  \
                      : RS_GIVEN_U32, unsigned long            \
                      : RS_GIVEN_U64, unsigned long long       \
                      : RS_GIVEN_U64, rs_uint128_              \
                      : RS_GIVEN_U128, float                    \
                      : RS_GIVEN_F32, double         \
                      : RS_GIVEN_F64, long double              \
                      : RS_GIVEN_F80, char*          \
                      : RS_GIVEN_STRING, const char* \
                      : RS_GIVEN_STRING, signed char* \
                      : RS_GIVEN_STRING, const signed char* \
                      : RS_GIVEN_STRING, unsigned char* \
                      : RS_GIVEN_STRING, const unsigned char* \
                      : RS_GIVEN_STRING, const wchar_t* \
                      : RS_GIVEN_WIDE, struct rs_bytes \
                      : RS_GIVEN_BYTES, void*         \
                      : RS_GIVEN_POINTER, const void*              \
                      : RS_GIVEN_POINTER))

/* The value of an argument: no bit-field, no array, and not shorter than int. The constant is also
 * a null pointer, and without a second x compilers do not warn of equal branches. */
#define RS_PROMOTED_(x) (1 ? (x) : 0)

/* Bytes of an integer shorter than int; 0: of any other type. */
RS_HOT uint64_t rs_short_bytes_(int given) {
  if (given == RS_GIVEN_I16 || given == RS_GIVEN_U16) return 2;
  return given == RS_GIVEN_BOOLEAN || given == RS_GIVEN_CHARACTER || given == RS_GIVEN_I8 ||
                 given == RS_GIVEN_U8
             ? 1
             : 0;
}

RS_HOT const char* rs_text_of_(const void* value) {
  const char* text;
  __builtin_memcpy(&text, value, sizeof text);
  return __builtin_expect(text != 0, 1) ? text : "(null)";
}

/* Of RS_BYTES: measured once too. Out of line, because every statement inlines what calls them. */
__attribute__((noinline, unused)) static uint64_t rs_stored_bytes_of_span_(const void* value,
                                                                           uint32_t* length) {
  struct rs_bytes bytes;
  __builtin_memcpy(&bytes, value, sizeof bytes);
  if (bytes.data != 0) *length = bytes.count < UINT32_MAX ? (uint32_t)bytes.count : UINT32_MAX;
  return sizeof *length + (uint64_t)*length;
}

__attribute__((noinline, unused)) static unsigned char* rs_store_span_(unsigned char* p,
                                                                       const void* value,
                                                                       uint32_t length) {
  struct rs_bytes bytes;
  __builtin_memcpy(&bytes, value, sizeof bytes);
  __builtin_memcpy(p, &length, sizeof length);
  p += sizeof length;
  if (length != 0) __builtin_memcpy(p, bytes.data, length);
  return p + length;
}

/* The bytes that an argument takes that is not plain, without its head. Texts are measured once:
 * they may change meanwhile. */
RS_HOT uint64_t rs_stored_bytes_(const void* value, int given, const struct rs_field* field,
                                 uint32_t* length) {
  if (given >= RS_GIVEN_BYTES) {
    return given == RS_GIVEN_BYTES ? rs_stored_bytes_of_span_(value, length) : 0;
  }
  if (given == RS_GIVEN_STRING) {
    /* Not terminated, perhaps, and then recorded by its format. */
    const uint64_t measured = field->as_given != 0 ? __builtin_strlen(rs_text_of_(value)) : 0;
    *length = measured < UINT32_MAX ? (uint32_t)measured : UINT32_MAX;
    return sizeof *length + (uint64_t)*length;
  }
  if (given == RS_GIVEN_F80) return RS_X87_BYTES;
  if (given == RS_GIVEN_F32) return field->as_given != 0 ? sizeof(float) : sizeof(double);
  return field->as_given != 0 ? rs_short_bytes_(given) : sizeof(int);
}

/* Stores an argument that is not plain; returns where the next one goes. */
RS_HOT unsigned char* rs_store_(unsigned char* p, const void* value, int given,
                                const struct rs_field* field, uint32_t length) {
  uint64_t bytes = sizeof(int);
  if (given >= RS_GIVEN_BYTES) {
    return given == RS_GIVEN_BYTES ? rs_store_span_(p, value, length) : p;
  }
  if (given == RS_GIVEN_STRING) {
    __builtin_memcpy(p, &length, sizeof length);
    p += sizeof length;
    value = rs_text_of_(value);
    bytes = length;
  } else if (given == RS_GIVEN_F80) {
    rs_store_x87(p, value);
    return p + RS_X87_BYTES;
  } else if (given == RS_GIVEN_F32 && field->as_given == 0) {
    float number;
    __builtin_memcpy(&number, value, sizeof number);
    const double stored = (double)number;
    __builtin_memcpy(p, &stored, sizeof stored);
    return p + sizeof stored;
  } else if (given != RS_GIVEN_F32 && field->as_given != 0) {
    bytes = rs_short_bytes_(given); /* the low bytes */
  }
  __builtin_memcpy(p, value, bytes);
  return p + bytes;
}

#endif
