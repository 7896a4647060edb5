#include "consumerd/poll/session_files.hpp"

#include <utility>

namespace ringside::consumer {

void SessionFiles::follow_policy(const Options& options, const Sessions& sessions) {
  if (keeper_ != nullptr) return keeper_->set_keep(options.keep);
  if (!options.keep.asks_for_work()) return;
  keeper_ = std::make_unique<FileKeeper>(options, log_);
  for (const auto& session : sessions) adopt(*session);
}

void SessionFiles::adopt(const SegmentSession& session) {
  if (keeper_) keeper_->adopt(session.file().stem());
}

void SessionFiles::notify(const Sessions& sessions) {
  if (keeper_ == nullptr) return;
  std::uint64_t ended = 0;
  for (const auto& session : sessions) ended += session->files_ended();
  if (ended != std::exchange(files_ended_, ended)) keeper_->look();
  keeper_->notify();
}

}  // namespace ringside::consumer
