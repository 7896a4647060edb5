#pragma once
// Keeps the context of a ring's stream in the segment, for the next consumer.

#include "consumerd/discover/attached_segment.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::consumer {

// Of one ring. One thread at a time uses it.
class ContextKeeper {
 public:
  ContextKeeper(const AttachedSegment& segment, std::uint32_t index)
      : segment_(&segment), index_(index) {}

  // What an earlier consumer has left for `consumer_pos`, in the stream that begins at `start_pos`.
  trace::StreamContext load(std::uint64_t consumer_pos, std::uint64_t start_pos);

  // The ring has another stream: what is stored says nothing about it.
  void begin_stream() { last_ = {}; }

  // Before anything up to `pos` is committed: `consumer_pos` is stored in the ring.
  void keep(const trace::StreamContext& context, std::uint64_t pos, std::uint64_t consumer_pos);

 private:
  const AttachedSegment* segment_;
  std::uint32_t index_;
  trace::StreamContext last_;  // that was stored or loaded
};

}  // namespace ringside::consumer
