// Records a statement whose arguments are only known at run time: the C front end, and C++ records
// that are too large to be stored complete.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "libagent/agent.hpp"
#include "libagent/loss_count.hpp"
#include "libagent/ring_attachment.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr char kNullText[] = "(null)";

// One argument of a record: plain bytes, or a string.
struct Piece {
  bool is_text = false;
  bool is_wide = false;
  std::uint32_t bytes = 0;  // without a string's length word
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
    case shm::FieldType::f80:
      if (arg.kind != RS_ARG_LONG_DOUBLE) return false;
      std::memcpy(piece->number, arg.value.long_number, 10);
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

// Cuts a string to at most `bytes`, not through a character.
void cut_text(Piece* piece, std::uint32_t bytes) {
  if (piece->bytes <= bytes) return;
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

void record(rs_site* site, std::uint8_t state, std::span<Piece> pieces) {
  if (attached_ring() == nullptr) {
    const Attached attached = attach_ring();
    if (attached != Attached::kYes) return rs_dropped(site, dropped(cause_of(attached)));
  }
  shm::RingMetadata* const ring = attached_ring();
  if (ring == nullptr) {  // a handler forked, and this is the child
    return count_refusal(site, shm::LossCause::kNoRing);
  }
  std::uint64_t bytes = shm::kHeadBytes + total_bytes(pieces);
  const std::uint64_t max_bytes = rs_thread_state.max_record_bytes;
  const bool cut = bytes > max_bytes;
  if (cut) {
    std::uint64_t fixed = shm::kExtendedHeadBytes;
    for (const Piece& p : pieces) fixed += p.is_text ? sizeof p.bytes : p.bytes;
    cut_texts(pieces, max_bytes - fixed);
    bytes = shm::kExtendedHeadBytes + total_bytes(pieces);
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
  const std::uint64_t head = shm::make_head(tsc, cut ? shm::kCodeExtended : id);
  std::memcpy(p, &head, sizeof head);
  p += sizeof head;
  if (cut) {
    const std::uint32_t words[3] = {id, shm::kExtCut, static_cast<std::uint32_t>(bytes)};
    std::memcpy(p, words, sizeof words);
    p += sizeof words;
  }
  for (const Piece& piece : pieces) p = store_piece(piece, p);
  rs_publish(start, bytes);
}

}  // namespace
}  // namespace ringside

void rs_record_args(rs_site* site, std::uint8_t state, const rs_arg* args, std::uint32_t count) {
  using namespace ringside;
  std::array<Piece, RS_MAX_FIELDS> storage;
  // Only with -w does a compiler accept this, or arguments that do not match below.
  if (count != site->field_count || count > storage.size()) {
    return count_refusal(site, shm::LossCause::kDictionaryFull);
  }
  const std::span<Piece> pieces = std::span(storage).first(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const rs_field& field = site->fields[i];
    const bool text = static_cast<shm::FieldType>(field.type) == shm::FieldType::string;
    const bool fits = text ? convert_text(field, {args, count}, args[i], &pieces[i])
                           : convert_number(field, args[i], &pieces[i]);
    if (!fits) return count_refusal(site, shm::LossCause::kDictionaryFull);
  }
  record(site, state, pieces);
}

void rs_record_pieces(rs_site* site, std::uint8_t state, const rs_piece* stored,
                      std::uint32_t count) {
  using namespace ringside;
  std::array<Piece, RS_MAX_FIELDS> storage;
  if (count > storage.size()) return count_refusal(site, shm::LossCause::kDictionaryFull);
  const std::span<Piece> pieces = std::span(storage).first(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    pieces[i].bytes = stored[i].bytes;
    pieces[i].is_text = stored[i].form != RS_PIECE_PLAIN;
    pieces[i].is_wide = stored[i].form == RS_PIECE_WIDE;
    if (pieces[i].is_text) {
      pieces[i].text = stored[i].data;
    } else {
      pieces[i].bytes = std::min<std::uint32_t>(stored[i].bytes, sizeof pieces[i].number);
      std::memcpy(pieces[i].number, stored[i].data, pieces[i].bytes);
    }
  }
  record(site, state, pieces);
}
