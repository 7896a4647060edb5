/* What the calls of a statement record: the types of the fields, the names of parts and of
 * enumerators. C11, and C++17 and later. Part of abi.h.
 */
#ifndef RINGSIDE_RECORDED_FIELDS_H
#define RINGSIDE_RECORDED_FIELDS_H

#include "required_platform.h"
/* Before all others. */
#include <stdint.h>

/* The most fields of a statement. */
#define RS_MAX_FIELDS 255
/* Most statements have fewer: what is sized by this fits any stack. */
#define RS_FEW_FIELDS 32

/* The names of an enumeration's values. Static storage, shared by the statements that record it. */
struct rs_enumeration {
  const int64_t* values;
  const char* names; /* each with its terminating NUL */
  uint32_t count;
  uint32_t table_id; /* in the dictionary, 0: not there; under the library's lock */
};

/* What an argument records that is not a single field without names: an enumeration, or parts.
 * Static storage. */
struct rs_shape {
  const char* names; /* of the parts, separated by commas; null: an enumeration */
  const char* text;  /* of a placeholder: a {} for each part; null: (name={}, ...) */
  const struct rs_shape* const* parts; /* null: a single field without names */
  uint32_t part_count;
  struct rs_enumeration* enumeration; /* of a single field, or null */
};

/* Added to a field's type in rs_signature.types: a literal, which no record has. */
#define RS_CONSTANT_FIELD 0x40

/* What calls of statements with the same types of arguments record: the types of the fields, in the
 * order of the arguments (shm-layout/field_type.hpp). Static storage, shared by these statements.
 */
struct rs_signature {
  const uint8_t* types;                 /* `count` of them; null without fields */
  const struct rs_shape* const* shapes; /* of the arguments; null: each is one field */
  uint8_t count;                        /* of the fields, up to RS_MAX_FIELDS */
  uint8_t argument_count;               /* if there are shapes */
};

/* One recorded argument of a statement of the C front end, in the order of the arguments. All
 * except `given` is found out at registration. */
struct rs_field {
  uint8_t type;              /* shm-layout/field_type.hpp */
  uint8_t given;             /* the argument's own type, or RS_GIVEN_WIDE; 0: unknown */
  uint8_t as_given;          /* stored in the argument's own type, not promoted; a text whole */
  uint8_t is_wide;           /* the argument is wchar_t* or wint_t */
  int16_t precision_field;   /* index of the field that limits this string, or -1 */
  int32_t precision_literal; /* bytes that limit this string, or -1 */
};

/* An argument RS_BYTES of event.h. */
struct rs_bytes {
  const void* data; /* may be null: no bytes */
  uint64_t count;
};

/* rs_field.given: wchar_t*. */
#define RS_GIVEN_WIDE 30
/* rs_field.given: a string literal of an event, which no record has. */
#define RS_GIVEN_CONSTANT 31

#endif
