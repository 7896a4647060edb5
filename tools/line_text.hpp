#pragma once
// What all lines of one statement and thread have in common.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "tools/site_message.hpp"
#include "trace-format/text_sink.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

class LineFormat;
struct LineClocks;
struct LineEvent;

// Immutable: any number of threads may use it. Refers to nothing of the trace.
class LineText {
 public:
  LineText() = default;
  virtual ~LineText() = default;
  LineText(const LineText&) = delete;
  LineText& operator=(const LineText&) = delete;

  // Whether lines depend on a record's arguments.
  virtual bool has_arguments() const = 0;

  // Appends the event's line with its newline.
  virtual void append(trace::TextSink& out, const LineEvent& event, LineClocks& clocks) const = 0;
};

// Finds the LineText of an event, or makes it at the first one of its kind. Not thread-safe.
class LineTexts {
 public:
  // `format` must outlive the use.
  explicit LineTexts(const LineFormat& format) : format_(format) {}

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

  const Text& find(const Key& key, const trace::Event& event);
  const SiteMessage& message_of(const trace::Event& event);

  const LineFormat& format_;
  std::array<Recent, kRecent> recent_;  // by hash
  std::unordered_map<Key, Text, KeyHash> texts_;
  std::unordered_map<Key, SiteMessage, KeyHash> messages_;
  std::shared_ptr<const LineText> loss_;
};

}  // namespace ringside::tool
