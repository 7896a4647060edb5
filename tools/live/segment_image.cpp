#include "tools/live/segment_image.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/abi_version.hpp"
#include "shm-layout/call_costs.hpp"
#include "shm-layout/site_executions.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/live/truncation_text.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

template <class T, std::size_t N>
T word(const std::array<std::byte, N>& bytes, std::size_t offset) {
  static_assert(sizeof(T) <= N);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Offset of `member` of `line` in `Struct`.
#define RINGSIDE_AT(Struct, line, Line, member) (offsetof(Struct, line) + offsetof(Line, member))

constexpr std::uint64_t kHolesBytes = 16U << 20;

template <std::size_t N>
void terminate(char (&text)[N]) {
  text[N - 1] = '\0';
}

}  // namespace

SegmentImage::~SegmentImage() {
  if (fd_ >= 0) close(fd_);
}

std::unique_ptr<SegmentImage> SegmentImage::open(const std::string& path, std::string* why) {
  return open_with(path, 0, why);
}

std::unique_ptr<SegmentImage> SegmentImage::open_live(const std::string& path, std::string* why) {
  why->clear();
  auto image = open_with(path, O_NOFOLLOW, why);
  if (image == nullptr && (errno == ENOENT || access(path.c_str(), F_OK) != 0)) why->clear();
  return image;
}

std::unique_ptr<SegmentImage> SegmentImage::open_with(const std::string& path, int flags,
                                                      std::string* why) {
  std::unique_ptr<SegmentImage> image(new SegmentImage);
  struct stat info {};
  // Checked before opening, because opening has effects on some devices. The open itself does not
  // wait either, in case a FIFO replaces the file in between.
  const bool follow = (flags & O_NOFOLLOW) == 0;
  const int found = follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info);
  const bool irregular = found == 0 && !S_ISREG(info.st_mode);
  if (!irregular) image->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  if (!irregular && image->fd_ < 0) {
    *why = fmt::format("cannot open {}: {}{}", path, error_text(errno),
                       errno == EACCES ? "; run as its owner" : "");
    return nullptr;
  }
  if (irregular || fstat(image->fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    *why = fmt::format("{} is not a regular file; {}", path,
                       follow ? "name a segment or a copy of one" : "remove it");
    return nullptr;
  }
  image->file_bytes_ = static_cast<std::uint64_t>(info.st_size);
  image->backed_bytes_ =
      std::min(image->file_bytes_, static_cast<std::uint64_t>(info.st_blocks) * 512);
  image->ring_budget_ = 2 * image->backed_bytes_ + kHolesBytes;
  if (!image->read_header(path, !follow, why)) return nullptr;
  return image;
}

bool SegmentImage::read_header(const std::string& path, bool live, std::string* why) {
  header_ = std::make_unique<shm::SegmentHeader>();
  std::array<std::byte, sizeof(shm::SegmentHeader)> bytes{};
  const std::string not_yet = fmt::format(
      "{}: incomplete segment: its service is creating it or died before it was complete, or "
      "another process truncated it",
      path);
  if (file_bytes_ == 0) {  // a service creates the file before it sets its size
    *why = not_yet;
    return false;
  }
  std::size_t copied = read(0, bytes);
  // Once more: the rest is complete in a copy that begins after the version was read.
  if (word<std::uint32_t>(bytes, offsetof(shm::SegmentHeader, version)) != 0) {
    copied = read(0, bytes);
  }
  if (copied != bytes.size()) {
    *why = fmt::format(
        "{}: truncated after {} bytes, within the header of a segment; no records can be recovered",
        path, file_bytes_);
    return false;
  }
  static_assert(std::is_trivially_destructible_v<shm::SegmentHeader>);
  std::memcpy(static_cast<void*>(header_.get()), bytes.data(), bytes.size());
  shm::SegmentHeader& header = *header_;
  const std::uint32_t version = header.version.load(std::memory_order_relaxed);
  if (version == 0 && header.magic == 0) {
    *why = not_yet;
    return false;
  }
  if (header.magic != shm::kSegmentMagic || header.byte_order_mark != shm::kByteOrderMark) {
    *why = fmt::format("{}: not a Ringside segment of this type of machine; {}", path,
                       live ? "remove it" : "read trace files without --segment");
    return false;
  }
  if (shm::abi_major(version) != shm::kAbiMajor) {
    *why = fmt::format(
        "{}:8: the segment has ABI version {}.{}, this tool supports {}.{}; use the tool of the "
        "service's release",
        path, shm::abi_major(version), shm::abi_minor(version), shm::kAbiMajor, shm::kAbiMinor);
    return false;
  }
  terminate(header.service);
  terminate(header.exe);
  terminate(header.host);
  // A copy may be truncated; its contents are checked against the size in the header.
  const auto layout = shm::read_layout(header, std::max(file_bytes_, header.segment_bytes));
  const auto strange = [](const shm::Region& region) {
    return region.kind == shm::RegionKind::kRingMetadata &&
           region.stride != sizeof(shm::RingMetadata);
  };
  if (!layout || std::any_of(std::begin(header.regions), std::end(header.regions), strange)) {
    *why = fmt::format("{}:112: invalid layout in the header; the header was probably overwritten",
                       path);
    return false;
  }
  layout_ = *layout;
  return !live || is_whole(path, why);
}

std::uint64_t SegmentImage::missing_bytes() const {
  struct stat info {};
  if (fstat(fd_, &info) != 0) return layout_.segment_bytes;
  return layout_.segment_bytes -
         std::min(static_cast<std::uint64_t>(info.st_size), layout_.segment_bytes);
}

bool SegmentImage::is_whole(const std::string& path, std::string* why) const {
  const std::uint64_t missing = missing_bytes();
  if (missing == 0) return true;
  *why = truncation_text(path, layout_.segment_bytes - missing, layout_.segment_bytes);
  return false;
}

std::size_t SegmentImage::read(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  // A system call does not order reads of memory on AArch64: what is read after this is not older.
  std::atomic_thread_fence(std::memory_order_acquire);
  return done;
}

bool SegmentImage::is_locked(std::int64_t byte) const {
  return is_byte_locked(fd_, byte);
}

std::uint64_t SegmentImage::memory_bytes() const {
  struct stat info {};
  return fstat(fd_, &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : 0;
}

std::vector<std::byte> SegmentImage::read_at(std::uint64_t offset, std::uint64_t count) const {
  std::vector<std::byte> bytes(count);
  bytes.resize(read(offset, bytes));
  return bytes;
}

std::vector<std::byte> SegmentImage::control_page() const {
  return read_at(layout_.control_offset, shm::kPageBytes);
}

std::vector<std::byte> SegmentImage::ring_metadata(std::uint32_t count) const {
  return read_at(layout_.metadata_offset,
                 std::uint64_t{std::min(count, layout_.ring_count)} * sizeof(shm::RingMetadata));
}

std::vector<std::uint8_t> SegmentImage::switches(std::uint32_t count) const {
  std::vector<std::uint8_t> bytes(
      std::min<std::uint64_t>(std::uint64_t{count} + 1, layout_.site_capacity));
  bytes.resize(read(layout_.switches_offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

std::vector<SegmentImage::SiteLossCounts> SegmentImage::site_losses(std::uint32_t count) const {
  if (layout_.site_losses_offset == 0) return {};
  static_assert(sizeof(SiteLossCounts) == sizeof(shm::SiteLosses));
  std::vector<SiteLossCounts> counts(
      std::min<std::uint64_t>(std::uint64_t{count} + 1, layout_.site_capacity));
  const std::size_t bytes =
      read(layout_.site_losses_offset, std::as_writable_bytes(std::span(counts)));
  counts.resize(bytes / sizeof(SiteLossCounts));
  return counts;
}

std::vector<SegmentImage::ExecutionCounts> SegmentImage::executions(std::uint32_t count) const {
  std::array<std::byte, sizeof(std::uint32_t)> backed{};
  if (layout_.site_executions_offset == 0 ||
      read(layout_.control_offset +
               RINGSIDE_AT(shm::ControlPage, losses, shm::SegmentLosses, sites_with_executions),
           backed) != backed.size()) {
    return {};
  }
  std::vector<ExecutionCounts> counts(std::min<std::uint64_t>(
      {std::uint64_t{count} + 1, word<std::uint32_t>(backed, 0), layout_.site_capacity}));
  std::vector<ExecutionCounts> page(std::size_t{shm::kExecutionStripes} * shm::kExecutionPageSites);
  static_assert(sizeof(ExecutionCounts) == sizeof(shm::SiteExecutions));
  const auto add = [](std::uint64_t more, std::uint64_t* sum) {
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
  };
  for (std::uint32_t first = 0; first < counts.size(); first += shm::kExecutionPageSites) {
    std::fill(page.begin(), page.end(), ExecutionCounts{});
    read(layout_.site_executions_offset + shm::execution_offset(first, 0),
         std::as_writable_bytes(std::span(page)));
    for (std::size_t i = 0; i < page.size(); ++i) {
      const std::size_t site = first + i % shm::kExecutionPageSites;
      if (site >= counts.size()) continue;
      add(page[i].counted, &counts[site].counted);
      add(page[i].suppressed, &counts[site].suppressed);
    }
  }
  return counts;
}

std::vector<SegmentImage::RingCallCosts> SegmentImage::call_costs(std::uint32_t count) const {
  if (layout_.call_costs_offset == 0) return {};
  static_assert(sizeof(RingCallCosts) == sizeof(shm::CallCosts));
  std::vector<RingCallCosts> costs(std::min(count, layout_.ring_count));
  const std::size_t bytes =
      read(layout_.call_costs_offset, std::as_writable_bytes(std::span(costs)));
  costs.resize(bytes / sizeof(RingCallCosts));
  return costs;
}

ControlWords SegmentImage::control() const {
  using shm::ControlPage;
  std::array<std::byte, shm::kPageBytes> page{};
  read(layout_.control_offset, page);
  ControlWords words;
  words.rings_used = std::min(
      word<std::uint32_t>(page, RINGSIDE_AT(ControlPage, service, shm::ServiceLine, rings_used)),
      layout_.ring_count);
  words.dictionary_bytes = word<std::uint64_t>(
      page, RINGSIDE_AT(ControlPage, service, shm::ServiceLine, dictionary_committed_bytes));
  words.next_file_sequence = word<std::uint32_t>(
      page, RINGSIDE_AT(ControlPage, consumer, shm::ConsumerLine, next_file_sequence));
  const auto lost = [&page](std::size_t at) {
    return word<std::uint64_t>(page, offsetof(ControlPage, losses) + at);
  };
  words.lost_no_ring = lost(offsetof(shm::SegmentLosses, no_ring));
  words.lost_no_memory = lost(offsetof(shm::SegmentLosses, no_memory));
  words.lost_dictionary_full = lost(offsetof(shm::SegmentLosses, dictionary_full));
  words.overwritten_streams_lost = word<std::uint64_t>(
      page, RINGSIDE_AT(ControlPage, service, shm::ServiceLine, overwritten_streams_lost));
  constexpr std::size_t kClock = offsetof(ControlPage, consumer_clock);
  words.clock_steps = word<std::uint64_t>(page, kClock);
  for (std::size_t i = 0; i < words.steps.size(); ++i) {
    const std::size_t at = kClock + offsetof(shm::ConsumerClock, step) + i * sizeof(shm::ClockStep);
    words.steps[i] = {word<std::uint64_t>(page, at), word<std::uint64_t>(page, at + 8),
                      word<std::uint64_t>(page, at + 16)};
  }
  for (std::size_t i = 0; i < words.switch_deadlines.size(); ++i) {
    words.switch_deadlines[i] =
        word<std::uint64_t>(page, offsetof(ControlPage, switch_deadlines) + i * 8);
  }
  return words;
}

RingWords SegmentImage::ring_words(std::uint32_t ring) const {
  using shm::RingMetadata;
  std::array<std::byte, sizeof(RingMetadata)> bytes{};
  read(layout_.metadata_offset + std::uint64_t{ring} * sizeof(RingMetadata), bytes);
  const auto u64 = [&bytes](std::size_t at) { return word<std::uint64_t>(bytes, at); };
  const auto u32 = [&bytes](std::size_t at) { return word<std::uint32_t>(bytes, at); };
  RingWords words;
  words.producer_pos = u64(RINGSIDE_AT(RingMetadata, producer, shm::ProducerLine, producer_pos));
  constexpr std::size_t kOldest = RINGSIDE_AT(RingMetadata, producer, shm::ProducerLine, oldest);
  const std::size_t slot =
      kOldest + offsetof(shm::OverwriteWords, slot) + u64(kOldest) % 2 * sizeof(shm::OverwriteSlot);
  words.oldest = {u64(slot), u64(slot + offsetof(shm::OverwriteSlot, sequence)),
                  u64(slot + offsetof(shm::OverwriteSlot, drops))};
  words.dropped_total = u64(RINGSIDE_AT(RingMetadata, counters, shm::CountersLine, dropped_total));
  words.dropped_ring_full =
      u64(RINGSIDE_AT(RingMetadata, counters, shm::CountersLine, dropped_ring_full));
  words.dropped_consumer_absent =
      u64(RINGSIDE_AT(RingMetadata, counters, shm::CountersLine, dropped_consumer_absent));
  words.dropped_quarantined =
      u64(RINGSIDE_AT(RingMetadata, counters, shm::CountersLine, dropped_quarantined));
  words.dropped_abandoned =
      u64(RINGSIDE_AT(RingMetadata, counters, shm::CountersLine, dropped_abandoned));
  constexpr std::size_t kConsumer = offsetof(RingMetadata, consumer);
  words.consumer_pos = u64(kConsumer + offsetof(shm::ConsumerPositionLine, consumer_pos));
  words.next_sequence = u64(kConsumer + offsetof(shm::ConsumerPositionLine, next_sequence));
  words.last_tsc = u64(kConsumer + offsetof(shm::ConsumerPositionLine, last_tsc));
  words.booked_drops = u64(kConsumer + offsetof(shm::ConsumerPositionLine, booked_drops));
  words.booked_consumer_absent =
      u64(kConsumer + offsetof(shm::ConsumerPositionLine, booked_consumer_absent));
  words.consumer_generation = u32(kConsumer + offsetof(shm::ConsumerPositionLine, generation));
  constexpr std::size_t kIdentity = offsetof(RingMetadata, identity);
  words.generation = u32(kIdentity + offsetof(shm::IdentityLine, generation));
  words.state = u32(kIdentity + offsetof(shm::IdentityLine, state));
  words.thread_id = u32(kIdentity + offsetof(shm::IdentityLine, thread_id));
  words.stream_id = u64(kIdentity + offsetof(shm::IdentityLine, stream_id));
  words.start_tsc = u64(kIdentity + offsetof(shm::IdentityLine, start_tsc));
  words.consumed_processor = shm::consumed_processor(
      u64(kIdentity + offsetof(shm::IdentityLine, consumed_processor)), words.consumer_pos);
  words.start_pos = u64(kIdentity + offsetof(shm::IdentityLine, start_pos));
  const char* const name = reinterpret_cast<const char*>(bytes.data()) + kIdentity +
                           offsetof(shm::IdentityLine, thread_name);
  words.thread_name.assign(name, strnlen(name, sizeof(shm::IdentityLine::thread_name)));
  return words;
}

shm::WholeRanges SegmentImage::nested(std::uint32_t ring) const {
  static_assert(sizeof(shm::WholeRanges) == sizeof(shm::NestedRecords));
  shm::WholeRanges ranges;
  if (layout_.nested_offset == 0) return ranges;
  read(layout_.nested_offset + std::uint64_t{ring} * sizeof ranges,
       std::as_writable_bytes(std::span(ranges)));
  return ranges;
}

trace::StreamCursor SegmentImage::consumer_cursor(std::uint32_t ring,
                                                  const RingWords& words) const {
  trace::StreamCursor cursor{.stream_id = words.stream_id, .last_tsc = words.start_tsc};
  if (words.consumer_generation != words.generation) return cursor;
  cursor.next_sequence = words.next_sequence;
  cursor.last_tsc = words.last_tsc;
  cursor.booked_drops = words.booked_drops;
  cursor.booked_consumer_absent = words.booked_consumer_absent;
  cursor.processor = words.consumed_processor;
  cursor.context = consumed_context(ring, words);
  return cursor;
}

trace::StreamContext SegmentImage::consumed_context(std::uint32_t ring,
                                                    const RingWords& words) const {
  shm::ConsumedContext copy;
  if (layout_.contexts_offset == 0) return {};
  read(layout_.contexts_offset + std::uint64_t{ring} * sizeof copy,
       {reinterpret_cast<std::byte*>(&copy), sizeof copy});
  const auto [site_id, arguments] = copy.kept_at(words.consumer_pos, words.start_pos);
  return {site_id, {arguments.begin(), arguments.end()}};
}

std::vector<std::byte> SegmentImage::dictionary(std::uint64_t count) const {
  std::vector<std::byte> bytes(std::min({count, layout_.dictionary_bytes, backed_bytes_}));
  bytes.resize(read(layout_.dictionary_offset, bytes));
  return bytes;
}

// A sparse file may claim any number of rings of any size: a ring without data costs nothing, and
// all of them together cost at most the pages that the file has (and a constant, for holes in
// padding).
std::vector<std::byte> SegmentImage::ring_bytes(std::uint32_t ring, std::uint64_t from,
                                                std::uint64_t count) {
  const std::uint64_t begin = layout_.rings_offset + ring * layout_.ring_bytes;
  const std::uint64_t place = from & (layout_.ring_bytes - 1);
  const off_t data = lseek(fd_, static_cast<off_t>(begin), SEEK_DATA);
  if (data < 0 || static_cast<std::uint64_t>(data) >= begin + layout_.ring_bytes) return {};
  count = std::min({count, layout_.ring_bytes, file_bytes_ - begin, ring_budget_});
  ring_budget_ -= count;
  std::vector<std::byte> bytes(count);
  const std::size_t to_end = std::min<std::uint64_t>(bytes.size(), layout_.ring_bytes - place);
  const std::span<std::byte> all(bytes);
  std::size_t done = read(begin + place, all.first(to_end));
  if (done == to_end) done += read(begin, all.subspan(to_end));
  bytes.resize(done);
  return bytes;
}

}  // namespace ringside::tool
