#pragma once
// What all lines of one statement and thread have in common.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "tools/site_message.hpp"
#include "trace-format/message_text.hpp"
#include "trace-format/text_sink.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// Immutable: any number of threads may use it. Refers to nothing of the trace.
class LineText {
 public:
  // `format` may be null: then `head` is the line but for its time.
  LineText(std::string head, std::shared_ptr<const trace::MessageFormat> format);

  // Whether the text depends on a record's arguments.
  bool has_arguments() const { return format_ != nullptr; }

  // Appends the line behind its time, with its newline.
  void append(trace::TextSink& out, std::span<const trace::Value> args, bool cut) const;

 private:
  std::string head_;  // then TextSink::kSlack bytes
  std::size_t head_bytes_;
  std::shared_ptr<const trace::MessageFormat> format_;
};

// Finds the LineText of an event, or makes it at the first one of its kind. Not thread-safe.
class LineTexts {
 public:
  // With `color` the level stands between a terminal's escape sequences.
  explicit LineTexts(bool color = false) : color_(color) {}

  // Valid until the next call; a copy keeps it.
  const std::shared_ptr<const LineText>& of(const trace::Event& event);

 private:
  // A site's or stream's address means something within its section only, see
  // trace::Event::section.
  struct Key {
    const trace::Site* site = nullptr;
    const trace::StreamInfo* stream = nullptr;
    std::uint32_t section = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Text {
    std::shared_ptr<const LineText> text;
    std::uint32_t revision = 0;  // of the stream's name
  };
  struct Recent {
    Key key;
    const Text* text = nullptr;  // in texts_
  };
  static constexpr std::size_t kRecent = 256;

  std::shared_ptr<const LineText> make_loss(const trace::Event& event) const;
  const Text& find(const Key& key, const trace::Event& event);
  std::shared_ptr<const LineText> make(const trace::Event& event);
  const SiteMessage& message_of(const trace::Event& event);

  bool color_;
  std::array<Recent, kRecent> recent_;  // by hash
  std::unordered_map<Key, Text, KeyHash> texts_;
  std::unordered_map<Key, SiteMessage, KeyHash> messages_;
  std::shared_ptr<const LineText> loss_;
};

}  // namespace ringside::tool
