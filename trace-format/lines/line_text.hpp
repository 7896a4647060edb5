#pragma once
// The common part of all lines of one statement and thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace-format/condition/site_message.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

class LineFormat;
struct LineClocks;
struct LineEvent;

// Immutable: any number of threads may use it. Does not refer to the trace.
class LineText {
 public:
  LineText() = default;
  virtual ~LineText() = default;
  LineText(const LineText&) = delete;
  LineText& operator=(const LineText&) = delete;

  // Whether lines depend on a record's arguments.
  virtual bool has_arguments() const = 0;

  // Appends the event's line with its newline.
  virtual void append(TextSink& out, const LineEvent& event, LineClocks& clocks) const = 0;
};

// Finds the LineText of an event, or creates it for the first event of its kind. Not thread-safe.
class LineTexts {
 public:
  // `format` must outlive this object.
  explicit LineTexts(const LineFormat& format) : format_(format) {}

  // Valid until the next call; a copy stays valid.
  const std::shared_ptr<const LineText>& of(const Event& event);

 private:
  // The address of a site or stream is valid only within its section, see Event::section.
  struct Key {
    const Site* site = nullptr;
    const StreamInfo* stream = nullptr;
    std::uint32_t section = 0;
    std::uint32_t revision = 0;  // of the stream's name
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Text = std::shared_ptr<const LineText>;
  // Keeps everything needed to find a line's text together: with thousands of concurrent threads
  // each line belongs to another thread, and its data is in no near cache.
  struct Recent {
    Key key;
    Text text;
  };
  using Pair = std::array<Recent, 2>;
  static constexpr std::size_t kLeastRecent = 128;

  const Text& find(const Key& key, const Event& event);
  const SiteMessage& message_of(const Event& event);
  const Text& keep(const Key& key, const Text& text);
  Pair& places_of(const Key& key) { return recent_[KeyHash()(key) & (recent_.size() - 1)]; }

  const LineFormat& format_;
  // By hash; a power of two, at least twice the number of texts. Two places each: a text that is
  // not found here costs as much as its line.
  std::vector<Pair> recent_{kLeastRecent};
  std::unordered_map<Key, Text, KeyHash> texts_;
  std::unordered_map<Key, SiteMessage, KeyHash> messages_;
  Text loss_;
};

}  // namespace ringside::trace
