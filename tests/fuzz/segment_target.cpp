// Any bytes as a segment, changed at any moment. It is salvaged as ringcat does; drained as
// consumerd does, also by one whose work another one finishes; and watched as ringstat does. The
// output is a valid trace.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>

#include "consumerd/discover/truncation_guard.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd/write/recovery.hpp"
#include "tests/fuzz/read_trace.hpp"
#include "tests/fuzz/segment_steps.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/live/segment_salvage.hpp"
#include "tools/live/segment_status.hpp"
#include "tools/live/statement_list.hpp"
#include "tools/ringstat/statement_sample.hpp"

namespace {

using namespace ringside;
using namespace ringside::consumer;

constexpr char kName[] = "ringside.fuzzed.1.0000000000000001";

// A directory in memory, one per process.
class Place {
 public:
  Place() {
    const char* const parent = std::getenv("RINGSIDE_FUZZ_PLACE");
    path_ = std::string(parent == nullptr ? "/dev/shm" : parent) + "/ringside-fuzz-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
    std::filesystem::create_directory(output());
    install_truncation_guard();
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string output() const { return path_ + "/out"; }
  std::string segment() const { return path_ + "/" + kName; }

 private:
  std::string path_;
};

// The file that the input describes, and what happens to it.
class Segment {
 public:
  Segment(const std::string& path, std::span<const std::uint8_t> steps) : steps_(steps) {
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd_ < 0) std::abort();
    step(0);
    // As large as it claims to be.
    std::uint64_t claimed = 0;
    const off_t size = lseek(fd_, 0, SEEK_END);
    if (pread(fd_, &claimed, sizeof claimed, offsetof(shm::SegmentHeader, segment_bytes)) ==
            static_cast<ssize_t>(sizeof claimed) &&
        claimed > static_cast<std::uint64_t>(size) && claimed <= std::uint64_t{1} << 62) {
      cut(claimed);
    }
  }
  ~Segment() { close(fd_); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  void step(unsigned when) {
    fuzz::for_each_step(steps_, [&](const fuzz::StepHead& head, std::span<const std::uint8_t> at) {
      if (head.when % fuzz::kLooks != when) return;
      const std::uint64_t offset = std::uint64_t{head.line} * fuzz::kLineBytes;
      if (head.kind == fuzz::kTruncate) {
        cut(offset);
      } else if (pwrite(fd_, at.data(), at.size(), static_cast<off_t>(offset)) < 0) {
        std::abort();
      }
    });
  }

 private:
  // A file system that does not support files of this size leaves it unchanged.
  void cut(std::uint64_t bytes) { [[maybe_unused]] const int r = ftruncate(fd_, off_t(bytes)); }

  std::span<const std::uint8_t> steps_;
  int fd_ = -1;
};

struct Consumer {
  explicit Consumer(const Place& of) : place(of) {
    std::string why;
    staging = StagingFile::create(of.path(), &why);
    if (staging == nullptr) std::abort();
    writer = std::make_unique<SlotWriter>(*staging, *io, log);
  }

  // False if consumerd refuses the segment.
  bool begin() {
    std::string why;
    AttachFailure failure;
    auto segment = AttachedSegment::attach(place.path(), kName, &failure);
    if (segment == nullptr) return false;
    session =
        SegmentSession::start(std::move(segment), place.output(), *writer, *staging, log, &why);
    totals = {};
    if (session != nullptr) session->set_rules(rules());
    return session != nullptr;
  }
  // Every record is checked: some are left out, and most values are hidden.
  static std::shared_ptr<const RecordRules> rules() {
    RecordRules rules;
    rules.samples.emplace_back().one_in = 3;
    rules.redactions.emplace_back().fields = {"*[a-m]*", "?"};
    return std::make_shared<const RecordRules>(std::move(rules));
  }
  void look() {
    session->poll();
    session->tend();
    look_at_metrics();
  }
  // Whatever the segment contains, totals do not fall, and ratios are valid.
  void look_at_metrics() {
    const ServiceMetrics now = session->metrics();
    for (std::size_t i = 0; i < now.totals.lost.size(); ++i) {
      if (now.totals.lost[i] < totals.lost[i]) std::abort();
    }
    const bool fell = now.totals.records < totals.records ||
                      now.totals.quarantined_rings < totals.quarantined_rings ||
                      now.totals.blocked_s < totals.blocked_s;
    if (fell || !(now.state.fill <= 1) || !(now.state.high_water <= 1)) std::abort();
    totals = now.totals;
  }
  void finish() {
    session->begin_end(trace::EndReason::kServiceEnded);
    while (session->try_end() != SegmentSession::End::kOver) {
      session->seal();
      writer->poll(true);
    }
    look_at_metrics();
    session->leave();
    session.reset();
  }

  const Place& place;
  const Log log{false};
  const std::unique_ptr<BlockIo> io = make_pwrite_io();
  std::unique_ptr<StagingFile> staging;
  std::unique_ptr<SlotWriter> writer;
  std::unique_ptr<SegmentSession> session;
  ServiceTotals totals;  // as last reported
};

void salvage(const Place& place) {
  std::string why;
  auto salvaged = tool::salvage_segment(place.segment(), &why);
  if (!salvaged) return;
  salvaged->lines(true);
  fuzz::read_sound_trace(trace::TraceFile::in_memory("salvaged", std::move(salvaged->trace)));
}

// Reads everything that ringstat and ringctl list read of it.
void watch(const Place& place) {
  constexpr std::size_t kRings = 4;
  std::string why;
  const auto image = tool::SegmentImage::open_live(place.segment(), &why);
  if (image == nullptr) return;
  const tool::SegmentStatus status = tool::read_status(*image, place.segment());
  if (status.rings.size() > image->layout().ring_count) std::abort();
  tool::list_statements(*image, &why);
  image->switches(status.site_count);
  image->site_losses(status.site_count);
  image->executions(status.site_count);
  static_cast<void>(status.call_costs.quantile_ticks(990));
  trace::SiteTable sites;
  sites.add(image->dictionary(image->control().dictionary_bytes), &why);
  tool::StatementSample sample(sites);
  for (const tool::RingStatus& ring :
       std::span(status.rings).first(std::min(kRings, status.rings.size()))) {
    if (ring.fill_bytes > image->layout().ring_bytes) std::abort();
    sample.add(image->ring_bytes(ring.ring, ring.producer_pos - ring.fill_bytes, ring.fill_bytes),
               1);
  }
}

// The drained records stay in the staging file, and the next consumerd finishes them.
void drain_and_die(const Place& place, Segment& segment) {
  {
    Consumer killed(place);
    if (!killed.begin()) return;
    killed.look();
    segment.step(1);
    killed.look();
    killed.session->seal();
    killed.session.reset();
  }
  segment.step(2);
  // Nothing that a service does to its segment may block recovery.
  if (!recover_all_staging(place.path(), Log(false))) std::abort();
}

void read_traces(const Place& place) {
  for (const auto& entry : std::filesystem::directory_iterator(place.output())) {
    trace::ReadError error;
    auto file = trace::TraceFile::open(entry.path().string(), &error);
    if (file == nullptr) std::abort();
    fuzz::read_sound_trace(std::move(file));
    std::filesystem::remove(entry.path());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  static Consumer consumer(place);
  if (size == 0) return 0;
  Segment segment(place.segment(), std::span(data, size).subspan(1));
  salvage(place);
  watch(place);
  if ((data[0] & fuzz::kKilled) != 0) drain_and_die(place, segment);
  if (consumer.begin()) {
    for (unsigned look = 1; look < fuzz::kLooks; ++look) {
      consumer.look();
      segment.step(look);
      salvage(place);
      watch(place);
    }
    consumer.look();
    consumer.finish();
  }
  read_traces(place);
  return 0;
}
