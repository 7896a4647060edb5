#include "libagent/segment_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "libagent/clock_frequency.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDictionaryStepBytes = 64U << 10;
constexpr std::uint32_t kSiteLossesStep = 256;  // entries
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
  // Without getrandom a name that is merely unlikely to be taken still works: O_EXCL decides.
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

void read_boot_id(std::uint8_t (&out)[16]) {
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

// Removes a half-made segment on every way out but success.
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

bool reserve(int fd, std::uint64_t offset, std::uint64_t bytes) {
  int result = 0;
  do {
    result = fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

Segment::~Segment() {
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
  const std::string& path = segment->path;
  const auto refuse = [why](const std::string& what, int error, std::string_view remedy) {
    *why = what + ": " + error_text(error) + "; " + std::string(remedy);
    return nullptr;
  };
  segment->fd = UniqueFd(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                              static_cast<mode_t>(options.mode)));
  if (!segment->fd) {
    return refuse("cannot create " + path, errno,
                  "RINGSIDE_SHM_DIR must name a writable directory in memory");
  }
  UnlinkUnlessDone guard(path);
  const int fd = segment->fd.get();
  if (!lock_byte(fd, shm::kServiceLockByte)) {
    return refuse("cannot lock " + path, errno, "the file system must support OFD locks");
  }
  // A consumer takes a file that nobody has locked for seconds for one that was abandoned.
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_nlink == 0) {
    return refuse("cannot keep " + path, ENOENT, "something removes new segments at once");
  }
  fchmod(fd, static_cast<mode_t>(options.mode));  // a umask may have taken the group's bits
  segment->layout =
      shm::plan_segment(options.ring_bytes, options.max_threads, shm::kDefaultSiteCapacity,
                        shm::kDefaultDictionaryBytes, options.cost_sampling != 0);
  const shm::SegmentLayout& layout = segment->layout;
  if (ftruncate(fd, static_cast<off_t>(layout.segment_bytes)) != 0) {
    return refuse("cannot size " + path, errno, "lower RINGSIDE_RING_BYTES");
  }
  constexpr std::string_view kMakeRoom =
      "enlarge the shared-memory file system (in a container: --shm-size) or point "
      "RINGSIDE_SHM_DIR elsewhere";
  if (!reserve(fd, 0, layout.dictionary_offset)) {
    return refuse("no memory for " + path, errno, kMakeRoom);
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
  segment->switches = reinterpret_cast<std::uint8_t*>(base + layout.switches_offset);
  segment->dictionary = base + layout.dictionary_offset;
  segment->site_losses = reinterpret_cast<shm::SiteLosses*>(base + layout.site_losses_offset);
  if (!reserve_dictionary(*segment, kDictionaryStepBytes)) {
    return refuse("no memory for " + path, errno, kMakeRoom);
  }
  segment->ring_owner = std::make_unique<std::uint32_t[]>(layout.ring_count);
  reserve_site_losses(*segment, 0);
  segment->ring_base = std::make_unique<std::atomic<std::byte*>[]>(layout.ring_count);
  std::memset(segment->switches, shm::kSwitchUnregistered, layout.site_capacity);

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
  segment->block_timeout_ms = static_cast<std::uint32_t>(options.block_timeout.count());
  line.block_timeout_ms.store(segment->block_timeout_ms, std::memory_order_relaxed);
  line.level.store(static_cast<std::uint32_t>(options.level), std::memory_order_relaxed);
  line.next_stream_id.store(1, std::memory_order_relaxed);
  segment->header->magic = shm::kSegmentMagic;
  segment->header->state.store(static_cast<std::uint32_t>(shm::SegmentState::kLive),
                               std::memory_order_relaxed);
  // Pairs with the acquire of an attacher: from here on everything above is visible.
  segment->header->version.store(shm::kAbiVersion, std::memory_order_release);
  guard.done();
  return segment;
}

bool reserve_dictionary(Segment& segment, std::uint64_t bytes) {
  if (bytes <= segment.dictionary_reserved) return true;
  if (bytes > segment.layout.dictionary_bytes) return false;
  std::uint64_t wanted = shm::round_up(bytes, kDictionaryStepBytes);
  if (wanted > segment.layout.dictionary_bytes) wanted = segment.layout.dictionary_bytes;
  if (!reserve(segment.fd.get(), segment.layout.dictionary_offset, wanted)) return false;
  segment.dictionary_reserved = wanted;
  return true;
}

void reserve_site_losses(Segment& segment, std::uint32_t site_id) {
  if (site_id < segment.sites_counted.load(std::memory_order_relaxed)) return;
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      shm::round_up(std::uint64_t{site_id} + 1, kSiteLossesStep), segment.layout.site_capacity));
  if (wanted <= site_id || !reserve(segment.fd.get(), segment.layout.site_losses_offset,
                                    std::uint64_t{wanted} * sizeof(shm::SiteLosses))) {
    return;
  }
  segment.sites_counted.store(wanted, std::memory_order_relaxed);
  // Pairs with the acquire of a reader, which looks at no entry beyond.
  segment.control->losses.sites_counted.store(wanted, std::memory_order_release);
}

std::byte* map_ring(Segment& segment, std::uint32_t index) {
  const std::uint64_t bytes = segment.layout.ring_bytes;
  const std::uint64_t offset = segment.layout.rings_offset + index * bytes;
  if (!reserve(segment.fd.get(), offset, bytes)) return nullptr;
  if (segment.call_costs != nullptr &&
      !reserve(segment.fd.get(),
               segment.layout.call_costs_offset + std::uint64_t{index} * sizeof(shm::CallCosts),
               sizeof(shm::CallCosts))) {
    return nullptr;
  }
  // One reservation of the address space, then the ring into each part of it, its pages touched at
  // once: page faults belong to the slow path.
  void* const place = mmap(nullptr, kRingCopies * bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  auto* const base = static_cast<std::byte*>(place);
  for (std::uint64_t copy = 0; copy < kRingCopies; ++copy) {
    void* const at = base + copy * bytes;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
             segment.fd.get(), static_cast<off_t>(offset)) == MAP_FAILED) {
      munmap(place, kRingCopies * bytes);
      return nullptr;
    }
  }
  return base;
}

}  // namespace ringside
