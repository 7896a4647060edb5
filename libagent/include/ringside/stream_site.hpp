#pragma once
// What the library knows about a statement in stream style.
//
// Its text is not known before its first execution: the operands come after the macro. So it is
// listed with its place alone, and entered again, with its text, at the first execution.

#include <cstdint>

#include "abi.h"

extern "C" {

// How an operand is written.
enum rs_stream_operand : std::uint8_t {
  RS_STREAM_TEXT = 0,  // part of the text
  RS_STREAM_PLAIN,
  RS_STREAM_FLAG,    // bool: 0 or 1
  RS_STREAM_NUMBER,  // floating point: six digits
  RS_STREAM_PATH     // in double quotes
};

// Of statements with the same types of operands.
struct rs_stream_shape {
  const rs_signature* values;
  const rs_signature* all;  // with a field for each text
  const enum rs_stream_operand* operands;
  std::uint32_t count;
};

struct rs_stream_text {
  const char* address;  // atomic: that of `text` once the statement has its final id
  const char* text;     // under the library's lock; need not be terminated
  std::uint64_t bytes;  // of the array
};

// Static storage, one for each statement.
struct rs_stream {
  rs_site* site;
  rs_site* varying;  // records the texts too
  const rs_stream_shape* shape;
  rs_stream_text* texts;  // one for each RS_STREAM_TEXT, but at least one
};

// Gives the statement its text at its first execution. Returns the statement that records an
// execution with these texts (`address` is not read), or null: counted as lost. Texts that are not
// read-only data of the object with this ELF header can change: `varying` records them.
RS_EXPORT rs_site* rs_resolve_stream(rs_stream* stream, const rs_stream_text* texts,
                                     const void* elf_header) __attribute__((cold));

// The ELF header of this program or shared object.
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
}
