#include "tools/fleet/trace_spool.hpp"

#include <utility>

#include <fmt/format.h>

namespace ringside::fleet {

std::unique_ptr<TraceSpool> TraceSpool::open(const std::string& directory, std::uint64_t most_bytes,
                                             DeliveryQueue& queue, Complain complain,
                                             std::string* why) {
  std::unique_ptr<TraceSpool> opened(new TraceSpool(most_bytes, queue, std::move(complain)));
  TraceSpool& spool = *opened;
  spool.sink_ = FileSink::open(
      directory,
      [&spool](std::string_view key, Bytes& contents) {
        spool.last_fetch_ = spool.queue_.fetch_contents(key, contents);
        return spool.last_fetch_;
      },
      why, FileLayout::kFlat);
  return spool.sink_ == nullptr ? nullptr : std::move(opened);
}

bool TraceSpool::step(int timeout_ms, std::string* why) {
  if (!waiting_) {
    auto delivery = queue_.next(timeout_ms);
    if (!delivery) return true;
    waiting_ = std::move(delivery->message);
  }
  const FileSink::Taken taken = sink_->take(*waiting_, true, why);
  if (taken == FileSink::Taken::kFailed) return false;
  if (taken == FileSink::Taken::kNoDictionary) {
    if (last_fetch_ == DeliveryQueue::Fetched::kUnknown) return true;
    *why = "its dictionary is not in the bucket";
  }
  if (taken != FileSink::Taken::kYes) {
    complain_(
        fmt::format("message {} of {} is left out: {}", waiting_->number, waiting_->subject, *why));
  }
  waiting_.reset();
  if (sink_->counts().bytes <= most_bytes_) return true;
  *why = fmt::format(
      "the traces need more than {} bytes on the disk; choose fewer with "
      "nats://SERVER/HOST/SERVICE "
      "or --since, or raise --fleet-disk",
      most_bytes_);
  return false;
}

}  // namespace ringside::fleet
