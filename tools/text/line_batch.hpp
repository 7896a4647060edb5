#pragma once
// Copies of events, so that another thread can format them while the reader continues.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace-format/lines/line_text.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {

// Reusable. Memory is bounded, except for a single event of any size.
class LineBatch {
 public:
  bool empty() const { return items_.empty(); }
  void clear();

  // Copies the parts of the event that its line needs. False if the batch is full: the event was
  // not added.
  bool add(const trace::Event& event, const std::shared_ptr<const trace::LineText>& text);

  // Appends the lines of all events.
  void append(trace::TextSink& out, trace::LineClocks& clocks) const;

 private:
  // Small enough that batches of several threads stay in their caches.
  static constexpr std::size_t kMostItems = 1024;
  static constexpr std::size_t kMostValues = 8192;
  static constexpr std::size_t kTextBytes = 256U << 10;
  static constexpr unsigned kRecentBits = 8;

  struct Item {
    std::uint64_t unix_ns = 0;
    std::uint64_t sequence = 0;
    const trace::LineText* text = nullptr;
    std::uint32_t values_end = 0;  // in values_
    std::uint32_t extension = 0;   // in extensions_, counted from 1; 0: none
    std::uint32_t processor = 0;
    std::uint32_t clock = 0;  // in clocks_, counted from 1; 0: none
  };
  // Of an event in a trace of several hosts.
  struct Clock {
    std::uint64_t error_ns = 0;
    bool order_unknown = false;
  };

  static std::size_t place_of(const trace::LineText* text);
  bool copy_values(std::span<const trace::Value> args);
  const trace::RecordContext* copy_of(const trace::RecordContext& context);

  std::vector<Item> items_;
  std::vector<trace::Value> values_;
  std::vector<char> texts_;  // of values
  std::vector<trace::RecordExtension> extensions_;
  std::vector<Clock> clocks_;
  // A trace's statements do not outlive the section that is being read.
  struct OwnContext {
    trace::RecordContext context;
    trace::Site site;   // only the names of its fields
    std::string texts;  // of its values
  };
  std::vector<std::unique_ptr<OwnContext>> contexts_;
  std::vector<std::shared_ptr<const trace::LineText>> kept_;
  // Of kept_, by place_of().
  std::array<const trace::LineText*, std::size_t{1} << kRecentBits> recent_{};
};

}  // namespace ringside::tool
