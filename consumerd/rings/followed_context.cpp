#include "consumerd/rings/followed_context.hpp"

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/codec/context_task.hpp"
#include "trace-format/codec/ring_arguments.hpp"

namespace ringside::consumer {

void FollowedContext::enter(const trace::RingRecordView& record) {
  is_decoded_ = false;
  // The main trace quarantines a ring that has a larger one.
  const bool is_none =
      record.site->fields.empty() || record.arguments.size() > shm::kMaxContextBytes;
  context_.site_id = is_none ? 0 : record.site->id;
  context_.arguments.clear();
  if (!is_none) context_.arguments.assign(record.arguments.begin(), record.arguments.end());
}

const trace::RecordContext* FollowedContext::decode(const trace::SiteTable& sites) {
  // A context that another consumer has left is not trusted.
  const trace::Site* const site = sites.find(context_.site_id);
  if (site == nullptr || site->kind != shm::SiteKind::kContext ||
      !trace::decode_ring_arguments(*site, context_.arguments, &decoded_.args)) {
    context_ = {};
    return nullptr;
  }
  decoded_.site = site;
  trace::find_task(decoded_);
  is_decoded_ = true;
  return &decoded_;
}

}  // namespace ringside::consumer
