#pragma once
// A log statement as a type: its static description, the check of its arguments against its
// format, and the record path specialised for them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "abi.h"
#include "shm-layout/printf_fields.hpp"

namespace ringside::detail {

struct StatementText {
  const char* format;
  const char* file;
  const char* function;
  const char* arguments;
  std::uint32_t line;
  std::uint8_t level;
  std::uint8_t flags;  // RS_SITE_
};

// Integer promotion and array decay, as for the variable arguments of printf.
template <class T>
struct Promoted {
  using type = T;
};
template <class T>
requires(std::is_integral_v<T> ||
         (std::is_enum_v<T> && std::is_convertible_v<T, long long>)) struct Promoted<T> {
  using type = decltype(+T{});
};
template <class T>
using promoted_t = typename Promoted<T>::type;

template <class T, class... Any>
inline constexpr bool is_one_of = (std::is_same_v<T, Any> || ...);

template <class T>
inline constexpr bool is_text_pointer = std::is_pointer_v<T>&&
    is_one_of<std::remove_cv_t<std::remove_pointer_t<T>>, char, signed char, unsigned char>;

template <class T>
inline constexpr bool is_wide_pointer =
    std::is_pointer_v<T>&& std::is_same_v<std::remove_cv_t<std::remove_pointer_t<T>>, wchar_t>;

// Whether an argument of type T (arrays decayed) matches printf's conversion for `field`. The rules
// are those of -Wformat: the sign of an integer may differ, its size may not.
template <class T>
consteval bool argument_fits(const shm::PrintfField& field) {
  using P = promoted_t<T>;
  constexpr bool is_int = is_one_of<P, int, unsigned>;
  constexpr bool is_long = is_one_of<P, long, unsigned long>;
  constexpr bool is_long_long = is_one_of<P, long long, unsigned long long>;
  if (field.role != shm::PrintfRole::value) return is_int;
  switch (field.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
      switch (field.length) {
        case shm::LengthModifier::none:
        case shm::LengthModifier::h:
        case shm::LengthModifier::hh:
          return is_int;
        case shm::LengthModifier::ll:
          return is_long_long;
        default:  // l z j t: all of them are long on LP64
          return is_long;
      }
    case 'c':
    case 'C':
      return is_int || (field.wide && std::is_same_v<T, wchar_t>);
    case 's':
    case 'S':
      return field.wide ? is_wide_pointer<T> : is_text_pointer<T>;
    case 'p':
      return std::is_pointer_v<T> || std::is_null_pointer_v<T>;
    default:
      return field.length == shm::LengthModifier::L ? std::is_same_v<T, long double>
                                                    : is_one_of<T, float, double>;
  }
}

// The bytes one argument takes in a ring and how they are stored. Numbers are plain stores; strings
// carry their length, computed once.
template <class Stored>
struct NumberArgument {
  Stored value;
  static constexpr bool kIsText = false;
  static constexpr std::uint64_t bytes() { return sizeof(Stored); }
  unsigned char* store(unsigned char* p) const {
    std::memcpy(p, &value, sizeof value);
    return p + sizeof value;
  }
};

struct LongDoubleArgument {
  long double value;
  static constexpr bool kIsText = false;
  static constexpr std::uint64_t bytes() { return 10; }
  unsigned char* store(unsigned char* p) const {
    std::memcpy(p, &value, 10);
    return p + 10;
  }
};

struct TextArgument {
  const char* text;
  std::uint32_t length;
  static constexpr bool kIsText = true;
  std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }
  unsigned char* store(unsigned char* p) const {
    std::memcpy(p, &length, sizeof length);
    std::memcpy(p + sizeof length, text, length);
    return p + sizeof length + length;
  }
};

struct WideTextArgument {
  const std::int32_t* text;
  std::uint32_t length;
  static constexpr bool kIsText = true;
  std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }
  unsigned char* store(unsigned char* p) const {
    std::memcpy(p, &length, sizeof length);
    rs_utf8_store(text, p + sizeof length, length);
    return p + sizeof length + length;
  }
};

inline constexpr char kNullText[] = "(null)";
inline constexpr std::int64_t kNoLimit = -1;

// A string of at most `limit` bytes; with a limit it need not be terminated within it.
[[gnu::always_inline]] inline TextArgument measure_text(const char* text, std::int64_t limit) {
  if (text == nullptr) [[unlikely]] {
    const bool whole = limit < 0 || limit >= static_cast<std::int64_t>(sizeof kNullText) - 1;
    return {kNullText, whole ? static_cast<std::uint32_t>(sizeof kNullText) - 1 : 0};
  }
  const std::size_t length =
      limit < 0 ? __builtin_strlen(text) : strnlen(text, static_cast<std::size_t>(limit));
  return {text, static_cast<std::uint32_t>(length < UINT32_MAX ? length : UINT32_MAX)};
}

inline WideTextArgument measure_wide(const wchar_t* text, std::int64_t limit) {
  static constexpr std::int32_t kNullWide[] = {'(', 'n', 'u', 'l', 'l', ')', 0};
  static_assert(sizeof(wchar_t) == sizeof(std::int32_t));
  const auto* code_points = reinterpret_cast<const std::int32_t*>(text);
  if (text == nullptr) {
    const bool whole = limit < 0 || limit >= 6;
    return {kNullWide, whole ? 6U : 0U};
  }
  return {code_points, rs_utf8_bytes(code_points, limit)};
}

template <class T>
const volatile void* as_address(T value) {
  if constexpr (std::is_null_pointer_v<T>) {
    return nullptr;
  } else {
    return reinterpret_cast<const volatile void*>(value);
  }
}

template <class T>
rs_arg generic_argument(T value) {
  rs_arg arg{};
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
    arg.kind = RS_ARG_POINTER;
    arg.value.pointer = const_cast<const void*>(as_address(value));
  } else if constexpr (std::is_same_v<T, long double>) {
    arg.kind = RS_ARG_LONG_DOUBLE;
    std::memcpy(arg.value.long_number, &value, sizeof value);
  } else if constexpr (std::is_floating_point_v<T>) {
    arg.kind = RS_ARG_DOUBLE;
    arg.value.number = static_cast<double>(value);
  } else {
    arg.kind = RS_ARG_INTEGER;
    arg.value.integer = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  return arg;
}

// `Text` is the statement's own local type; it makes everything here unique to the statement.
template <class Text>
struct Statement {
  static constexpr StatementText kText = Text::text();
  static constexpr shm::FieldList kFields = shm::printf_fields(kText.format);

  static constexpr auto kFieldTable = [] {
    std::array<rs_field, kFields.count == 0 ? 1 : kFields.count> table{};
    for (std::size_t i = 0; i < kFields.count; ++i) {
      const shm::PrintfField& f = kFields[i];
      table[i] = {static_cast<std::uint8_t>(f.type),
                  static_cast<std::uint8_t>(f.role != shm::PrintfRole::value),
                  static_cast<std::uint8_t>(f.wide), f.precision_field, f.precision_literal};
    }
    return table;
  }();

  // Hidden: each shared object keeps and unloads its own statements.
  [[gnu::visibility("hidden")]] static inline std::array<rs_field, kFieldTable.size()> fields =
      kFieldTable;
  [[gnu::visibility("hidden")]] static inline constinit rs_site site = {
      .state = &rs_initial_switch,
      .id = 0,
      .format = kText.format,
      .file = kText.file,
      .function = kText.function,
      .arguments = kText.arguments,
      .fields = fields.data(),
      .field_count = static_cast<std::uint8_t>(kFields.count),
      .level = kText.level,
      .fields_from_format = 0,
      .flags = kText.flags,
      .line = kText.line,
      .unbooked_refusals = 0,
      .next = nullptr,
      .previous = nullptr};

  struct Loaded {
    Loaded() noexcept { rs_site_loaded(&site); }
    ~Loaded() { rs_site_unloaded(&site); }
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
  };
  [[gnu::visibility("hidden")]] static inline Loaded loaded;

  // The switch RS_SWITCH_ if the statement is to be recorded; 0 if it is switched off.
  [[gnu::always_inline]] static std::uint8_t enabled() {
    static_cast<void>(&loaded);  // instantiates it: the statement is known from load time
    return rs_site_enabled(&site);
  }

  // The format is here only so that the macro can pass on its arguments unchanged.
  template <class... Args>
  [[gnu::always_inline]] static void record(std::uint8_t state, const char* /*format*/,
                                            Args... args) {
    check<Args...>();
    if constexpr (kFields.ok() && kFields.count == sizeof...(Args)) {
      record_checked(state, std::make_index_sequence<sizeof...(Args)>(), args...);
    }
  }

 private:
  template <class... Args>
  static consteval void check() {
    constexpr shm::PrintfError error = kFields.error;
    static_assert(error != shm::PrintfError::writes_memory,
                  "Ringside refuses %n: it writes to memory");
    static_assert(error != shm::PrintfError::prints_errno,
                  "Ringside refuses %m: pass strerror(errno) with %s");
    static_assert(error != shm::PrintfError::positional,
                  "Ringside refuses positional arguments such as %1$d");
    static_assert(error != shm::PrintfError::unknown_conversion,
                  "unknown conversion in the format; write %% for a percent sign");
    static_assert(error != shm::PrintfError::invalid_length,
                  "invalid length modifier for a conversion in the format");
    static_assert(error != shm::PrintfError::incomplete,
                  "the format ends inside a conversion; write %% for a percent sign");
    static_assert(error != shm::PrintfError::too_many_fields,
                  "more than 32 arguments in one message (each * counts as one)");
    static_assert(error != shm::PrintfError::width_too_large, "field width above 4095");
    static_assert(error != shm::PrintfError::precision_too_large, "precision above 4095");
    static_assert(error != shm::PrintfError::format_too_long, "format longer than 64 KiB");
    static_assert(error != shm::PrintfError::embedded_nul, "NUL character inside the format");
    if constexpr (kFields.ok()) {
      static_assert(kFields.count == sizeof...(Args),
                    "the number of arguments does not match the format");
      if constexpr (kFields.count == sizeof...(Args)) {
        []<std::size_t... I>(std::index_sequence<I...>) {
          static_assert((argument_fits<Args>(kFields[I]) && ...),
                        "the type of an argument does not match its conversion in the format");
        }
        (std::make_index_sequence<sizeof...(Args)>());
      }
    }
  }

  template <std::size_t I, class... Args>
  [[gnu::always_inline]] static auto prepare(const std::array<std::int64_t, RS_MAX_FIELDS>& stars,
                                             Args... args) {
    constexpr shm::PrintfField field = kFields[I];
    const auto value = nth<I>(args...);
    if constexpr (field.type == shm::FieldType::string) {
      std::int64_t limit = field.precision_literal >= 0 ? field.precision_literal : kNoLimit;
      if constexpr (field.precision_field >= 0) {
        constexpr auto kStar = static_cast<std::uint8_t>(field.precision_field);
        limit = stars[kStar];
      }
      if constexpr (field.conversion == 'c' || field.conversion == 'C') {
        return CodePointArgument{static_cast<std::int32_t>(value)};
      } else if constexpr (field.wide) {
        return measure_wide(value, limit);
      } else {
        return measure_text(reinterpret_cast<const char*>(value), limit);
      }
    } else if constexpr (field.type == shm::FieldType::f80) {
      return LongDoubleArgument{value};
    } else if constexpr (field.type == shm::FieldType::f64) {
      return NumberArgument<double>{static_cast<double>(value)};
    } else if constexpr (field.type == shm::FieldType::pointer) {
      return NumberArgument<const volatile void*>{as_address(value)};
    } else {
      constexpr std::size_t kBytes = shm::fixed_size(field.type);
      using Stored = std::conditional_t<
          kBytes == 1, std::uint8_t,
          std::conditional_t<kBytes == 2, std::uint16_t,
                             std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;
      return NumberArgument<Stored>{static_cast<Stored>(value)};
    }
  }

  // A %lc argument: one character, stored as the string of its UTF-8 bytes.
  struct CodePointArgument {
    std::int32_t text[2];
    std::uint32_t length;
    static constexpr bool kIsText = true;
    explicit CodePointArgument(std::int32_t c)
        : text{c, 0}, length(rs_utf8_bytes(text, kNoLimit)) {}
    std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }
    unsigned char* store(unsigned char* p) const { return WideTextArgument{text, length}.store(p); }
  };

  template <std::size_t I, class First, class... Rest>
  [[gnu::always_inline]] static auto nth(First first, Rest... rest) {
    if constexpr (I == 0) {
      return first;
    } else {
      return nth<I - 1>(rest...);
    }
  }

  template <std::size_t... I, class... Args>
  [[gnu::always_inline]] static void record_checked(std::uint8_t state, std::index_sequence<I...>,
                                                    Args... args) {
    [[maybe_unused]] std::array<std::int64_t, RS_MAX_FIELDS> stars;
    (note_star<I>(stars, args), ...);
    store(state, generic_call<Args...>(state, args...), prepare<I>(stars, args...)...);
  }

  template <std::size_t I, class Arg>
  [[gnu::always_inline]] static void note_star(std::array<std::int64_t, RS_MAX_FIELDS>& stars,
                                               Arg arg) {
    if constexpr (kFields[I].role == shm::PrintfRole::precision) {
      stars[I] = static_cast<int>(arg);
    }
  }

  // The record's form if it is too large to be stored as it is.
  template <class... Args>
  [[gnu::always_inline]] static auto generic_call(std::uint8_t state, Args... args) {
    return [=]() __attribute__((cold, noinline)) {
      const rs_arg list[sizeof...(Args) + 1] = {generic_argument(args)...};
      rs_record_args(&site, state, list, sizeof...(Args));
    };
  }

  template <class TooLarge, class... Stored>
  [[gnu::always_inline]] static void store(std::uint8_t state, TooLarge too_large,
                                           const Stored&... arguments) {
    const std::uint64_t bytes = (std::uint64_t{8} + ... + arguments.bytes());
    if constexpr ((Stored::kIsText || ...)) {
      if (bytes > rs_thread_state.max_record_bytes) [[unlikely]] {
        too_large();
        return;
      }
    }
    std::uint64_t tsc = 0;
    const std::uint64_t start = rs_reserve(state, bytes, &tsc);
    if (start >= RS_DROPPED) [[unlikely]] {
      rs_dropped(&site, start);
      return;
    }
    unsigned char* p = rs_place(start);
    const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site.id;
    std::memcpy(p, &head, sizeof head);
    p += sizeof head;
    ((p = arguments.store(p)), ...);
    rs_publish(start, bytes);
  }
};

}  // namespace ringside::detail
