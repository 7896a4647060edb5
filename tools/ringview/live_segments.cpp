#include "tools/ringview/live_segments.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>

#include "tools/live/segment_image.hpp"
#include "tools/live/segment_salvage.hpp"
#include "tools/live/segment_status.hpp"

namespace ringside::tool {
namespace {

bool is_drained(const SegmentStatus& status) {
  return status.consumer != ConsumerHealth::kNone && status.sub_buffer_bytes == 0;
}

// A consumer has taken records that are in no file yet. If it was killed, its successor writes
// them: until then they would seem to be lost.
bool are_some_on_their_way(const SegmentStatus& status) {
  return std::any_of(status.rings.begin(), status.rings.end(),
                     [](const RingStatus& ring) { return ring.written_pos < ring.consumer_pos; });
}

LiveSegment totals_of(const SegmentStatus& status) {
  LiveSegment segment{status.path, 0, 0, status.lost()};
  for (const RingStatus& ring : status.rings) {
    segment.published_bytes += ring.producer_pos;
    segment.taken_bytes += ring.consumer_pos;
  }
  return segment;
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

bool look_at_segments(const ServiceChoice& choice, std::vector<LiveSegment>& found,
                      std::string* why) {
  why->clear();
  const std::vector<std::string> paths = chosen_segments(choice, why);
  if (!why->empty()) return false;
  for (const std::string& path : paths) {
    std::string fault;
    // Those of other users, and those that are not ready or not segments, have none for this user.
    const auto image = SegmentImage::open_live(path, &fault);
    if (image == nullptr) continue;
    const SegmentStatus status = read_status(*image, path);
    if (!is_drained(status) && !are_some_on_their_way(status)) found.push_back(totals_of(status));
  }
  return true;
}

SegmentCopy::SegmentCopy(OwnedFd fd, std::uint64_t bytes)
    : fd_(std::move(fd)), path_("/proc/self/fd/" + std::to_string(fd_.get())), bytes_(bytes) {}

std::optional<SegmentCopy> SegmentCopy::make(const std::string& segment, std::string* why) {
  const auto image = SegmentImage::open_live(segment, why);
  if (image == nullptr) return {};
  const SalvagedSegment salvaged = salvage_segment(*image);
  OwnedFd fd(::memfd_create("ringview segment", MFD_CLOEXEC));
  if (!fd || !write_all(fd.get(), salvaged.trace)) {
    *why = "its copy cannot be stored: " + std::generic_category().message(errno) +
           "; select fewer services with --service";
    return {};
  }
  return SegmentCopy(std::move(fd), salvaged.trace.size());
}

}  // namespace ringside::tool
