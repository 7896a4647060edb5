#pragma once
// What all lines of one statement and thread have in common.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace-format/condition/site_message.hpp"
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
    std::uint32_t revision = 0;  // of the stream's name
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Text = std::shared_ptr<const LineText>;
  // All that is needed to find a line's text lies together: of thousands of threads that log side
  // by side each line is another one's, and what it takes is in no near cache.
  struct Recent {
    Key key;
    Text text;
  };
  static constexpr std::size_t kLeastRecent = 256;

  const Text& find(const Key& key, const trace::Event& event);
  const trace::SiteMessage& message_of(const trace::Event& event);
  Recent& place_of(const Key& key) { return recent_[KeyHash()(key) & (recent_.size() - 1)]; }

  const LineFormat& format_;
  std::vector<Recent> recent_{kLeastRecent};  // by hash; a power of two, twice as many as texts
  std::unordered_map<Key, Text, KeyHash> texts_;
  std::unordered_map<Key, trace::SiteMessage, KeyHash> messages_;
  Text loss_;
};

}  // namespace ringside::tool
