#include "tools/interop/live_publisher.hpp"

namespace ringside::tool {
namespace {

// Shown records keep their space on the disk until then.
constexpr std::uint64_t kMostPublishedBytes = std::uint64_t{256} << 20;

}  // namespace

LiveRecords live_records_of(TraceBuilder& builder) {
  return {[&builder] { return builder.has_news(); },
          [&builder](bool everything, std::string* error) {
            return builder.publish(everything, error);
          },
          [&builder] { return builder.published_bytes(); },
          [&builder] { builder.release_published(); }};
}

int LivePublisher::patience_ms() const {
  if (!is_live()) return -1;
  return has_news() ? kPauseMs : kCheckMs;
}

bool LivePublisher::paused() {
  if (!is_live() || !wanted_) return wanted_;
  if (view_.is_over && view_.is_over()) return wanted_ = false;
  return !has_news() || publish(true);
}

bool LivePublisher::arrived() {
  if (!is_live() || !wanted_) return wanted_;
  if (Clock::now() - last_ < std::chrono::milliseconds(kLongestMs)) return true;
  if (view_.is_over && view_.is_over()) return wanted_ = false;
  return !has_news() || publish(records_.bytes() > kMostPublishedBytes);
}

bool LivePublisher::publish(bool everything) {
  std::string error;
  const std::vector<std::string> paths = records_.publish(everything, &error);
  // A failed write is reported by the source's end.
  wanted_ = error.empty() && view_.show(paths);
  if (everything && wanted_) records_.release();
  last_ = Clock::now();
  return wanted_;
}

}  // namespace ringside::tool
