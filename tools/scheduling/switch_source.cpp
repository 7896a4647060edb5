#include "tools/scheduling/switch_source.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tools/scheduling/perf_refusal.hpp"
#include "tools/scheduling/switch_decoder.hpp"
#include "tools/scheduling/unix_time.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

// 131072 switches, for users with CAP_IPC_LOCK; and 16384, all that an ordinary user may lock by
// default (516 KiB for each processor).
constexpr std::size_t kRingBytes[] = {std::size_t{4} << 20, std::size_t{512} << 10};
constexpr std::uint32_t kWakeUpBytes = 128 << 10;

// The kernel takes the time of a record before it writes it: what is older than this is in the
// ring.
constexpr std::uint64_t kWritingNs = 1'000'000;

// New threads inherit the events of the one that creates them, but not those that are opened while
// it does: the list is read until it has nothing new.
constexpr int kMostListings = 100;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

perf_event_attr switch_attributes() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.context_switch = 1;
  attributes.task = 1;
  attributes.comm = 1;
  attributes.inherit = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  // The time of trace files. What ordinary users may record is outside the kernel.
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_REALTIME;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.watermark = 1;
  attributes.wakeup_watermark = kWakeUpBytes;
  return attributes;
}

// As many as the hard limit permits: a service can have many threads.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::unique_ptr<SwitchSource> SwitchSource::open(pid_t pid, std::string* why) {
  raise_descriptor_limit();
  std::unique_ptr<SwitchSource> source(new SwitchSource(pid));
  const long processors = sysconf(_SC_NPROCESSORS_CONF);
  for (long i = 0; i < processors; ++i) {
    Ring ring;
    ring.processor = static_cast<std::uint32_t>(i);
    source->rings_.push_back(ring);
  }
  bool added = true;
  for (int i = 0; added && i < kMostListings; ++i) {
    if (!source->add_new_threads(&added, why)) return {};
  }
  if (source->threads_.empty()) {
    *why = fmt::format("process {} has ended", pid);
    return {};
  }
  return source;
}

SwitchSource::~SwitchSource() {
  for (const Ring& ring : rings_) {
    if (ring.pages != nullptr) munmap(ring.pages, page_bytes() + ring.bytes);
  }
}

bool SwitchSource::add_new_threads(bool* added, std::string* why) {
  *added = false;
  std::error_code error;
  for (fs::directory_iterator it(fmt::format("/proc/{}/task", pid_), error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::uint32_t thread_id = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread_id);
    if (thread_id == 0 || !known_.insert(thread_id).second) continue;
    *added = true;
    if (!add_thread(thread_id, why)) return false;
  }
  return true;
}

bool SwitchSource::add_thread(std::uint32_t thread_id, std::string* why) {
  bool any = false;
  for (Ring& ring : rings_) {
    bool is_gone = false;
    if (!add_event(thread_id, &ring, &is_gone, why)) return false;
    if (is_gone) return true;
    any = true;
  }
  if (any) threads_.push_back({thread_id, unix_time_ns()});
  return true;
}

bool SwitchSource::add_event(std::uint32_t thread_id, Ring* ring, bool* is_gone, std::string* why) {
  perf_event_attr attributes = switch_attributes();
  OwnedFd event(static_cast<int>(syscall(
      SYS_perf_event_open, &attributes, static_cast<pid_t>(thread_id),
      static_cast<int>(ring->processor), -1, static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC))));
  if (!event) {
    *is_gone = errno == ESRCH;
    // A processor that is not switched on; no thread runs there.
    if (errno == ESRCH || errno == ENODEV) return true;
    *why = open_refusal(pid_, errno);
    return false;
  }
  if (ring->pages == nullptr) {
    if (!map_ring(event.get(), ring, why)) return false;
  } else if (ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, ring->event_fd) != 0) {
    *why = fmt::format("cannot direct the events of thread {} to a ring: {}", thread_id,
                       std::generic_category().message(errno));
    return false;
  }
  events_.push_back(std::move(event));
  return true;
}

bool SwitchSource::map_ring(int event_fd, Ring* ring, std::string* why) {
  for (const std::size_t bytes : kRingBytes) {
    void* const pages =
        mmap(nullptr, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event_fd, 0);
    if (pages == MAP_FAILED) continue;
    ring->pages = static_cast<std::byte*>(pages);
    ring->bytes = bytes;
    ring->event_fd = event_fd;
    return true;
  }
  *why = ring_refusal(errno);
  return false;
}

bool SwitchSource::wait(int stop_fd, int timeout_ms) {
  std::vector<pollfd> waited{{stop_fd, POLLIN, 0}};
  // poll() ignores negative descriptors.
  for (const Ring& ring : rings_)
    waited.push_back({ring.is_hung_up ? -1 : ring.event_fd, POLLIN, 0});
  if (poll(waited.data(), waited.size(), timeout_ms) <= 0) return false;
  for (std::size_t i = 0; i < rings_.size(); ++i)
    rings_[i].is_hung_up =
        rings_[i].is_hung_up || (waited[i + 1].revents & (POLLHUP | POLLERR)) != 0;
  return waited[0].revents != 0;
}

void SwitchSource::drain(const Ring& ring) {
  if (ring.pages == nullptr) return;
  auto* const control = reinterpret_cast<perf_event_mmap_page*>(ring.pages);
  const std::byte* const bytes = ring.pages + page_bytes();
  // With the kernel's release of data_head, after the bytes of the records.
  const std::uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
  std::uint64_t tail = control->data_tail;
  while (tail < head) {
    const auto copy = [&](void* out, std::uint64_t from, std::size_t count) {
      const std::size_t at = from % ring.bytes;
      const std::size_t first = std::min(count, ring.bytes - at);
      std::memcpy(out, bytes + at, first);
      std::memcpy(static_cast<std::byte*>(out) + first, bytes, count - first);
    };
    perf_event_header header{};
    if (head - tail < sizeof header) break;
    copy(&header, tail, sizeof header);
    if (header.size < sizeof header || header.size > head - tail) break;
    record_.resize(header.size);
    copy(record_.data(), tail, header.size);
    if (auto record = decode_switch(record_, static_cast<std::uint32_t>(pid_)))
      waiting_.push_back(std::move(*record));
    tail += header.size;
  }
  // With the kernel's acquire of data_tail, before it writes over the bytes.
  __atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
}

void SwitchSource::use_until(std::uint64_t unix_ns,
                             const std::function<void(const SwitchRecord&)>& use) {
  std::stable_sort(
      waiting_.begin(), waiting_.end(),
      [](const SwitchRecord& a, const SwitchRecord& b) { return a.unix_ns < b.unix_ns; });
  const auto end =
      std::find_if(waiting_.begin(), waiting_.end(),
                   [unix_ns](const SwitchRecord& one) { return one.unix_ns >= unix_ns; });
  std::for_each(waiting_.begin(), end, use);
  waiting_.erase(waiting_.begin(), end);
}

void SwitchSource::read(const std::function<void(const SwitchRecord&)>& use) {
  const std::uint64_t until_ns = unix_time_ns() - kWritingNs;
  for (const Ring& ring : rings_) drain(ring);
  use_until(until_ns, use);
}

void SwitchSource::finish(const std::function<void(const SwitchRecord&)>& use) {
  for (const OwnedFd& event : events_) ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
  for (const Ring& ring : rings_) drain(ring);
  use_until(UINT64_MAX, use);
}

}  // namespace ringside::tool
