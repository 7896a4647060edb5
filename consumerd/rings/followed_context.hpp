#pragma once
// The context of the next record of a ring's stream, as the service stated it, for conditions.

#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/ring_record_view.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

// Of one ring.
class FollowedContext {
 public:
  // The stream is in this context: rules may have hidden values of it.
  void begin(trace::StreamContext context) {
    context_ = std::move(context);
    is_decoded_ = false;
  }

  // `record`: whole, of a site. Others than those of contexts change nothing.
  void pass(const trace::RingRecordView& record) {
    if (record.site->kind == shm::SiteKind::kContext) [[unlikely]]
      enter(record);
  }

  // Null: none. Valid until the next call of another function.
  const trace::RecordContext* decoded(const trace::SiteTable& sites) {
    if (context_.site_id == 0) return nullptr;
    return is_decoded_ ? &decoded_ : decode(sites);
  }

  const trace::StreamContext& stated() const { return context_; }

 private:
  void enter(const trace::RingRecordView& record);
  const trace::RecordContext* decode(const trace::SiteTable& sites);

  trace::StreamContext context_;
  trace::RecordContext decoded_;  // of context_, if is_decoded_
  bool is_decoded_ = false;
};

}  // namespace ringside::consumer
