#include "libagent/recording/segment_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <signal.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libagent/process/clock_frequency.hpp"
#include "libagent/process/held_back_signals.hpp"
#include "libagent/process/page_size.hpp"
#include "libagent/process/segment_access.hpp"
#include "libagent/process/unique_fd.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/truncation_guard.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/consumer_presence.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kAgentVersion = 0 << 16 | 1 << 8 | 0;

std::string error_text(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);
}

std::string hex(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4)
    text[static_cast<std::size_t>(i)] = kDigits[value & 15];
  return text;
}

void fill_random(void* out, std::size_t bytes) {
  auto* p = static_cast<unsigned char*>(out);
  if (getrandom(p, bytes, 0) == static_cast<ssize_t>(bytes)) return;
  // Without getrandom, a name that is only unlikely to exist still works: O_EXCL decides.
  std::uint64_t seed = rs_clock() ^ static_cast<std::uint64_t>(getpid()) << 32;
  for (std::size_t i = 0; i < bytes; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    p[i] = static_cast<unsigned char>(seed >> 56);
  }
}

bool lock_byte(int fd, std::int64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

template <std::size_t N>
void copy_text(char (&out)[N], std::string_view text) {
  const std::size_t bytes = text.size() < N - 1 ? text.size() : N - 1;
  std::memcpy(out, text.data(), bytes);
  std::memset(out + bytes, 0, N - bytes);
}

// Read once: a child of fork() runs since the same boot.
void read_boot_id(std::uint8_t (&out)[16]) {
  static std::uint8_t known[16] = {};
  static bool is_known = false;
  if (std::exchange(is_known, true)) return static_cast<void>(std::memcpy(out, known, sizeof out));
  const UniqueFd fd(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[37] = {};
  if (!fd || read(fd.get(), text, 36) != 36) return;
  std::size_t nibble = 0;
  for (const char c : std::string_view(text, 36)) {
    if (c == '-' || nibble == 32) continue;
    const int value = c >= 'a' ? c - 'a' + 10 : c - '0';
    auto& byte = out[nibble / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | (value & 15));
    ++nibble;
  }
  std::memcpy(known, out, sizeof out);
}

void fill_header(const Options& options, const shm::SegmentLayout& layout,
                 shm::SegmentHeader* header) {
  header->header_bytes = sizeof(shm::SegmentHeader);
  header->byte_order_mark = shm::kByteOrderMark;
  header->segment_bytes = layout.segment_bytes;
  fill_random(header->uuid, sizeof header->uuid);
  header->pid = static_cast<std::uint32_t>(getpid());
  header->uid = geteuid();
  header->gid = getegid();
#if defined(__x86_64__)
  header->clock_source = shm::ClockSource::kX86Tsc;
#else
  header->clock_source = shm::ClockSource::kArmCounter;
#endif
  header->tsc_frequency_hz = clock_frequency_hz();
  const shm::ClockReading now = shm::read_clocks();
  header->start_tsc = now.tsc;
  header->start_monotonic_ns = now.monotonic_ns;
  header->start_realtime_ns = now.realtime_ns;
  read_boot_id(header->boot_id);
  header->ring_bytes = layout.ring_bytes;
  header->ring_count = layout.ring_count;
  header->site_capacity = layout.site_capacity;
  header->max_record_bytes = shm::max_record_bytes(layout.ring_bytes);
  header->agent_version = kAgentVersion;
  shm::write_regions(layout, *header);
  copy_text(header->service, options.service);
  char path[256] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  copy_text(header->exe, std::string_view(path, length > 0 ? static_cast<std::size_t>(length) : 0));
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  copy_text(header->host, host);
}

// Removes an incomplete segment on every exit except success.
class UnlinkUnlessDone {
 public:
  explicit UnlinkUnlessDone(const std::string& path) : path_(path) {}
  ~UnlinkUnlessDone() {
    if (!done_) unlink(path_.c_str());
  }
  UnlinkUnlessDone(const UnlinkUnlessDone&) = delete;
  UnlinkUnlessDone& operator=(const UnlinkUnlessDone&) = delete;
  void done() { done_ = true; }

 private:
  const std::string& path_;
  bool done_ = false;
};

std::uint64_t most_file_bytes() {
  rlimit limit{};
  const bool bounded = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return bounded ? limit.rlim_cur : UINT64_MAX;
}

// The layout of the options. If files may not be that large: fewer rings, and fewer statements
// rather than too few rings. Empty if not one ring has room.
std::optional<shm::SegmentLayout> plan_within(const Options& options, std::uint64_t most_bytes) {
  struct Capacity {
    std::uint32_t sites;
    std::uint64_t dictionary_bytes;
    std::uint32_t fewest_rings;
  };
  constexpr Capacity kCapacities[] = {
      {shm::kDefaultSiteCapacity, shm::kDefaultDictionaryBytes, 64},
      {shm::kDefaultSiteCapacity / 16, shm::kDefaultDictionaryBytes / 16, 8},
      {shm::kDefaultSiteCapacity / 64, shm::kDefaultDictionaryBytes / 64, 1},
  };
  for (const Capacity& capacity : kCapacities) {
    const auto plan = [&](std::uint32_t rings) {
      return shm::plan_segment(options.ring_bytes, rings, capacity.sites, capacity.dictionary_bytes,
                               options.cost_sampling != 0);
    };
    shm::SegmentLayout layout = plan(options.max_threads);
    if (layout.segment_bytes <= most_bytes) return layout;
    // With fewer rings the part before them does not grow.
    const std::uint64_t before =
        plan(std::min(options.max_threads, capacity.fewest_rings)).rings_offset;
    if (before >= most_bytes) continue;
    auto rings = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((most_bytes - before) / options.ring_bytes, options.max_threads));
    while (rings > 0 && plan(rings).segment_bytes > most_bytes) --rings;
    if (rings >= std::min(options.max_threads, capacity.fewest_rings)) return plan(rings);
  }
  return {};
}

// Returns 0 or an error number.
int set_size(int fd, std::uint64_t bytes) {
  const HeldBackSignals held({SIGXFSZ});  // the limit may have been lowered since it was read
  return ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

}  // namespace

Segment::~Segment() {
  forget_guarded(*this);
  if (head != nullptr) munmap(head, head_bytes);
}

std::unique_ptr<Segment> create_segment(const Options& options, std::string* why) {
  std::string service = options.service;
  for (char& c : service) c = shm::service_file_char(c);
  auto segment = std::make_unique<Segment>();
  std::uint64_t random = 0;
  fill_random(&random, sizeof random);
  segment->path = options.shm_dir + "/" + std::string(shm::kSegmentPrefix) + service + "." +
                  std::to_string(getpid()) + "." + hex(random);
  segment->presence_path = options.shm_dir + "/" + std::string(shm::kPresenceName);
  segment->user_id = geteuid();
  const std::string& path = segment->path;
  const auto refuse = [why](const std::string& what, int error, std::string_view remedy) {
    *why = what + ": " + error_text(error) + "; " + std::string(remedy);
    return nullptr;
  };
  // No access for others before the file has its group.
  if (!segment->descriptor.create(path, 0600)) {
    const bool by_limit = errno == EMFILE || errno == ENFILE;
    return refuse("cannot create " + path, errno,
                  by_limit ? "raise the limit on open files (ulimit -n)"
                           : "RINGSIDE_SHM_DIR must name a writable directory in memory");
  }
  UnlinkUnlessDone guard(path);
  const int fd = segment->descriptor.get();
  if (!lock_byte(fd, shm::kServiceLockByte)) {
    return refuse("cannot lock " + path, errno, "the file system must support OFD locks");
  }
  // A consumer treats a file that has been unlocked for seconds as abandoned.
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_nlink == 0) {
    return refuse("cannot keep " + path, ENOENT,
                  "another program removes new segments at once; exclude ringside.* from cleaning");
  }
  if (const auto failure = let_in(fd, options)) {
    return refuse(std::string(failure->what) + path, failure->error, failure->remedy);
  }
  if (options.ring_bytes < page_bytes()) {
    *why = "cannot map rings of " + std::to_string(options.ring_bytes) + " bytes: a page has " +
           std::to_string(page_bytes()) + " here; set RINGSIDE_RING_BYTES to a page or more";
    return nullptr;
  }
  const std::optional<shm::SegmentLayout> planned = plan_within(options, most_file_bytes());
  if (!planned) {
    return refuse("no space for " + path, EFBIG,
                  "raise the limit on the size of files (ulimit -f), or lower RINGSIDE_RING_BYTES");
  }
  segment->layout = *planned;
  const shm::SegmentLayout& layout = segment->layout;
  if (const int error = set_size(fd, layout.segment_bytes); error != 0) {
    return refuse("cannot size " + path, error,
                  error == EFBIG ? "raise the limit on the size of files (ulimit -f)"
                                 : "lower RINGSIDE_RING_BYTES");
  }
  constexpr std::string_view kMakeRoom =
      "enlarge the shared-memory file system (in a container: --shm-size) or point "
      "RINGSIDE_SHM_DIR elsewhere";
  if (const auto failure = reserve(segment->descriptor, 0, layout.metadata_offset)) {
    return refuse("no memory for " + path, failure.error, kMakeRoom);
  }
  const auto head_bytes = static_cast<std::size_t>(layout.rings_offset);
  void* const head = mmap(nullptr, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED) {
    return refuse("cannot map " + path, errno, "raise the address space limit");
  }
  auto* base = static_cast<std::byte*>(head);
  segment->head = base;
  segment->head_bytes = head_bytes;
  segment->header = reinterpret_cast<shm::SegmentHeader*>(base);
  segment->control = reinterpret_cast<shm::ControlPage*>(base + layout.control_offset);
  segment->rings = reinterpret_cast<shm::RingMetadata*>(base + layout.metadata_offset);
  segment->nested = reinterpret_cast<shm::NestedRecords*>(base + layout.nested_offset);
  segment->switches = reinterpret_cast<std::uint8_t*>(base + layout.switches_offset);
  segment->dictionary = base + layout.dictionary_offset;
  segment->site_losses = reinterpret_cast<shm::SiteLosses*>(base + layout.site_losses_offset);
  segment->site_executions = base + layout.site_executions_offset;
  segment->ring_memory = ZeroedArray<RingMemory>(layout.ring_count);
  segment->ring_base = ZeroedArray<std::atomic<std::byte*>>(layout.ring_count);
  if (!segment->ring_memory || !segment->ring_base) {
    return refuse("no memory for the rings of " + path, ENOMEM, "raise the address space limit");
  }
  segment->ring_losses = std::make_unique<std::atomic<Segment::RingLoss>[]>(layout.ring_count);
  segment->is_guarded = is_truncation_guard_installed();
  if (segment->is_guarded) {
    segment->own_ring_counts = std::make_unique<Segment::RingCounts[]>(layout.ring_count);
  }
  // Others may truncate it from here on, although no thread uses it yet.
  guard_new(*segment);
  GrowthFailure failure = reserve_ring_metadata(*segment, 0);
  if (!failure) failure = reserve_switches(*segment, 0);
  if (!failure) failure = reserve_dictionary(*segment, 1);
  if (failure) return refuse("no memory for " + path, failure.error, kMakeRoom);
  segment->ring_owner = std::make_unique<std::uint32_t[]>(layout.ring_count);
  segment->ring_is_silent = std::make_unique<std::atomic<bool>[]>(layout.ring_count);
  reserve_site_losses(*segment, 0);
  reserve_site_executions(*segment, 0);

  fill_header(options, layout, segment->header);
  if (options.overflow == Overflow::overwrite) {
    segment->sub_buffer_bytes = layout.ring_bytes / shm::kSubBuffersPerRing;
    segment->shapes = std::make_unique<RecordShapes>(layout.site_capacity);
    segment->header->sub_buffer_bytes = segment->sub_buffer_bytes;
  }
  if (layout.call_costs_offset != 0) {
    segment->call_costs = reinterpret_cast<shm::CallCosts*>(base + layout.call_costs_offset);
    segment->cost_sampling = options.cost_sampling;
    segment->header->cost_sampling = options.cost_sampling;
    segment->measuring_ticks = calibrate_measuring();
  }
  shm::ServiceLine& line = segment->control->service;
  line.overflow_policy.store(static_cast<std::uint32_t>(options.overflow),
                             std::memory_order_relaxed);
  segment->absent_timeout_ms = static_cast<std::uint32_t>(options.absent_timeout.count());
  segment->live_timeout_ms =
      options.live_consumer_timeout == forever
          ? kUnboundedMs
          : static_cast<std::uint64_t>(options.live_consumer_timeout.count());
  segment->ticks_per_second = segment->header->tsc_frequency_hz;
  // With another policy the service may have forbidden itself all system calls.
  if (options.overflow == Overflow::block) segment->look_interval_ticks = segment->ticks_per_second;
  if (options.processor_interval.count() >= 0) {
    segment->processor_interval_ticks =
        static_cast<std::uint64_t>(options.processor_interval.count()) * segment->ticks_per_second /
        1000;
  }
  line.block_timeout_ms.store(segment->absent_timeout_ms, std::memory_order_relaxed);
  line.level.store(static_cast<std::uint32_t>(options.level), std::memory_order_relaxed);
  line.next_stream_id.store(1, std::memory_order_relaxed);
  segment->control->wake_ups.parts.store(shm::kWakeUpParts, std::memory_order_relaxed);
  segment->header->magic = shm::kSegmentMagic;
  segment->header->state.store(static_cast<std::uint32_t>(shm::SegmentState::kLive),
                               std::memory_order_relaxed);
  // Pairs with the acquire of an attacher: from here on everything above is visible.
  segment->header->version.store(shm::kAbiVersion, std::memory_order_release);
  guard.done();
  return segment;
}

}  // namespace ringside
