// Whether the messages of one format contain a literal, with as little formatting as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace-format/text/message_text.hpp"

namespace ringside::trace {

// Decides from the format's text and the kinds of its values, as far as possible once for all
// records. Immutable: any number of threads may use one.
class MessageLiteral {
 public:
  enum class Answer : std::uint8_t {
    kNever,
    kAlways,
    kByTexts,   // if one of the values that are texts contains the literal, as it is recorded
    kByValues,  // decided for each record
  };

  // The literal must not be empty.
  MessageLiteral(std::shared_ptr<const MessageFormat> format, std::string literal);

  Answer answer() const { return answer_; }
  // Whether the message of a record with these values contains the literal. `scratch` is
  // overwritten.
  bool matches(std::span<const Value> args, TextSink& scratch) const;

 private:
  enum class Part : std::uint8_t { kNone, kText, kCutText, kFormatted };

  void find_parts();
  bool may_cross_parts() const;

  std::shared_ptr<const MessageFormat> format_;
  std::string literal_;
  Answer answer_ = Answer::kByValues;
  bool whole_ = false;  // it can begin in one part of the message and end in another
  // For each conversion, how its value alone can contain the literal.
  std::vector<Part> parts_;
};

}  // namespace ringside::trace
