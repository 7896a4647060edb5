#pragma once
/// @file
/// Contexts, for C++17 and later: fields of all records that a thread makes in a scope.

#include "required_platform.h"
// Before all others.
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "context_abi.h"

namespace ringside {

/// A name and a value. Both must live until the constructor of the context has returned.
class ContextField {
 public:
  /// An integer, a boolean or a character.
  template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  ContextField(std::string_view name, Number value) noexcept : ContextField(name) {
    if constexpr (std::is_same_v<Number, bool>) {
      field_.value.type = RS_VALUE_BOOLEAN;
    } else if constexpr (std::is_same_v<Number, char>) {
      field_.value.type = RS_VALUE_CHARACTER;
    } else {
      field_.value.type = std::is_signed_v<Number> ? RS_VALUE_I64 : RS_VALUE_U64;
    }
    field_.value.integer = static_cast<std::int64_t>(value);
  }
  /// A fraction.
  ContextField(std::string_view name, double value) noexcept : ContextField(name) {
    field_.value.type = RS_VALUE_F64;
    field_.value.number = value;
  }
  /// A text.
  ContextField(std::string_view name, std::string_view value) noexcept : ContextField(name) {
    field_.value.type = RS_VALUE_TEXT;
    field_.value.data = value.data();
    field_.value.bytes = value.size();
  }
  /// A text; null: an empty one.
  ContextField(std::string_view name, const char* value) noexcept
      : ContextField(name, value != nullptr ? std::string_view(value) : std::string_view()) {}

  /// For the C interface.
  const rs_context_field& get() const noexcept { return field_; }

 private:
  explicit ContextField(std::string_view name) noexcept : field_{name.data(), name.size(), {}} {}

  rs_context_field field_;
};
static_assert(sizeof(ContextField) == sizeof(rs_context_field));

/// The fields in force in a thread, to carry them to another one.
class CapturedContext {
 public:
  /// Of the calling thread.
  CapturedContext() noexcept { rs_context_capture(&captured_); }
  /// For the C interface.
  const rs_captured_context& get() const noexcept { return captured_; }

 private:
  rs_captured_context captured_;
};

/// In its scope, each record of the calling thread has these fields, besides its own.
///
///     const ringside::Context context{{"user", id}, {"tenant", tenant}};
///     RS_INFO("loaded %d orders", count);  // has user and tenant
///
/// A thread stores its context once for each change, not for each record, and only if a record
/// follows. Contexts nest: an inner one adds fields, or replaces those of the same name. Tools show
/// the fields at the end of a record's line, and queries find them by name: `--where 'user == 7'`.
/// A span has the context in which it ends. At most 16 fields and 480 bytes are in force at a time
/// (rs_context_enter()).
/// @par Thread safety
/// Belongs to the thread that creates it, and ends there, in the reverse order of creation; not in
/// signal handlers. Costs no system call. A log call costs the same with and without a context.
class Context {
 public:
  /// Enters it. A context that is refused, see rs_context_enter(), has no effect.
  Context(std::initializer_list<ContextField> fields) noexcept
      : result_(rs_context_enter(fields.size() != 0 ? &fields.begin()->get() : nullptr,
                                 static_cast<std::uint32_t>(fields.size()), &before_)) {}
  /// The fields that were in force elsewhere.
  explicit Context(const CapturedContext& captured) noexcept
      : result_(rs_context_enter_captured(&captured.get(), &before_)) {}
  ~Context() { rs_context_leave(&before_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// 1, or an enum rs_refusal: why it has no effect.
  std::int32_t result() const noexcept { return result_; }

 private:
  rs_context_mark before_;
  std::int32_t result_;
};

}  // namespace ringside
