// Records a statement whose arguments are only known at run time: the C front end, and C++ records
// that are too large to be stored complete.

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "libagent/include/ringside/argument_kind.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/statements/span_record.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside {
namespace {

constexpr char kNullText[] = "(null)";

// One argument of a record: plain bytes, or a string, bytes or an array.
struct Piece {
  bool is_text = false;  // has a length before it, and can be cut
  bool is_wide = false;
  bool is_bytes = false;            // can be cut anywhere
  const rs_array* array = nullptr;  // is cut between elements
  std::uint32_t bytes = 0;          // without a string's length word
  const void* text = nullptr;
  std::int32_t code_point[2] = {};
  unsigned char number[16] = {};
};

bool convert_number(const rs_field& field, const rs_arg& arg, Piece* piece) {
  const auto type = static_cast<shm::FieldType>(field.type);
  piece->bytes = static_cast<std::uint32_t>(shm::fixed_size(type));
  switch (type) {
    case shm::FieldType::f64:
      if (arg.kind != RS_ARG_DOUBLE) return false;
      std::memcpy(piece->number, &arg.value.number, 8);
      return true;
    case shm::FieldType::f32: {
      const auto number = static_cast<float>(arg.value.number);
      if (arg.kind != RS_ARG_DOUBLE) return false;
      std::memcpy(piece->number, &number, sizeof number);
      return true;
    }
    case shm::FieldType::f80:
      if (arg.kind != RS_ARG_LONG_DOUBLE) return false;
      rs_store_x87(piece->number, arg.value.long_number);
      return true;
    case shm::FieldType::pointer:
      if (arg.kind != RS_ARG_POINTER) return false;
      std::memcpy(piece->number, &arg.value.pointer, 8);
      return true;
    default:
      if (arg.kind != RS_ARG_INTEGER) return false;
      std::memcpy(piece->number, &arg.value.integer, piece->bytes);  // the low bytes
      return true;
  }
}

bool convert_text(const rs_field& field, std::span<const rs_arg> args, const rs_arg& arg,
                  Piece* piece) {
  std::int64_t limit = field.precision_literal >= 0 ? field.precision_literal : -1;
  if (field.precision_field >= 0) {
    limit = static_cast<std::int32_t>(
        args[static_cast<std::size_t>(field.precision_field)].value.integer);
  }
  piece->is_text = true;
  if (arg.kind == RS_ARG_INTEGER) {  // %lc
    if (field.is_wide == 0) return false;
    piece->is_wide = true;
    piece->code_point[0] = static_cast<std::int32_t>(arg.value.integer);
    piece->bytes = rs_utf8_bytes(piece->code_point, -1);
    return true;
  }
  if (arg.kind != RS_ARG_POINTER) return false;
  piece->text = arg.value.pointer;
  if (piece->text == nullptr) {
    piece->text = kNullText;
    piece->bytes = limit < 0 || limit >= 6 ? 6 : 0;
  } else if (field.is_wide != 0) {
    piece->is_wide = true;
    piece->bytes = rs_utf8_bytes(static_cast<const std::int32_t*>(piece->text), limit);
  } else {
    const auto* text = static_cast<const char*>(piece->text);
    const std::size_t length =
        limit < 0 ? std::strlen(text) : strnlen(text, static_cast<std::size_t>(limit));
    piece->bytes = static_cast<std::uint32_t>(length < UINT32_MAX ? length : UINT32_MAX);
  }
  return true;
}

bool convert_bytes(const rs_arg& arg, Piece* piece) {
  if (arg.kind != RS_ARG_BYTES) return false;
  rs_bytes bytes{};
  std::memcpy(&bytes, arg.value.long_number, sizeof bytes);
  piece->is_text = true;
  piece->is_bytes = true;
  piece->text = "";
  if (bytes.data == nullptr) return true;
  piece->text = bytes.data;
  piece->bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes.count, UINT32_MAX));
  return true;
}

bool convert(const rs_field& field, std::span<const rs_arg> args, const rs_arg& arg, Piece* piece) {
  switch (static_cast<shm::FieldType>(field.type)) {
    case shm::FieldType::string:
      return convert_text(field, args, arg, piece);
    case shm::FieldType::bytes:
      return convert_bytes(arg, piece);
    default:
      return convert_number(field, arg, piece);
  }
}

// Cuts a string to at most `bytes`, not through a character, and an array not through an element.
void cut_text(Piece* piece, std::uint32_t bytes) {
  if (piece->bytes <= bytes) return;
  if (piece->is_bytes || piece->array != nullptr) {
    piece->bytes = piece->is_bytes ? bytes : piece->array->fit(piece->array->elements, bytes);
    return;
  }
  if (piece->is_wide) {
    const auto* text = static_cast<const std::int32_t*>(piece->text);
    piece->bytes = rs_utf8_bytes(text != nullptr ? text : piece->code_point, bytes);
    return;
  }
  const auto* text = static_cast<const unsigned char*>(piece->text);
  constexpr unsigned char kContinuationMask = 0xC0;
  constexpr unsigned char kContinuation = 0x80;
  std::uint32_t end = bytes;
  // A UTF-8 character has at most three continuation bytes; more are not UTF-8.
  while (end > 0 && bytes - end < 3 && (text[end] & kContinuationMask) == kContinuation) --end;
  piece->bytes = (text[end] & kContinuationMask) == kContinuation ? bytes : end;
}

// Shortens the longest strings to a common length, so that all of them fit into `budget`.
void cut_texts(std::span<Piece> pieces, std::uint64_t budget) {
  std::uint64_t low = 0;
  std::uint64_t high = budget;
  const auto total = [&pieces](std::uint64_t cap) {
    std::uint64_t sum = 0;
    for (const Piece& p : pieces) {
      if (p.is_text) sum += p.bytes < cap ? p.bytes : cap;
    }
    return sum;
  };
  while (low < high) {
    const std::uint64_t cap = (low + high + 1) / 2;
    if (total(cap) <= budget) {
      low = cap;
    } else {
      high = cap - 1;
    }
  }
  for (Piece& p : pieces) {
    if (p.is_text) cut_text(&p, static_cast<std::uint32_t>(low));
  }
}

unsigned char* store_piece(const Piece& piece, unsigned char* p) {
  if (!piece.is_text) {
    std::memcpy(p, piece.number, piece.bytes);
    return p + piece.bytes;
  }
  if (piece.array != nullptr) {
    piece.array->store(piece.array->elements, p, piece.bytes);
    return p + sizeof piece.bytes + piece.bytes;
  }
  std::memcpy(p, &piece.bytes, sizeof piece.bytes);
  p += sizeof piece.bytes;
  if (piece.is_wide) {
    const auto* text = static_cast<const std::int32_t*>(piece.text);
    rs_utf8_store(text != nullptr ? text : piece.code_point, p, piece.bytes);
  } else {
    std::memcpy(p, piece.text, piece.bytes);
  }
  return p + piece.bytes;
}

std::uint64_t total_bytes(std::span<const Piece> pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& p : pieces) bytes += p.bytes + (p.is_text ? sizeof p.bytes : 0);
  return bytes;
}

// `begin`: of a span.
template <bool kIsSpan>
void record(rs_site* site, std::uint8_t state, std::span<Piece> pieces, std::uint64_t begin) {
  constexpr std::uint32_t kExtendedBytes = kIsSpan ? RS_SPAN_HEAD_BYTES : shm::kExtendedHeadBytes;
  if (attached_ring() == nullptr) {
    const Attached attached = attach_ring();
    if (attached != Attached::kYes) return rs_dropped(site, dropped(cause_of(attached)));
  }
  shm::RingMetadata* const ring = attached_ring();
  if (ring == nullptr) {  // a handler forked, and this is the child
    return count_refusal(site, shm::LossCause::kNoRing);
  }
  std::uint64_t bytes = (kIsSpan ? kExtendedBytes : shm::kHeadBytes) + total_bytes(pieces);
  const std::uint64_t max_bytes = rs_thread_state.max_record_bytes;
  const bool cut = bytes > max_bytes;
  if (cut) {
    std::uint64_t fixed = kExtendedBytes;
    for (const Piece& p : pieces) fixed += p.is_text ? sizeof p.bytes : p.bytes;
    // Registration refuses such a statement.
    if (fixed > max_bytes) return count_refusal(site, shm::LossCause::kDictionaryFull);
    cut_texts(pieces, max_bytes - fixed);
    bytes = kExtendedBytes + total_bytes(pieces);
  }
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(state, bytes, &tsc);
  if (start >= RS_DROPPED) return rs_dropped(site, start);
  if (cut) {
    ring->counters.cut_records.fetch_add(1, std::memory_order_relaxed);
    count_for_site(site, shm::LossCause::kTooLarge);
  }
  unsigned char* p = rs_place(start);
  const auto id = static_cast<std::uint32_t>(site->id);
  if constexpr (kIsSpan) {
    p = store_span_head(p, id, static_cast<std::uint32_t>(bytes), tsc, begin,
                        cut ? shm::kExtCut : 0);
  } else {
    const std::uint64_t head = shm::make_head(tsc, cut ? shm::kCodeExtended : id);
    std::memcpy(p, &head, sizeof head);
    p += sizeof head;
    if (cut) {
      const std::uint32_t words[3] = {id, shm::kExtCut, static_cast<std::uint32_t>(bytes)};
      std::memcpy(p, words, sizeof words);
      p += sizeof words;
    }
  }
  for (const Piece& piece : pieces) p = store_piece(piece, p);
  rs_publish(start, bytes);
}

// An argument that was passed as variable argument lists promote it. Sign extension is of no use:
// the record keeps the low bytes.
rs_arg promoted_argument(std::uint8_t given, va_list* values) {
  rs_arg arg{};
  arg.kind = RS_ARG_INTEGER;
  if (given == RS_GIVEN_WIDE || given == RS_GIVEN_CONSTANT) {
    arg.kind = RS_ARG_POINTER;
    arg.value.pointer = va_arg(*values, const void*);
    return arg;
  }
  switch (static_cast<shm::FieldType>(given)) {
    case shm::FieldType::i64:
    case shm::FieldType::u64:
      arg.value.integer = va_arg(*values, std::uint64_t);
      break;
    case shm::FieldType::i128:
    case shm::FieldType::u128: {
      const auto number = va_arg(*values, detail::UInt128);
      std::memcpy(arg.value.long_number, &number, sizeof number);
      break;
    }
    case shm::FieldType::f32:
    case shm::FieldType::f64:
      arg.kind = RS_ARG_DOUBLE;
      arg.value.number = va_arg(*values, double);
      break;
    case shm::FieldType::f80: {
      const long double number = va_arg(*values, long double);
      arg.kind = RS_ARG_LONG_DOUBLE;
      std::memcpy(arg.value.long_number, &number, sizeof number);
      break;
    }
    case shm::FieldType::bytes: {
      const rs_bytes bytes = va_arg(*values, rs_bytes);
      arg.kind = RS_ARG_BYTES;
      std::memcpy(arg.value.long_number, &bytes, sizeof bytes);
      break;
    }
    case shm::FieldType::pointer:
    case shm::FieldType::string:
      arg.kind = RS_ARG_POINTER;
      arg.value.pointer = va_arg(*values, const void*);
      break;
    default:
      arg.value.integer = va_arg(*values, unsigned);
      break;
  }
  return arg;
}

// For up to `kRoom` arguments: statements with few need little of the stack.
template <std::size_t kRoom>
[[gnu::noinline]] void record_args(rs_site* site, std::uint8_t state, const rs_arg* args,
                                   std::uint32_t count) {
  std::array<Piece, kRoom> storage;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const rs_field& field = site->fields[i];
    if (field.given == RS_GIVEN_CONSTANT) continue;
    if (!convert(field, {args, count}, args[i], &storage[used++])) {
      return count_refusal(site, shm::LossCause::kDictionaryFull);
    }
  }
  record<false>(site, state, std::span(storage).first(used), 0);
}

template <std::size_t kRoom>
[[gnu::noinline]] void record_values(rs_site* site, std::uint8_t state, va_list* values) {
  std::array<rs_arg, kRoom> args;
  for (std::uint32_t i = 0; i < site->field_count; ++i) {
    args[i] = promoted_argument(site->fields[i].given, values);
  }
  rs_record_args(site, state, args.data(), site->field_count);
}

template <std::size_t kRoom, bool kIsSpan>
[[gnu::noinline]] void record_pieces(rs_site* site, std::uint8_t state, const rs_piece* stored,
                                     std::uint32_t count, std::uint64_t begin) {
  std::array<Piece, kRoom> storage;
  const std::span<Piece> pieces = std::span(storage).first(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    pieces[i].bytes = stored[i].bytes;
    pieces[i].is_text = stored[i].form != RS_PIECE_PLAIN;
    pieces[i].is_wide = stored[i].form == RS_PIECE_WIDE;
    pieces[i].is_bytes = stored[i].form == RS_PIECE_BYTES;
    if (stored[i].form == RS_PIECE_ARRAY) {
      pieces[i].array = static_cast<const rs_array*>(stored[i].data);
    } else if (pieces[i].is_text) {
      pieces[i].text = stored[i].data;
    } else {
      pieces[i].bytes = std::min<std::uint32_t>(stored[i].bytes, sizeof pieces[i].number);
      std::memcpy(pieces[i].number, stored[i].data, pieces[i].bytes);
    }
  }
  record<kIsSpan>(site, state, pieces, begin);
}

template <bool kIsSpan>
void record_pieces(rs_site* site, std::uint8_t state, const rs_piece* stored, std::uint32_t count,
                   std::uint64_t begin) {
  if (count > RS_MAX_FIELDS) return count_refusal(site, shm::LossCause::kDictionaryFull);
  if (count <= RS_FEW_FIELDS) {
    record_pieces<RS_FEW_FIELDS, kIsSpan>(site, state, stored, count, begin);
  } else {
    record_pieces<RS_MAX_FIELDS, kIsSpan>(site, state, stored, count, begin);
  }
}

}  // namespace

void record_span_pieces(rs_site* site, std::uint8_t state, std::uint64_t begin,
                        const rs_piece* pieces, std::uint32_t count) {
  record_pieces<true>(site, state, pieces, count, begin);
}

}  // namespace ringside

void rs_record_args(rs_site* site, std::uint8_t state, const rs_arg* args, std::uint32_t count) {
  using namespace ringside;
  // Only with -w does a compiler accept this, or arguments that do not match.
  if (count != site->field_count || count > RS_MAX_FIELDS) {
    return count_refusal(site, shm::LossCause::kDictionaryFull);
  }
  if (count <= RS_FEW_FIELDS) return record_args<RS_FEW_FIELDS>(site, state, args, count);
  record_args<RS_MAX_FIELDS>(site, state, args, count);
}

void rs_record_values(rs_site* site, std::uint8_t state, std::uint64_t is_needed, ...) {
  using namespace ringside;
  if (is_needed == 0) return;
  va_list values;
  va_start(values, is_needed);
  if (site->field_count <= RS_FEW_FIELDS) {
    record_values<RS_FEW_FIELDS>(site, state, &values);
  } else {
    record_values<RS_MAX_FIELDS>(site, state, &values);
  }
  va_end(values);
}

void rs_record_pieces(rs_site* site, std::uint8_t state, const rs_piece* stored,
                      std::uint32_t count) {
  ringside::record_pieces<false>(site, state, stored, count, 0);
}
