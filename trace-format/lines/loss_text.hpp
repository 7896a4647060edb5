#pragma once
// Losses as text and as tokens.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// "12 records: the ring was full".
std::string loss_text(const Event& loss);

// What tools say about a cause: the only list of these texts.
struct LossCauseText {
  LossCause cause;
  std::string_view token;    // for programs: "ring_full"
  std::string_view name;     // in a table: "ring full"
  std::string_view text;     // in a line: "the ring was full"
  std::string_view meaning;  // sentences
  std::string_view remedy;
};

// All causes, by their numbers.
std::span<const LossCauseText> loss_cause_texts();

// The texts of kUnknown for a number that is not a cause.
const LossCauseText& loss_cause_text(LossCause cause);

inline std::string_view loss_cause_token(LossCause cause) {
  return loss_cause_text(cause).token;
}

}  // namespace ringside::trace
