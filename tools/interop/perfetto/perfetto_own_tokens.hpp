#pragma once
// Names in Ringside's own annotations for the facts of statements and losses.

#include <array>
#include <string_view>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/loss_cause.hpp"
#include "tools/interop/event_facts.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool::perfetto {

// An unknown name becomes the most common value.

inline shm::Level level_of(std::string_view name) {
  for (auto level = shm::Level::kNone; level != shm::Level::kOff;
       level = static_cast<shm::Level>(static_cast<unsigned>(level) + 1)) {
    if (shm::level_name(level) == name) return level;
  }
  return shm::Level::kInfo;
}

inline shm::SiteKind kind_of(std::string_view name, shm::SiteKind otherwise) {
  using enum shm::SiteKind;
  for (const shm::SiteKind kind : {kLog, kEvent, kSpan, kCounter, kHistogram}) {
    if (kind_name(kind) == name) return kind;
  }
  return otherwise;
}

inline shm::LossCause cause_of(std::string_view token) {
  for (unsigned number = 1; number <= static_cast<unsigned>(shm::kLastLossCause); ++number) {
    const auto cause = static_cast<shm::LossCause>(number);
    if (trace::loss_cause_token(cause) == token) return cause;
  }
  return shm::LossCause::kUnknown;
}

constexpr std::string_view style_name(shm::FormatStyle style) {
  constexpr std::string_view kNames[] = {"", "printf", "brace"};
  const auto number = static_cast<std::size_t>(style);
  return number < std::size(kNames) ? kNames[number] : std::string_view();
}

inline shm::FormatStyle style_of(std::string_view name) {
  using enum shm::FormatStyle;
  for (const shm::FormatStyle style : {printf, brace}) {
    if (style_name(style) == name) return style;
  }
  return none;
}

}  // namespace ringside::tool::perfetto
