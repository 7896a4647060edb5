/** @file
 * Statements that are registered at run time, for foreign-function interfaces: ctypes, LuaJIT,
 * Rust, Go and others. C11, C++11 and later.
 *
 * Functions only: no macros, no structs by value, no variable argument lists. Integers have fixed
 * widths, texts have lengths and need not be terminated. Every function returns a number below 0 if
 * it refuses its arguments (enum rs_refusal), and has then changed nothing. docs/how-to/ffi.md has
 * an example.
 */
#ifndef RINGSIDE_RUNTIME_STATEMENT_H
#define RINGSIDE_RUNTIME_STATEMENT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a field, and of a value for it. */
enum rs_value_type {
  RS_VALUE_BOOLEAN = 1,   /**< integer: 0 or 1 */
  RS_VALUE_CHARACTER = 2, /**< integer: -128 to 255, one byte of text */
  RS_VALUE_I8 = 3,        /**< integer */
  RS_VALUE_I16 = 4,       /**< integer */
  RS_VALUE_I32 = 5,       /**< integer; also a width or precision of `*` */
  RS_VALUE_I64 = 6,       /**< integer */
  RS_VALUE_U8 = 8,        /**< integer */
  RS_VALUE_U16 = 9,       /**< integer */
  RS_VALUE_U32 = 10,      /**< integer */
  RS_VALUE_U64 = 11,      /**< integer: the same 64 bits */
  RS_VALUE_F32 = 13,      /**< number */
  RS_VALUE_F64 = 14,      /**< number */
  RS_VALUE_POINTER = 16,  /**< integer: the address */
  RS_VALUE_TEXT = 17,     /**< data and bytes, UTF-8 */
  RS_VALUE_BYTES = 18     /**< data and bytes */
};

/** Style of the format of a statement. */
enum rs_format_style {
  RS_FORMAT_EVENT = 0,  /**< the name of an event; the fields follow it */
  RS_FORMAT_PRINTF = 1, /**< conversions of printf */
  RS_FORMAT_BRACE = 2,  /**< placeholders of std::format */
  RS_FORMAT_SPAN = 3,   /**< the name of a span; the fields follow it; see rs_span_begin() */
  RS_FORMAT_COUNTER = 4 /**< the name of a counter; each number is a curve */
};

/** Why a function refused its arguments. */
enum rs_refusal {
  RS_REFUSED_POINTER = -1,  /**< a pointer is null, but its length or count is not 0 */
  RS_REFUSED_STRUCT = -2,   /**< struct_bytes is smaller than the struct of the first version */
  RS_REFUSED_LEVEL = -3,    /**< the level is not one of RS_LEVEL_TRACE to RS_LEVEL_CRITICAL */
  RS_REFUSED_STYLE = -4,    /**< the style is not one of enum rs_format_style */
  RS_REFUSED_TEXT = -5,     /**< a text of the statement has a NUL, or the texts are too long */
  RS_REFUSED_FORMAT = -6,   /**< the format is invalid, or a name is empty */
  RS_REFUSED_TYPES = -7,    /**< a type is unknown, or the format requires other types or more */
  RS_REFUSED_NAMES = -8,    /**< not one valid name for each field */
  RS_REFUSED_CAPACITY = -9, /**< the process has 4,096 such statements already */
  RS_REFUSED_MEMORY = -10,  /**< no memory, or called by an allocator within the library */
  RS_REFUSED_HANDLE = -11,  /**< not a handle of rs_statement_register() */
  RS_REFUSED_COUNT = -12,   /**< not as many values as the statement has fields */
  RS_REFUSED_VALUE = -13,   /**< a value has another type than its field, or is out of range */
  RS_REFUSED_SPAN = -14     /**< the statement is a span, but the call is for others; or reversed */
};

/** A statement for rs_statement_register(). Texts need not be terminated; a null pointer with a
 * length of 0 is an empty text. */
struct rs_runtime_statement {
  uint32_t struct_bytes;   /**< sizeof(struct rs_runtime_statement); required */
  uint32_t level;          /**< enum rs_level, below RS_LEVEL_OFF */
  uint32_t style;          /**< enum rs_format_style */
  uint32_t line;           /**< in the source file; 0: unknown */
  uint64_t keywords;       /**< as RS_KEYWORDS */
  const char* format;      /**< the format; the name of an event, a span or a counter */
  uint64_t format_bytes;   /**< its length */
  const char* names;       /**< of the fields, separated by commas; empty: arg1, arg2 and so on */
  uint64_t names_bytes;    /**< their length */
  const uint8_t* types;    /**< of the fields: enum rs_value_type, one byte each */
  uint64_t type_count;     /**< number of fields, up to 255 */
  const char* category;    /**< as RS_CATEGORY */
  uint64_t category_bytes; /**< its length */
  const char* file;        /**< source file */
  uint64_t file_bytes;     /**< its length */
  const char* function;    /**< function in it */
  uint64_t function_bytes; /**< its length */
};

/** A value for rs_statement_record(). Only the members that its type names are read. */
struct rs_value {
  uint64_t type;    /**< enum rs_value_type: that of the field */
  int64_t integer;  /**< of an integer, a boolean, a character, a pointer */
  double number;    /**< of a floating-point number */
  const void* data; /**< of a text or bytes; not null, unless `bytes` is 0 */
  uint64_t bytes;   /**< length of `data` */
};

/** Registers a statement, or finds the equal one that was registered before.
 *
 * Statements are equal if all their texts, types and numbers are. A process has at most 4,096, and
 * they are never removed: put what varies into values, not into formats. The texts of a statement,
 * which are copied, have at most 16,384 bytes together. A name has 1 to 1,024 bytes and neither a
 * quote, a backslash nor a control character; spaces around it are removed. In the printf style,
 * `*` takes a field of its own, and %ls and %lc are refused.
 *
 * Creates no segment: rs_init_with() or the first record does. Keep the handle: finding a statement
 * again costs tens to hundreds of nanoseconds.
 *
 * @param statement  the statement; it is read during the call only
 * @return the handle, above 0, valid until the process ends and in children of fork; or an enum
 * rs_refusal
 * @par Thread safety
 * Can be called from any thread; not in a signal handler. Takes a lock and allocates if the
 * statement is new.
 */
RS_EXPORT int32_t rs_statement_register(const struct rs_runtime_statement* statement);

/** Whether a statement is switched on, to avoid making values that are not recorded.
 *
 * @param handle  of rs_statement_register()
 * @return 1: a record would be written; 0: do not call rs_statement_record(); RS_REFUSED_HANDLE
 * @par Thread safety
 * As RS_LOG.
 */
RS_EXPORT int32_t rs_statement_enabled(int32_t handle);

/** Records values of a statement.
 *
 * There is a value for each field, in the order of the types. Texts and bytes are copied as they
 * are, invalid UTF-8 too; a record that is larger than a quarter of the ring is cut.
 *
 * @param handle  of rs_statement_register()
 * @param values  the values; null if there are none
 * @param count  of the values
 * @return 1: recorded, or counted as lost because the ring has no space (rs_losses()); 0: the
 * statement is switched off, or there is no segment; or an enum rs_refusal: nothing is recorded
 * @par Thread safety
 * As RS_LOG: any thread, and signal handlers. Costs about four times what a log macro costs.
 */
RS_EXPORT int32_t rs_statement_record(int32_t handle, const struct rs_value* values,
                                      uint32_t count);

/** Begins a span: reads the clock if the statement is switched on.
 *
 * Nothing is recorded yet. A span that is never passed to rs_span_record() leaves no record.
 *
 * @param handle  of rs_statement_register(), with RS_FORMAT_SPAN
 * @return the beginning, for rs_span_record(); 0: the statement is switched off, or the handle is
 * not that of a span
 * @par Thread safety
 * As RS_LOG.
 */
RS_EXPORT uint64_t rs_span_begin(int32_t handle);

/** Ends a span: records its values and the time since its beginning.
 *
 * The statement can be another one than that of rs_span_begin(), for instance because fields were
 * added within the span. The record's time is that of the beginning.
 *
 * @param handle  of rs_statement_register(), with RS_FORMAT_SPAN
 * @param begin  of rs_span_begin(); 0: nothing is recorded
 * @param values  the values; null if there are none
 * @param count  of the values
 * @return as rs_statement_record()
 * @par Thread safety
 * As RS_LOG. A span can end on another thread than it began on; viewers show it on that of its end.
 */
RS_EXPORT int32_t rs_span_record(int32_t handle, uint64_t begin, const struct rs_value* values,
                                 uint32_t count);

/** Records values that are in one block of memory: for languages in which each argument of a call
 * and each member of a struct takes time.
 *
 * The block has words of 64 bits in the byte order of the processor, without alignment: the handle,
 * the beginning of a span (0 in other statements), and a word for each field. The word of an
 * integer is its value, that of a floating-point number has the bits of a double, and that of a
 * text or bytes is its length. The texts and bytes follow the words, one after the other, and
 * nothing else.
 *
 * @param block  the words and texts
 * @param bytes  length of the block
 * @return as rs_statement_record() or, for the statement of a span, as rs_span_record();
 * RS_REFUSED_COUNT if the block has another length than its words require
 * @par Thread safety
 * As RS_LOG.
 */
RS_EXPORT int32_t rs_block_record(const void* block, uint64_t bytes);

/** Describes a result of these functions in English.
 *
 * @param result  what a function returned
 * @return a terminated text with static storage, for instance for an exception; "" for a result
 * that is not an enum rs_refusal
 * @par Thread safety
 * Can be called from any thread, in signal handlers.
 */
RS_EXPORT const char* rs_refusal_text(int32_t result);

#ifdef __cplusplus
}
#endif

#endif
