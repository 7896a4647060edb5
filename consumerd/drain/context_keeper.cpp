#include "consumerd/drain/context_keeper.hpp"

namespace ringside::consumer {

trace::StreamContext ContextKeeper::load(std::uint64_t consumer_pos, std::uint64_t start_pos) {
  last_ = {};
  shm::ConsumedContext* const kept = segment_->consumed_context(index_);
  if (kept == nullptr) return {};
  kept->forget_after(consumer_pos);
  const auto [site_id, arguments] = kept->kept_at(consumer_pos, start_pos);
  last_ = {site_id, {arguments.begin(), arguments.end()}};
  return last_;
}

void ContextKeeper::keep(const trace::StreamContext& context, std::uint64_t pos,
                         std::uint64_t consumer_pos) {
  if (context.site_id == last_.site_id && context.arguments == last_.arguments) return;
  last_ = context;
  shm::ConsumedContext* const kept = segment_->consumed_context(index_);
  if (kept != nullptr) kept->store(pos, consumer_pos, context.site_id, context.arguments);
}

}  // namespace ringside::consumer
