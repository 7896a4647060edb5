#pragma once
// A span between its beginning and its end.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "fixed_span_record.hpp"
#include "open_span_record.h"
#include "signature.hpp"
#include "span_record.h"
#include "statement.hpp"
#include "taken_fields.hpp"

namespace ringside {
namespace detail {

// Where the beginning of a span stores its values.
struct SpanValues {
  unsigned char* values;
  std::uint32_t* end;  // of the values until now
  std::uint32_t* flags;

  template <class... Passed>
  [[gnu::always_inline]] void operator()(const Passed&... fields) const {
    unsigned char* p = values + *end;
    ((p = store(Stored<Passed>(fields), p)), ...);
    *end = static_cast<std::uint32_t>(p - values);
  }

 private:
  template <class Value>
  [[gnu::always_inline]] unsigned char* store(const Value& value, unsigned char* p) const {
    if constexpr (!Value::kIsText) {
      return value.store(p);
    } else {
      static_assert(
          std::is_base_of_v<StoredText, Value>,
          "a span has numbers and texts; record arrays, bytes and wide texts by an event");
      StoredText text = value;
      if (__builtin_expect(text.length > RS_SPAN_TEXT_BYTES, 0)) {
        text.length = rs_whole_characters_(text.text);
        *flags |= RS_EXTENDED_CUT;
      }
      return text.store(p);
    }
  }
};

// Bytes of a value with this code, at most.
constexpr std::size_t span_value_bytes(unsigned code) {
  if ((code & kConstantCode) != 0) return 0;
  const shm::FieldType type = field_type(code);
  return shm::is_variable_length(type) ? sizeof(std::uint32_t) + RS_SPAN_TEXT_BYTES
                                       : shm::fixed_size(type);
}

struct SpanBegins {
  rs_site* site;
  std::uint8_t state;
};

// What a span with one record does not have.
struct NoActivity {};

}  // namespace detail

/// A span that was begun: see RS_NAMED_SPAN and RS_NAMED_OPEN_SPAN. `Statement`:
/// detail::SpanStatement.
template <class Statement>
class Span {
 public:
  using SpanStatement = Statement;

  /// One that is not recorded.
  Span() {}  // NOLINT(modernize-use-equals-default): which would set all bytes of `values_` to 0
  /// For RS_SPAN and RS_NAMED_SPAN.
  template <class... Args>
  [[gnu::always_inline]] explicit Span(const detail::SpanBegins& begins, const Args&... args)
      : site_(begins.site),
        begin_tsc_(Statement::kIsOpen ? 0 : rs_clock()),
        flags_(RS_EXTENDED_SPAN),
        state_(begins.state) {
    bytes_ = store<typename Statement::Codes, 0>(0, args...);
    first_bytes_ = bytes_;
    first_flags_ = flags_;
    if constexpr (Statement::kIsOpen) {
      begin_tsc_ = rs_record_span_begin_(site_, state_, values_, bytes_, flags_, &activity_);
    }
  }
  ~Span() { end(); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  /// Only of RS_NAMED_OPEN_SPAN: the new variable continues the span, on any thread.
  Span(Span&& other) noexcept
      : site_(other.site_),
        begin_tsc_(other.begin_tsc_),
        bytes_(other.bytes_),
        flags_(other.flags_),
        first_bytes_(other.first_bytes_),
        first_flags_(other.first_flags_),
        state_(std::exchange(other.state_, std::uint8_t{0})) {
    static_assert(Statement::kIsOpen, "only a span of RS_NAMED_OPEN_SPAN can be moved");
    if (state_ == 0) return;
    activity_ = other.activity_;
    memcpy(values_, other.values_, bytes_);
  }

  /// Ends the span here, and records it. Later calls and the end of the scope do nothing more.
  [[gnu::always_inline]] void end() {
    if (state_ == 0) return;
    if constexpr (Statement::kIsOpen) {
      rs_record_span_end_(&activity_, site_, state_, begin_tsc_, values_, bytes_, flags_);
    } else if constexpr (Statement::kSizes.is_fixed) {
      detail::record_fixed_values<Statement::kSizes.sizes>(site_, state_, begin_tsc_, values_);
    } else {
      rs_record_span_(site_, state_, begin_tsc_, values_, bytes_, flags_);
    }
    state_ = 0;
  }

  /// The span is not recorded. Not of RS_NAMED_OPEN_SPAN, whose beginning is recorded already.
  void cancel() {
    static_assert(!Statement::kIsOpen,
                  "the beginning of an open span is recorded already; end it, and state why by "
                  "RS_SPAN_SET");
    state_ = 0;
  }

  /// Whether there will be a record: the statement was enabled, and the span has not ended.
  bool is_recorded() const { return state_ != 0; }

  /// For RS_SPAN_SET. `site`: the statement with the values of the beginning and these.
  template <class Codes, class... Args>
  [[gnu::always_inline]] void set(rs_site* site, const Args&... args) {
    if (state_ == 0) return;
    const std::uint8_t state = rs_site_enabled(site);
    if (state == 0) return;
    flags_ = first_flags_;
    bytes_ = store<Codes, Statement::Codes::kFields>(first_bytes_, args...);
    site_ = site;
    state_ = state;
  }

 private:
  template <class Codes, std::size_t kField, class... Args>
  [[gnu::always_inline]] std::uint32_t store(std::uint32_t at, const Args&... args) {
    std::uint32_t end = at;
    detail::TakenFields<Codes, kField>::take(detail::SpanValues{values_, &end, &flags_}, args...);
    return end;
  }

  rs_site* site_ = nullptr;
  std::uint64_t begin_tsc_ = 0;
  std::uint32_t bytes_ = 0;
  std::uint32_t flags_ = 0;
  // Of the values of the beginning.
  std::uint32_t first_bytes_ = 0;
  std::uint32_t first_flags_ = 0;
  std::uint8_t state_ = 0;
  std::conditional_t<Statement::kIsOpen, rs_activity, detail::NoActivity> activity_;
  alignas(8) unsigned char values_[Statement::kRoom > 0 ? Statement::kRoom : 1];
};

}  // namespace ringside
