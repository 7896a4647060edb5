#pragma once
// A log statement of C++: its static description, the list of statements, and the call.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abi.h"
#include "argument_fields.hpp"
#include "brace_signature.hpp"
#include "event_signature.hpp"
#include "printf_signature.hpp"
#include "signature.hpp"
#include "statement_check.hpp"
#include "stored_argument.hpp"

namespace ringside::detail {

// The types of a call's arguments after the format, decayed; arrays only if they are pointers to
// the statement's style.
template <class... Args>
struct Arguments {
  static constexpr std::size_t kCount = sizeof...(Args);
  static constexpr Argument kList[sizeof...(Args) + 1] = {argument_of<Args>()...};

  static constexpr Signature printf(shm::FormatText format) {
    return printf_signature(format, kList, sizeof...(Args), kStrictPrintf);
  }
  // `texts`: the source text of the format and the arguments.
  static constexpr Signature brace(shm::FormatText format, shm::FormatText texts) {
    return BraceSignature(format, kArgumentFields<Args...>, sizeof...(Args),
                          kFieldSequence<Args...>, texts)
        .result();
  }
  // Of an event. `texts`: the source text of its name and the arguments.
  static constexpr Signature event(shm::FormatText name, shm::FormatText texts) {
    return event_signature(name, kArgumentFields<Args...>, sizeof...(Args), kFieldSequence<Args...>,
                           texts);
  }
};

// How an argument is named in Arguments. Printf takes arrays as pointers.
template <unsigned kStyle>
struct TakenType {
  template <class T>
  using Of = std::conditional_t<is_fixed_array<T>, T, std::decay_t<const T>>;
};
template <>
struct TakenType<RS_STYLE_PRINTF> {
  template <class T>
  using Of = std::decay_t<const T>;
};

// Only for decltype.
template <unsigned kStyle, class... Args>
Arguments<typename TakenType<kStyle>::template Of<Args>...> arguments_of(const char* format,
                                                                         const Args&... args);

// Statements of one program or shared object, from load time on.
struct LoadedSites {
  LoadedSites() noexcept { rs_sites_loaded(__start_ringside_sites, __stop_ringside_sites); }
  ~LoadedSites() { rs_sites_unloaded(__start_ringside_sites, __stop_ringside_sites); }
  LoadedSites(const LoadedSites&) = delete;
  LoadedSites& operator=(const LoadedSites&) = delete;
};
// Hidden: each shared object keeps and unloads its own statements.
[[gnu::visibility("hidden")]] inline const LoadedSites loaded_sites;

// `Text`: the statement's own local type. It does not name its Call itself: g++ 12 fails on that in
// a generic lambda of a template.
template <class Text, class Call>
struct Site {
  [[gnu::visibility("hidden")]] static inline rs_site site = Text::site(&Call::signature);
};

// The functions that record arguments passed as `Passed`. Out of line, so that a statement's own
// code is a test and a call: that costs no more than the inlined code (perf/README.md), and takes a
// fraction of the compiler's time. Every rare case is a call in tail position: so the common one
// saves no registers.
template <class... Passed>
struct Recorder {
  [[gnu::noinline, gnu::visibility("hidden")]] static void record(rs_site* site, std::uint8_t state,
                                                                  Passed... passed) {
    record_stored(site, state, Stored<Passed>(passed)..., passed...);
  }

 private:
  [[gnu::always_inline]] static void record_stored(rs_site* site, std::uint8_t state,
                                                   const Stored<Passed>&... stored,
                                                   Passed... passed) {
    const std::uint64_t bytes = (std::uint64_t{8} + ... + stored.bytes());
    std::uint64_t start = 0;
    std::uint64_t tsc = 0;
    if constexpr ((Stored<Passed>::kIsText || ...)) {
      if (__builtin_expect(bytes > rs_thread_state.max_record_bytes, 0)) {
        return record_cut(site, state, passed...);
      }
      // Texts are measured once: they may change meanwhile.
      start = rs_reserve(state, bytes, &tsc);
      if (__builtin_expect(start >= RS_DROPPED, 0)) return rs_dropped(site, start);
    } else if (__builtin_expect(!rs_reserve_fast(state, bytes, &start, &tsc), 0)) {
      return record_slowly(site, start, tsc, passed...);
    }
    write(site, start, bytes, tsc, stored...);
  }

  [[gnu::always_inline]] static void write(rs_site* site, std::uint64_t start, std::uint64_t bytes,
                                           std::uint64_t tsc, const Stored<Passed>&... stored) {
    unsigned char* p = rs_place(start);
    const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site->id;
    memcpy(p, &head, sizeof head);
    p += sizeof head;
    ((p = stored.store(p)), ...);
    rs_publish(start, bytes);
  }

  // Goes on with the reservation at `start`. Only numbers.
  [[gnu::cold, gnu::noinline]] static void record_slowly(rs_site* site, std::uint64_t start,
                                                         std::uint64_t tsc, Passed... passed) {
    constexpr std::uint64_t kBytes = (std::uint64_t{8} + ... + Stored<Passed>::bytes());
    start = rs_reserve_slow(start, kBytes, tsc);
    if (start >= RS_DROPPED) return rs_dropped(site, start);
    write(site, start, kBytes, rs_thread_state.slow_tsc, Stored<Passed>(passed)...);
  }

  // A record that is too large, or the first of a thread. Only with texts.
  [[gnu::cold, gnu::noinline]] static void record_cut(rs_site* site, std::uint8_t state,
                                                      Passed... passed) {
    record_pieces(site, state, Stored<Passed>(passed)...);
  }

  static void record_pieces(rs_site* site, std::uint8_t state, const Stored<Passed>&... stored) {
    const rs_piece pieces[] = {stored.piece()...};
    rs_record_pieces(site, state, pieces, sizeof...(Passed));
  }
};

template <class... Passed>
[[gnu::always_inline]] inline void call(rs_site* site, std::uint8_t state, Passed... values) {
  Recorder<Passed...>::record(site, state, values...);
}

// The types of a statement's fields, with RS_CONSTANT_FIELD.
template <std::size_t kCount>
struct FieldTypeList {
  std::uint8_t types[kCount];
};

// The part of a call that depends on the types of its arguments. `kA` to `kD`: Signature::codes of
// up to RS_FEW_FIELDS fields; `kOwn`: the Signature of a statement with more, or whose texts have
// limits, otherwise null. `Types`: the Arguments of a statement for which the codes do not say
// everything (typed_call.hpp), otherwise void.
template <bool kIsSound, std::uint64_t kA, std::uint64_t kB, std::uint64_t kC, std::uint64_t kD,
          const Signature* kOwn, class Types>
struct Call {
  static constexpr unsigned code(std::size_t i) {
    if constexpr (kOwn != nullptr) {
      return kOwn->code(i);
    } else {
      constexpr std::uint64_t kCodes[] = {kA, kB, kC, kD};
      return i < RS_FEW_FIELDS ? static_cast<std::uint8_t>(kCodes[i / 8] >> (i % 8 * 8)) : 0U;
    }
  }

  static constexpr std::size_t field_count() {
    if constexpr (kOwn != nullptr) {
      return kOwn->count;
    } else {
      std::size_t count = 0;
      while (code(count) != 0) ++count;
      return count;
    }
  }
  static constexpr std::size_t kFields = field_count();

  static constexpr auto make_types() {
    FieldTypeList<kFields + 1> result{};
    for (std::size_t i = 0; i < kFields; ++i) {
      result.types[i] = static_cast<std::uint8_t>(code(i) & ~unsigned{kLimitedCode});
    }
    return result;
  }
  [[gnu::visibility("hidden")]] static constexpr FieldTypeList<kFields + 1> types = make_types();
  [[gnu::visibility("hidden")]] static constexpr rs_signature signature = {
      types.types, nullptr, static_cast<std::uint8_t>(kFields), 0};

  static constexpr bool has_limits() {
    if constexpr (kOwn != nullptr) {
      return kOwn->has_limits;
    } else {
      return false;
    }
  }

  template <class... Args>
  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state,
                                            const Args&... args) {
    pass(site, state, std::make_index_sequence<sizeof...(Args)>(), args...);
  }

 private:
  template <std::size_t... I, class... Args>
  [[gnu::always_inline]] static void pass(rs_site* site, std::uint8_t state,
                                          std::index_sequence<I...> /*indexes*/,
                                          const Args&... args) {
    if constexpr (!has_limits()) {
      call(site, state, passed<code(I)>(args, -1)...);
    } else {
      const std::int64_t limits[] = {as_limit(args)...};
      call(site, state, passed<code(I)>(args, limit_of<I>(limits))...);
    }
  }

  // What the argument is as the precision of another one.
  template <class T>
  [[gnu::always_inline]] static std::int64_t as_limit([[maybe_unused]] const T& argument) {
    if constexpr (std::is_convertible_v<T, int> && !std::is_floating_point_v<T>) {
      return static_cast<int>(argument);
    } else {
      return 0;
    }
  }

  template <std::size_t I>
  [[gnu::always_inline]] static std::int64_t limit_of(const std::int64_t* arguments) {
    constexpr std::int32_t kLimit = kOwn->limits[I];
    if constexpr (kLimit < 0) {
      return arguments[-1 - kLimit];
    } else {
      return kLimit;
    }
  }
};

// Takes the arguments of a call. Scalars by value: they may be bit-fields, members of packed
// classes, or static constants without a definition.
template <class Call, class Arguments>
struct BoundCall;
template <class Call, class... Args>
struct BoundCall<Call, Arguments<Args...>> {
  template <class T>
  using Taken = std::conditional_t<std::is_scalar_v<T> || is_wide_int<T>, T, const T&>;

  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state,
                                            const char* /*format*/, Taken<Args>... args) {
    Call::record(site, state, args...);
  }
};

// A call whose format does not match its arguments: an error was reported.
template <std::uint64_t kA, std::uint64_t kB, std::uint64_t kC, std::uint64_t kD,
          const Signature* kOwn, class Types>
struct Call<false, kA, kB, kC, kD, kOwn, Types> {
  static constexpr rs_signature signature{};
  template <class... Args>
  static void record(const Args&... /*args*/) {}
};

}  // namespace ringside::detail
