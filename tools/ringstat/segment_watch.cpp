#include "tools/ringstat/segment_watch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/switch_change.hpp"
#include "shm-layout/tick_time.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/ringstat/statement_sample.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kHistory = 120;
constexpr auto kSampleWindow = std::chrono::milliseconds(3);
constexpr std::uint64_t kSampleBytes = 32U << 10;  // per ring and sample
constexpr std::uint64_t kSampleBudget = 4U << 20;  // per service
constexpr std::uint64_t kLeastRingBytes = 64U << 10;
constexpr std::uint64_t kMostRingBytes = std::uint64_t{1} << 30;
constexpr double kPauseOfConsumerS = 0.01;  // because it has no processor

double per_second(std::uint64_t before, std::uint64_t after, double seconds) {
  return after > before && seconds > 0 ? static_cast<double>(after - before) / seconds : 0;
}

void remember(std::deque<double>& history, double rate) {
  history.push_back(rate);
  if (history.size() > kHistory) history.pop_front();
}

}  // namespace

std::uint64_t recommended_ring_bytes(std::uint64_t high_water_bytes, double burst_bytes_per_s) {
  const double wanted =
      std::max(2.0 * static_cast<double>(high_water_bytes), kPauseOfConsumerS * burst_bytes_per_s);
  if (wanted < 1) return 0;
  const double bounded = std::min(wanted, static_cast<double>(kMostRingBytes));
  return std::bit_ceil(std::max(kLeastRingBytes, static_cast<std::uint64_t>(std::ceil(bounded))));
}

// One segment, from the first sample to the last.
class WatchedSegment {
 public:
  // Reads what the rings have published; call finish() a moment later.
  bool begin(const std::string& path, std::string* why) {
    image_ = SegmentImage::open_live(path, why);
    if (image_ == nullptr) return false;
    window_begin_ = read_status(*image_, path);
    return true;
  }

  // Nothing with `*why`: it was truncated meanwhile.
  std::optional<ServiceView> finish(const std::string& path, std::string* why) {
    const auto now = steady_clock::now();
    ServiceView view;
    view.now = read_status(*image_, path);
    const double seconds =
        has_before_ ? std::chrono::duration<double>(now - before_time_).count() : 0;
    follow_dictionary(&view.trouble);
    for (const RingStatus& ring : view.now.rings) add_thread(ring, seconds, &view);
    add_service(seconds, &view);
    add_statements(seconds, &view);
    if (!image_->is_whole(path, why)) return {};
    before_ = view.now;
    before_time_ = now;
    has_before_ = true;
    image_.reset();
    return view;
  }

 private:
  struct Peak {
    std::uint32_t generation = 0;
    std::uint64_t high_water_bytes = 0;
    double burst_bytes_per_s = 0;
    double record_bytes = 0;  // the mean when it was last known
  };

  // Null if the ring had another owner at that time, or none.
  static const RingStatus* same_owner(const SegmentStatus& then, const RingStatus& ring) {
    if (ring.ring >= then.rings.size()) return nullptr;
    const RingStatus& other = then.rings[ring.ring];
    return other.generation == ring.generation && other.stream_id == ring.stream_id ? &other
                                                                                    : nullptr;
  }

  void follow_dictionary(std::string* trouble) {
    *trouble = dictionary_trouble_;
    const std::uint64_t committed = image_->control().dictionary_bytes;
    if (committed == dictionary_bytes_ || !trouble->empty()) return;
    const std::vector<std::byte> bytes = image_->dictionary(committed);
    std::span<const std::byte> fresh(bytes);
    // Append-only; whole entries.
    if (dictionary_bytes_ < fresh.size()) {
      sites_.add(fresh.subspan(dictionary_bytes_), trouble);
      dictionary_bytes_ = fresh.size();
    }
    statements_ = list_statements(*image_, trouble);
    dictionary_trouble_ = *trouble;  // damage is permanent
  }

  void add_thread(const RingStatus& ring, double seconds, ServiceView* view) {
    if (peaks_.size() <= ring.ring) peaks_.resize(ring.ring + std::size_t{1});
    Peak& peak = peaks_[ring.ring];
    if (peak.generation != ring.generation) peak = {ring.generation, 0, 0, 0};
    if (!ring.active() && ring.fill_bytes == 0) return;
    ThreadView thread;
    thread.now = ring;
    const RingStatus* const before = has_before_ ? same_owner(before_, ring) : nullptr;
    sample(ring, before, &peak);
    if (before != nullptr) {
      thread.bytes_per_s = per_second(before->producer_pos, ring.producer_pos, seconds);
      thread.drops_per_s = per_second(before->dropped, ring.dropped, seconds);
      const double blocked_s = static_cast<double>(shm::ticks_to_ns(
                                   ring.blocked_ticks - before->blocked_ticks, view->now.tick_hz)) /
                               static_cast<double>(shm::kSecondNs);
      if (seconds > 0 && ring.blocked_ticks > before->blocked_ticks) {
        thread.blocked_share = std::min(1.0, blocked_s / seconds);
      }
      // The consumer counts records exactly; if its counts do not move, the mean size is used.
      const bool counted =
          view->now.consumer == ConsumerHealth::kPolling && view->now.sub_buffer_bytes == 0;
      thread.records_per_s = counted
                                 ? per_second(before->records_taken, ring.records_taken, seconds)
                             : peak.record_bytes > 0 ? thread.bytes_per_s / peak.record_bytes
                                                     : 0;
      const double growth = per_second(before->fill_bytes, ring.fill_bytes, seconds);
      if (view->now.sub_buffer_bytes == 0 && growth > 0 && ring.quarantine == 0) {
        thread.overflow_s = static_cast<double>(view->now.ring_bytes - ring.fill_bytes) / growth;
      }
    }
    peak.high_water_bytes =
        std::max({peak.high_water_bytes, ring.high_water_bytes, ring.fill_bytes});
    peak.burst_bytes_per_s = std::max(peak.burst_bytes_per_s, thread.bytes_per_s);
    thread.high_water_bytes = peak.high_water_bytes;
    thread.burst_bytes_per_s = peak.burst_bytes_per_s;
    if (view->now.sub_buffer_bytes == 0 && ring.quarantine == 0) {
      thread.recommended_ring_bytes =
          recommended_ring_bytes(peak.high_water_bytes, peak.burst_bytes_per_s);
    }
    view->threads.push_back(std::move(thread));
  }

  // Samples records of the ring: the first since the previous sample, or, if those are overwritten
  // by now, those of the window. Both begin at a former producer's position, and therefore at a
  // record.
  void sample(const RingStatus& ring, const RingStatus* before, Peak* peak) {
    const RingStatus* const window = same_owner(window_begin_, ring);
    const std::uint64_t recent = window != nullptr ? window->producer_pos : ring.producer_pos;
    const std::uint64_t since = before != nullptr ? before->producer_pos : recent;
    if (sample_from(ring, since, since, peak) || since == recent) return;
    sample_from(ring, recent, since, peak);
  }

  // The records read represent all of `since`. False if there is no whole record.
  bool sample_from(const RingStatus& ring, std::uint64_t from, std::uint64_t since, Peak* peak) {
    if (from >= ring.producer_pos || sampled_bytes_ >= kSampleBudget || !is_whole(ring, from)) {
      return false;
    }
    const std::vector<std::byte> bytes =
        image_->ring_bytes(ring.ring, from, std::min(ring.producer_pos - from, kSampleBytes));
    sampled_bytes_ += bytes.size();
    if (bytes.empty() || !is_whole(ring, from)) return false;
    const double weight =
        static_cast<double>(ring.producer_pos - since) / static_cast<double>(bytes.size());
    const StatementSample::Share seen = sample_.add(bytes, std::max(weight, 1.0));
    if (seen.records > 0) peak->record_bytes = seen.bytes / seen.records;
    return true;
  }

  // Whether it is not overwritten yet. The producer may be writing a record after its position.
  bool is_whole(const RingStatus& ring, std::uint64_t from) {
    const RingWords words = image_->ring_words(ring.ring);
    const std::uint64_t reach = words.producer_pos + image_->header().max_record_bytes;
    return words.generation == ring.generation && reach - from <= image_->layout().ring_bytes;
  }

  void add_service(double seconds, ServiceView* view) {
    std::uint64_t high_water = 0;
    double burst = 0;
    const bool drained = view->now.sub_buffer_bytes == 0;
    for (const ThreadView& thread : view->threads) {
      view->records_per_s += thread.records_per_s;
      view->bytes_per_s += thread.bytes_per_s;
      const RingStatus& ring = thread.now;
      view->fullest_permille =
          std::max(view->fullest_permille, ring.fill_bytes * 1000 / view->now.ring_bytes);
      if (!drained) continue;  // records in these rings stay there
      view->unwritten_bytes += ring.producer_pos - std::min(ring.producer_pos, ring.written_pos);
      if (ring.quarantine != 0) continue;  // not drained: no size would be large enough
      high_water = std::max(high_water, thread.high_water_bytes);
      burst = std::max(burst, thread.burst_bytes_per_s);
      if (thread.overflow_s && (!view->overflow_s || *thread.overflow_s < *view->overflow_s)) {
        view->overflow_s = thread.overflow_s;
      }
    }
    view->high_water_permille = high_water * 1000 / view->now.ring_bytes;
    view->recommended_ring_bytes = recommended_ring_bytes(high_water, burst);
    if (has_before_) {
      view->drops_per_s = per_second(before_.lost(), view->now.lost(), seconds);
      view->drops_grow = view->now.lost() > before_.lost();
      remember(bytes_history_, view->bytes_per_s);
      remember(drops_history_, view->drops_per_s);
    }
    view->bytes_history = bytes_history_;
    view->drops_history = drops_history_;
  }

  void add_statements(double seconds, ServiceView* view) {
    const std::vector<std::uint8_t> switches = image_->switches(view->now.site_count);
    const auto losses = image_->site_losses(view->now.site_count);
    const auto executions = image_->executions(view->now.site_count);
    if (seconds > 0 && view->bytes_per_s == 0) sample_.clear();
    const auto& shares = sample_.by_site();
    double all_bytes = 0;
    for (const StatementSample::Share& share : shares) all_bytes += share.bytes;
    for (const ListedStatement& listed : statements_) {
      StatementView statement;
      statement.statement = listed;
      const std::uint8_t state =
          listed.id < switches.size() ? switches[listed.id] : std::uint8_t{0};
      statement.enabled = shm::is_on_meanwhile(state);
      statement.counting = shm::present_switch(state) == shm::kSwitchCounting;
      if (listed.id < executions.size()) {
        statement.counted = executions[listed.id].counted;
        statement.suppressed = executions[listed.id].suppressed;
      }
      view->has_executions = view->has_executions || statement.counting || statement.counted != 0 ||
                             statement.suppressed != 0;
      if (listed.id < losses.size()) statement.lost = lost_records(losses[listed.id]);
      if (listed.id < shares.size() && all_bytes > 0) {
        const StatementSample::Share& share = shares[listed.id];
        statement.share = share.bytes / all_bytes;
        // The shares come from the sample, and the sum from the rings.
        if (seconds > 0) {
          statement.bytes_per_s = statement.share * view->bytes_per_s;
          statement.records_per_s =
              share.bytes > 0 ? statement.bytes_per_s * share.records / share.bytes : 0;
        }
      }
      view->statements.push_back(std::move(statement));
    }
    std::stable_sort(
        view->statements.begin(), view->statements.end(),
        [](const StatementView& a, const StatementView& b) { return a.share > b.share; });
    // A sample without records, because all were overwritten before it, keeps the shares; otherwise
    // they have half the weight of the next sample.
    if (sampled_bytes_ > 0) sample_.fade();
    sampled_bytes_ = 0;
  }

  std::unique_ptr<SegmentImage> image_;
  SegmentStatus window_begin_;
  SegmentStatus before_;
  steady_clock::time_point before_time_;
  bool has_before_ = false;
  trace::SiteTable sites_;
  std::uint64_t dictionary_bytes_ = 0;
  std::string dictionary_trouble_;
  std::vector<ListedStatement> statements_;
  StatementSample sample_{sites_};
  std::uint64_t sampled_bytes_ = 0;
  std::vector<Peak> peaks_;  // by ring
  std::deque<double> bytes_history_;
  std::deque<double> drops_history_;
};

SegmentWatch::SegmentWatch(ServiceChoice choice) : choice_(std::move(choice)) {}

SegmentWatch::~SegmentWatch() = default;

bool SegmentWatch::look(std::string* why) {
  services_.clear();
  troubles_.clear();
  const std::vector<std::string> paths = chosen_segments(choice_, why);
  if (!why->empty()) return false;
  std::map<std::string, std::unique_ptr<WatchedSegment>> present;
  for (const std::string& path : paths) {
    const auto known = watched_.find(path);
    auto segment =
        known != watched_.end() ? std::move(known->second) : std::make_unique<WatchedSegment>();
    std::string trouble;
    if (segment->begin(path, &trouble)) {
      present.emplace(path, std::move(segment));
    } else if (!trouble.empty()) {
      troubles_.push_back(std::move(trouble));
    }
  }
  watched_ = std::move(present);
  if (!watched_.empty()) std::this_thread::sleep_for(kSampleWindow);
  for (auto each = watched_.begin(); each != watched_.end();) {
    std::string trouble;
    if (auto view = each->second->finish(each->first, &trouble)) {
      services_.push_back(std::move(*view));
      ++each;
    } else {
      troubles_.push_back(std::move(trouble));
      each = watched_.erase(each);
    }
  }
  std::stable_sort(services_.begin(), services_.end(),
                   [](const ServiceView& a, const ServiceView& b) {
                     return std::tie(a.now.service, a.now.pid) < std::tie(b.now.service, b.now.pid);
                   });
  return true;
}

}  // namespace ringside::tool
