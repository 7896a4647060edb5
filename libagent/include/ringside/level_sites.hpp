#pragma once
// The sites of a statement whose level is an expression: one if the level is a constant, otherwise
// one for each level. Every tool then finds a statement with one level, as any other.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi.h"

namespace ringside::detail {

// The level itself, or the nearest one: for numbers below RS_LEVEL_TRACE that, for numbers above
// RS_LEVEL_CRITICAL that.
template <class T>
constexpr std::uint8_t nearest_level(T level) {
  if constexpr (std::is_enum_v<T>) {
    return nearest_level(static_cast<std::underlying_type_t<T>>(level));
  } else {
    static_assert(std::is_integral_v<T>,
                  "the level of a statement is an enum rs_level, or an integer");
    const auto number = +level;
    if (number < RS_LEVEL_TRACE + 0) return RS_LEVEL_TRACE;
    if (number > RS_LEVEL_CRITICAL + 0) return RS_LEVEL_CRITICAL;
    return static_cast<std::uint8_t>(number);
  }
}

constexpr rs_site with_level(rs_site site, std::uint8_t level, std::uint8_t flags) {
  site.level = level;
  site.flags = static_cast<std::uint8_t>(site.flags | flags);
  return site;
}

// `kLevel`: the constant level, or 0. `Text` and `Call`: as those of Site.
template <class Text, class Call, std::uint8_t kLevel>
struct LevelSites {
  [[gnu::visibility("hidden")]] static inline rs_site site = Text::site(&Call::signature);

  [[gnu::always_inline]] static rs_site* at(std::uint8_t /*level*/, int /*min_level*/) {
    RS_LIST_SITE_(site);
    return &site;
  }
};

template <class Text, class Call>
struct LevelSites<Text, Call, 0> {
  static constexpr rs_site make(std::uint8_t level) {
    return with_level(Text::site(&Call::signature), level, RS_SITE_ON_FIRST_USE);
  }
  [[gnu::visibility("hidden")]] static inline rs_site sites[RS_LEVEL_CRITICAL] = {
      make(RS_LEVEL_TRACE),   make(RS_LEVEL_DEBUG), make(RS_LEVEL_INFO),    make(RS_LEVEL_NOTICE),
      make(RS_LEVEL_WARNING), make(RS_LEVEL_ERROR), make(RS_LEVEL_CRITICAL)};

  // Null below `min_level`. `level`: a nearest_level().
  [[gnu::always_inline]] static rs_site* at(std::uint8_t level, int min_level) {
    RS_LIST_SITE_(sites[0]);
    RS_LIST_SITE_(sites[1]);
    RS_LIST_SITE_(sites[2]);
    RS_LIST_SITE_(sites[3]);
    RS_LIST_SITE_(sites[4]);
    RS_LIST_SITE_(sites[5]);
    RS_LIST_SITE_(sites[6]);
    return level >= min_level ? &sites[level - RS_LEVEL_TRACE] : nullptr;
  }
};

}  // namespace ringside::detail
