#pragma once
// A statement in stream style: its description, its gate, and its call.

#include <cstddef>
#include <cstdint>
#include <string.h>

#include "abi.h"
#include "burst.hpp"
#include "statement.hpp"
#include "stream_operand.hpp"
#include "stream_site.hpp"
#include "stream_value.hpp"
#include "taken_fields.hpp"
#if defined(RINGSIDE_USDT)
#include "usdt_probe.hpp"
#endif

namespace ringside::detail {

// `Place`: the statement's own local type.
template <class Place>
struct StreamSite {
  [[gnu::visibility("hidden")]] static inline rs_site site = Place::site(RS_SITE_STREAM);
};

// The part of a call that depends on the types of its operands alone.
template <class... Operands>
struct StreamCall {
  static constexpr std::size_t kFields = (std::size_t{0} + ... + OperandFields<Operands>::kCount);
  static_assert(kFields <= RS_MAX_FIELDS,
                "more than 255 fields in one statement, texts and parts included: split it");
  static constexpr std::size_t kCount = sizeof...(Operands);

  // The shapes of the operands. Null if none has one.
  struct Shapes {
    const rs_shape* list[kCount + 1] = {};
    std::uint8_t count = 0;
    bool has_any = false;
  };
  static constexpr Shapes make_shapes(bool has_texts) {
    constexpr const rs_shape* kEach[] = {OperandFields<Operands>::shape()..., nullptr};
    constexpr bool kAreFields[] = {Operands::kIsField..., false};
    Shapes shapes;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (has_texts || kAreFields[i]) shapes.list[shapes.count++] = kEach[i];
      shapes.has_any = shapes.has_any || kEach[i] != nullptr;
    }
    return shapes;
  }
  [[gnu::visibility("hidden")]] static constexpr Shapes value_shapes = make_shapes(false);
  [[gnu::visibility("hidden")]] static constexpr Shapes all_shapes = make_shapes(true);

  // The types of the fields.
  struct FieldTypes {
    std::uint8_t list[kFields + 1] = {};
    std::uint8_t count = 0;
  };
  static constexpr FieldTypes make_types([[maybe_unused]] bool has_texts) {
    FieldTypes types;
    (add_operand<Operands>(types, has_texts), ...);
    return types;
  }
  [[gnu::visibility("hidden")]] static constexpr FieldTypes value_types = make_types(false);
  [[gnu::visibility("hidden")]] static constexpr FieldTypes all_types = make_types(true);

  static constexpr rs_signature make_signature(const FieldTypes& types, const Shapes& shapes) {
    rs_signature result{types.list, nullptr, types.count, 0};
    if (shapes.has_any) {
      result.argument_count = shapes.count;
      result.shapes = shapes.list;
    }
    return result;
  }

  [[gnu::visibility("hidden")]] static constexpr rs_signature values =
      make_signature(value_types, value_shapes);
  [[gnu::visibility("hidden")]] static constexpr rs_signature all =
      make_signature(all_types, all_shapes);
  [[gnu::visibility("hidden")]] static constexpr rs_stream_operand operands[] = {
      Operands::kOperand..., RS_STREAM_TEXT};
  [[gnu::visibility("hidden")]] static constexpr rs_stream_shape shape = {&values, &all, operands,
                                                                          kCount};

  // The first execution, or one with other texts.
  template <class... Passed>
  [[gnu::cold, gnu::noinline, gnu::visibility("hidden")]] static void record_slowly(
      rs_stream* stream, bool is_in_burst, const rs_stream_text* texts, Passed... passed) {
    rs_site* const site = rs_resolve_stream(stream, texts, __ehdr_start);
    if (site == nullptr) return;
    std::uint8_t state = rs_site_enabled(site);
    if (state == 0) return;
    if (is_in_burst) state = state_in_scope<true>(state);
    record_pieces(site, state, site == stream->site ? nullptr : texts, Stored<Passed>(passed)...);
  }

 private:
  template <class Operand>
  static constexpr void add_operand(FieldTypes& types, bool has_texts) {
    if (!has_texts && !Operand::kIsField) return;
    for (std::size_t i = 0; i < OperandFields<Operand>::kCount; ++i) {
      if (types.count == RS_MAX_FIELDS) return;
      types.list[types.count++] = OperandFields<Operand>::type(i);
    }
  }

  // `texts`: null unless they are recorded.
  template <class... Values>
  static void record_pieces(rs_site* site, std::uint8_t state, const rs_stream_text* texts,
                            const Values&... stored) {
    const rs_piece recorded[] = {stored.piece()..., {}};
    const rs_piece* value = recorded;
    constexpr std::size_t kFieldCounts[] = {OperandFields<Operands>::kCount..., 0};
    rs_piece pieces[kFields + 1] = {};
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (operands[i] != RS_STREAM_TEXT) {
        for (std::size_t field = 0; field < kFieldCounts[i]; ++field) pieces[count++] = *value++;
      } else if (texts != nullptr) {
        const auto bytes = static_cast<std::uint32_t>(strnlen(texts->text, texts->bytes));
        pieces[count++] = {texts++->text, bytes, RS_PIECE_TEXT};
      }
    }
    rs_record_pieces(site, state, pieces, count);
  }
};

template <class Place, class... Operands>
struct StreamStatement {
  static constexpr std::size_t kTexts = (std::size_t{0} + ... + !Operands::kIsField);
  [[gnu::visibility("hidden")]] static inline rs_stream_text texts[kTexts > 0 ? kTexts : 1] = {};
  [[gnu::visibility("hidden")]] static inline rs_site varying = Place::site(RS_SITE_STREAM_VARYING);
  [[gnu::visibility("hidden")]] static inline rs_stream stream = {
      &StreamSite<Place>::site, &varying, &StreamCall<Operands...>::shape, texts};

  // Whether these are the statement's texts. False before its first execution.
  template <class... Given>
  [[gnu::always_inline]] static bool has(const Given&... given) {
    // Pairs with the release of rs_resolve_stream: its id is that of its text.
    if constexpr (sizeof...(Given) == 0) {
      return __atomic_load_n(&texts[0].address, __ATOMIC_ACQUIRE) != nullptr;
    } else {
      const rs_stream_text* known = texts;
      return ((__atomic_load_n(&known++->address, __ATOMIC_ACQUIRE) == given.text) && ...);
    }
  }

  template <class All, class... Fields, class... Texts>
  [[gnu::always_inline]] static void record(std::uint8_t state, const All& stream_given,
                                            Types<Fields...> /*fields*/,
                                            Types<Texts...> /*texts*/) {
    RS_LIST_SITE_(StreamSite<Place>::site);
    RS_LIST_SITE_(varying);
    if (__builtin_expect(has(static_cast<const Texts&>(stream_given).operand...), 1)) {
      if constexpr ((OperandFields<typename Fields::Operand>::kIsPassed && ...)) {
        Recorder<typename Fields::Operand::Passed...>::record(
            &StreamSite<Place>::site, state,
            static_cast<const Fields&>(stream_given).operand.value...);
      } else {
        TakenFields<NaturalCodes, 0>::take(
            Recording{state}, taken_operand(static_cast<const Fields&>(stream_given).operand)...);
      }
      return;
    }
    const rs_stream_text given[] = {static_cast<const Texts&>(stream_given).operand.as_text()...,
                                    {}};
    if constexpr ((OperandFields<typename Fields::Operand>::kIsPassed && ...)) {
      StreamCall<Operands...>::record_slowly(
          &stream, Place::is_in_burst(), given,
          static_cast<const Fields&>(stream_given).operand.value...);
    } else {
      TakenFields<NaturalCodes, 0>::take(
          SlowRecording{given}, taken_operand(static_cast<const Fields&>(stream_given).operand)...);
    }
  }

 private:
  struct Recording {
    std::uint8_t state;
    template <class... Passed>
    [[gnu::always_inline]] void operator()(const Passed&... fields) const {
      Recorder<Passed...>::record(&StreamSite<Place>::site, state, fields...);
    }
  };
  struct SlowRecording {
    const rs_stream_text* given;
    template <class... Passed>
    [[gnu::always_inline]] void operator()(const Passed&... fields) const {
      StreamCall<Operands...>::template record_slowly<Passed...>(&stream, Place::is_in_burst(),
                                                                 given, fields...);
    }
  };
};

template <class Place, class All>
struct StreamStatementOf;
template <class Place, class... Each>
struct StreamStatementOf<Place, Types<Each...>> {
  using type = StreamStatement<Place, typename Each::Operand...>;
};

struct StreamState {
  std::uint8_t state;
};

#if defined(RINGSIDE_USDT)
// With the values as arguments, without the texts between them.
template <class Place, class All, class... Fields>
[[gnu::always_inline]] inline void probe_stream([[maybe_unused]] const All& given,
                                                Types<Fields...> /*fields*/) {
  probe<Place>(taken_operand(static_cast<const Fields&>(given).operand)...);
}
template <class Passed>
[[gnu::always_inline]] inline auto probe_value(const PassedField<Passed>& field) {
  return probe_value(field.value);
}
#endif

// operator& binds less than <<, and returns nothing.
template <class Place>
struct StreamRecord {
  std::uint8_t state;

  template <class Previous, class Last>
  [[gnu::always_inline]] void operator&(const Stream<Previous, Last>& given) const {
    using Given = Stream<Previous, Last>;
#if defined(RINGSIDE_USDT)
    probe_stream<Place>(given, typename Given::Fields());
#endif
    StreamStatementOf<Place, typename Given::All>::type::record(
        state, given, typename Given::Fields(), typename Given::Texts());
  }
};

}  // namespace ringside::detail
