#include "tools/ringview/live_segments.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "tools/live/segment_image.hpp"
#include "tools/live/segment_salvage.hpp"
#include "tools/live/segment_status.hpp"
#include "trace-format/reader/open_files.hpp"

namespace ringside::tool {
namespace {

// Of the rings that are copied for one update.
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{256} << 20;
constexpr const char* kTooMany = "too many records in segments; select services with --service";

// Whether it has records that are in no file. A killed consumer can have taken records that only
// its successor writes: the ones after them would make them seem lost.
bool is_wanted(const SegmentStatus& status) {
  const bool is_drained = status.consumer != ConsumerHealth::kNone && status.sub_buffer_bytes == 0;
  return !is_drained &&
         std::none_of(status.rings.begin(), status.rings.end(),
                      [](const RingStatus& ring) { return ring.written_pos < ring.consumer_pos; });
}

LiveSegment totals_of(const SegmentStatus& status) {
  LiveSegment segment;
  segment.path = status.path;
  segment.lost = status.lost();
  for (const RingStatus& ring : status.rings) {
    segment.published_bytes += ring.producer_pos;
    segment.taken_bytes += ring.consumer_pos;
  }
  return segment;
}

std::uint64_t held_bytes_of(const SegmentStatus& status) {
  std::uint64_t bytes = 0;
  for (const RingStatus& ring : status.rings) bytes += ring.fill_bytes;
  return bytes;
}

std::vector<std::string> damage_of(const SalvagedSegment& salvaged, const std::string& path) {
  std::vector<std::string> damage;
  for (const std::string& note : salvaged.notes)
    damage.push_back(fmt::format("{}: {}", path, note));
  for (const SalvagedThread& thread : salvaged.threads) {
    if (!thread.damage.empty())
      damage.push_back(fmt::format("{}: thread {}: {}", path, thread.thread_id, thread.damage));
  }
  return damage;
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

// Most messages about segments begin with the path.
UnreadableFile unreadable_file(const std::string& path, std::string why) {
  const std::string prefix = path + ": ";
  if (why.starts_with(prefix)) why.erase(0, prefix.size());
  return {path, std::move(why)};
}

}  // namespace

bool find_segments(const ServiceChoice& choice, bool also_of_others, LiveSegments& found,
                   std::string* why) {
  why->clear();
  const std::vector<std::string> paths = chosen_segments(choice, why);
  if (!why->empty()) return false;
  for (const std::string& path : paths) {
    std::string fault;
    const auto image = SegmentImage::open_live(path, &fault);
    if (image == nullptr) {
      // Without a fault, it is gone or not ready yet.
      if (!fault.empty() && (also_of_others || ::access(path.c_str(), R_OK) == 0))
        found.unreadable.push_back(unreadable_file(path, std::move(fault)));
      continue;
    }
    const SegmentStatus status = read_status(*image, path);
    if (is_wanted(status)) found.segments.push_back(totals_of(status));
  }
  return true;
}

std::optional<SegmentCopy> SegmentCopy::make(const std::string& segment,
                                             std::uint64_t most_held_bytes, std::string* why) {
  const auto image = SegmentImage::open_live(segment, why);
  if (image == nullptr) return {};
  // Now: it can have grown since it was found.
  const std::uint64_t held_bytes = held_bytes_of(read_status(*image, segment));
  if (held_bytes > most_held_bytes) {
    *why = kTooMany;
    return {};
  }
  const SalvagedSegment salvaged = salvage_segment(*image, true);
  // A consumer that has come meanwhile writes these records.
  if (!is_wanted(read_status(*image, segment))) return {};
  SegmentCopy copy;
  copy.fd_ = OwnedFd(::memfd_create("ringview segment", MFD_CLOEXEC));
  if (!copy.fd_ || !write_all(copy.fd_.get(), salvaged.trace)) {
    *why = "its copy cannot be stored: " + std::generic_category().message(errno) +
           "; select fewer services with --service";
    return {};
  }
  copy.segment_ = segment;
  copy.path_ = "/proc/self/fd/" + std::to_string(copy.fd_.get());
  copy.bytes_ = salvaged.trace.size();
  copy.held_bytes_ = held_bytes;
  copy.damage_ = damage_of(salvaged, segment);
  return copy;
}

std::vector<SegmentCopy> copies_of(const std::vector<LiveSegment>& segments,
                                   std::vector<UnreadableFile>& unreadable) {
  std::vector<SegmentCopy> copies;
  std::uint64_t held_bytes = 0;
  for (const LiveSegment& segment : segments) {
    if (copies.size() >= trace::OpenFiles::most_open_here()) {
      unreadable.push_back({segment.path, kTooMany});
      continue;
    }
    std::string why;
    std::optional<SegmentCopy> copy =
        SegmentCopy::make(segment.path, kMostHeldBytes - held_bytes, &why);
    if (!copy && !why.empty()) unreadable.push_back(unreadable_file(segment.path, std::move(why)));
    if (!copy) continue;
    held_bytes += copy->held_bytes();
    copies.push_back(*std::move(copy));
  }
  return copies;
}

}  // namespace ringside::tool
