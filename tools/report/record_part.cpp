#include "tools/report/record_part.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/report/record_index.hpp"
#include "tools/report/used_forms.hpp"

namespace ringside::tool {
namespace {

constexpr unsigned kMostHalvings = 24;

std::size_t seen_index(KeptFor reason) {
  return static_cast<std::size_t>(reason);
}

}  // namespace

RecordPart::RecordPart(const KnownMoments& moments)
    : has_all_(!moments.has_many_records), last_from_ns_(moments.last_from_ns) {
  static_assert(kMostRecords == KnownMoments::kManyRecords);
  const auto add_window = [this](const CollectionMoment& moment) {
    if (windows_.size() < kMostWindows)
      windows_.push_back({moment.unix_ns, moment.segment, {}, kAroundTrigger});
  };
  // Triggers have precedence over what people changed.
  for (const bool of_triggers : {true, false}) {
    for (const CollectionMoment& moment : moments.changes) {
      if ((moment.change.cause == trace::ChangeCause::kTrigger) == of_triggers) add_window(moment);
    }
  }
  std::sort(windows_.begin(), windows_.end(),
            [](const Window& a, const Window& b) { return a.unix_ns < b.unix_ns; });
}

void RecordPart::add(const ReportEvent& event) {
  grid_ = &event.grid;
  if (event.event.kind == trace::EventKind::kLoss) return add_loss(event);
  if (event.event.kind != trace::EventKind::kRecord) return;
  if (is_left_out(event)) [[likely]] {
    ++records_;
    return;
  }
  ++records_;
  KeptFor reason = KeptFor::kAll;
  std::uint64_t place = 0;
  if (is_wanted(event, &reason, &place)) keep(event, reason, place);
}

void RecordPart::add_loss(const ReportEvent& event) {
  ++seen_[seen_index(KeptFor::kLoss)];
  std::uint64_t place = 0;
  if (!losses_.next(&place)) return;
  keep(event, KeptFor::kLoss, place);
  if (losses_.is_full() && !has_all_) {
    losses_.halve();
    retain([this](const Kept& kept) {
      return kept.reason != KeptFor::kLoss || losses_.is_taken(kept.place);
    });
  }
  if (!losses_.is_taken(place)) return;
  const std::uint32_t stream = event.place.stream->number;
  if (stream >= after_loss_.size()) after_loss_.resize(std::size_t{stream} + 1);
  if (after_loss_[stream].left == 0) ++streams_after_loss_;
  after_loss_[stream] = {place, kAfterLoss};
}

bool RecordPart::is_wanted(const ReportEvent& event, KeptFor* reason, std::uint64_t* place) {
  const bool is_sampled = is_sample(event);
  const auto take = [&](KeptFor why) {
    ++seen_[seen_index(why)];
    *reason = why;
    return true;
  };
  if (first_window_ < windows_.size() && is_around_moment(event)) return take(KeptFor::kTrigger);
  if (streams_after_loss_ != 0 && is_after_loss(event, place)) return take(KeptFor::kLoss);
  if (records_ <= kFirstRecords) return take(KeptFor::kFirst);
  if (event.event.unix_ns >= last_from_ns_ && last_kept_ < 2 * KnownMoments::kLastRecords) {
    ++last_kept_;
    return take(KeptFor::kLast);
  }
  const trace::Site* const site = event.event.record.site;
  if (site != nullptr && site->level >= shm::Level::kWarning) [[unlikely]] {
    const bool is_error = site->level >= shm::Level::kError;
    if ((is_error ? errors_ : warnings_).next(place))
      return take(is_error ? KeptFor::kError : KeptFor::kWarning);
  }
  if (is_sampled) {
    ++samples_;
    return take(KeptFor::kSample);
  }
  return has_all_;
}

// It stays as long as its loss.
bool RecordPart::is_after_loss(const ReportEvent& event, std::uint64_t* place) {
  const std::uint32_t stream = event.place.stream->number;
  if (stream >= after_loss_.size() || after_loss_[stream].left == 0) return false;
  *place = after_loss_[stream].place;
  if (--after_loss_[stream].left == 0) --streams_after_loss_;
  return true;
}

bool RecordPart::is_around_moment(const ReportEvent& event) {
  const std::uint64_t now = event.event.unix_ns;
  bool is_wanted = false;
  for (std::size_t i = first_window_; i < windows_.size(); ++i) {
    Window& window = windows_[i];
    if (now + kTriggerNs < window.unix_ns) break;
    const bool is_over = window.after == 0 || now > window.unix_ns + kTriggerNs;
    if (is_over && i == first_window_) ++first_window_;
    if (is_over || event.event.segment->uuid != window.segment) continue;
    is_wanted = true;
    if (now >= window.unix_ns) {
      --window.after;
      continue;
    }
    window.before.push_back(order_);
    if (window.before.size() <= kAroundTrigger) continue;
    release(window.before.front());
    window.before.pop_front();
  }
  return is_wanted;
}

// Also if another reason applies: then the statement has a record in this interval.
bool RecordPart::is_sample(const ReportEvent& event) {
  const std::uint32_t number = event.place.site->number;
  if (number >= sampled_.size()) [[unlikely]]
    sampled_.resize(std::size_t{number} + 1, UINT32_MAX);
  const std::uint32_t key = sample_key(event);
  if (sampled_[number] == key) return false;
  sampled_[number] = key;
  return true;
}

void RecordPart::keep(const ReportEvent& event, KeptFor reason, std::uint64_t place) {
  const trace::Event& record = event.event;
  RecordObjects::Object object = objects_.of(record, most_text_);
  Kept kept;
  kept.order = order_++;
  kept.unix_ns = record.unix_ns;
  kept.place = place;
  kept.reason = reason;
  kept.is_cut = object.is_cut;
  kept.json = std::move(object.json);
  if (event.place.stream != nullptr)
    kept.stream = static_cast<std::int32_t>(event.place.stream->number);
  if (record.kind == trace::EventKind::kRecord) {
    kept.statement = static_cast<std::int32_t>(event.place.site->number);
    kept.form = forms_.of(record.record.site, record.section);
    if (record.record.context != nullptr)
      kept.context = forms_.of_context(record.record.context->site, record.section);
  }
  text_bytes_ += kept.json.size();
  kept_.push_back(std::move(kept));
  if (has_all_) {
    if (kept_.size() > kMostRecords || text_bytes_ > kMostTextBytes) select_only();
  } else if (errors_.is_full() || warnings_.is_full() || samples_ > kMostSamples ||
             text_bytes_ > kMostSelectedBytes) {
    shrink(text_bytes_ > kMostSelectedBytes);
  }
}

// Of the records before a moment, only the last ones stay.
void RecordPart::release(std::uint64_t order) {
  const auto found =
      std::lower_bound(kept_.begin(), kept_.end(), order,
                       [](const Kept& kept, std::uint64_t number) { return kept.order < number; });
  if (found == kept_.end() || found->order != order || found->reason != KeptFor::kTrigger) return;
  --seen_[seen_index(KeptFor::kTrigger)];
  found->reason = KeptFor::kAll;
  if (has_all_) return;
  text_bytes_ -= found->json.size();
  found->json = {};
  found->is_dropped = true;
  if (++dropped_ > kMostRecords / 2) retain([](const Kept&) { return true; });
}

void RecordPart::select_only() {
  has_all_ = false;
  while (losses_.is_full()) losses_.halve();
  retain([](const Kept& kept) { return kept.reason != KeptFor::kAll; });
  shrink(text_bytes_ > kMostSelectedBytes);
}

template <class IsWanted>
void RecordPart::retain(IsWanted&& is_wanted) {
  std::erase_if(kept_, [&](const Kept& kept) {
    if (kept.is_dropped) return true;
    if (is_wanted(kept)) return false;
    text_bytes_ -= kept.json.size();
    return true;
  });
  dropped_ = 0;
}

// One for each statement and 2^coarse_ intervals. Returns how many stay.
std::size_t RecordPart::thin_samples() {
  std::vector<std::int64_t> last;
  std::size_t stay = 0;
  retain([&](const Kept& kept) {
    if (kept.reason != KeptFor::kSample) return true;
    const auto statement = static_cast<std::size_t>(kept.statement);
    if (statement >= last.size()) last.resize(statement + 1, -1);
    const std::uint64_t at =
        kept.unix_ns < grid_->begin_ns() ? 0 : kept.unix_ns - grid_->begin_ns();
    const auto interval = static_cast<std::int64_t>(at >> grid_->shift() >> coarse_);
    if (last[statement] == interval) return false;
    last[statement] = interval;
    ++stay;
    return true;
  });
  return samples_ = stay;
}

void RecordPart::shrink(bool is_too_large) {
  while (errors_.is_full()) errors_.halve();
  while (warnings_.is_full()) warnings_.halve();
  if (is_too_large) {
    errors_.halve();
    warnings_.halve();
    losses_.halve();
    most_text_ = std::max<std::size_t>(most_text_ / 4, 256);
  }
  retain([this](const Kept& kept) {
    if (kept.reason == KeptFor::kError) return errors_.is_taken(kept.place);
    if (kept.reason == KeptFor::kWarning) return warnings_.is_taken(kept.place);
    if (kept.reason == KeptFor::kLoss) return losses_.is_taken(kept.place);
    return true;
  });
  // The grid may have become coarser.
  const std::size_t before = thin_samples();
  if (!is_too_large && before <= kMostSamples / 2) return;
  for (++coarse_; thin_samples() > (is_too_large ? before : kMostSamples) / 2 && coarse_ < 8;)
    ++coarse_;
  if (samples_ <= kMostSamples / 2) return;
  // Thousands of statements: only some of them have a sample.
  std::size_t number = 0;
  retain([&](const Kept& kept) {
    return kept.reason != KeptFor::kSample || ++number <= kMostSamples / 2;
  });
  samples_ = kMostSamples / 2;
}

std::vector<std::string> RecordPart::chunks() const {
  std::vector<std::string> chunks;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (i % kChunkRecords == 0) chunks.emplace_back("[");
    if (chunks.back().size() > 1) chunks.back() += ",\n";
    chunks.back() += kept_[i].json;
    if (i + 1 == kept_.size() || (i + 1) % kChunkRecords == 0) chunks.back() += "]";
  }
  return chunks;
}

bool RecordPart::fits(const Documents& documents, std::size_t most_packed,
                      SectionPacker& packer) const {
  if (text_bytes_ + documents.index.size() <= std::min(kMostPackedBytes, most_packed)) return true;
  std::size_t chunks = 0;
  for (const std::string& chunk : documents.chunks) chunks += packer.packed(chunk).size();
  return chunks <= kMostPackedBytes &&
         chunks + packer.packed(documents.index).size() <= most_packed;
}

std::string RecordPart::index_json(const TimeGrid& grid, SectionPacker& packer) {
  UsedForms used;
  for (const Kept& kept : kept_) {
    used.use(kept.form);
    used.use(kept.context);
  }
  const std::string forms = used.json(forms_, packer);
  // They are in the order in which the reader delivered them.
  RecordIndex index(grid, kChunkRecords);
  for (const Kept& kept : kept_) {
    index.add({kept.unix_ns, kept.statement, kept.stream, used.number(kept.form),
               used.number(kept.context), static_cast<std::uint8_t>(kept.reason), kept.is_cut});
  }
  index.describe(
      {records_, has_all_, thinned_, seen_, std::uint64_t{1} << coarse_, used.left_out()});
  return index.json(forms);
}

RecordPart::Documents RecordPart::documents(const TimeGrid& grid, std::size_t most_packed,
                                            SectionPacker& packer) {
  grid_ = &grid;
  retain([](const Kept&) { return true; });
  seen_[seen_index(KeptFor::kError)] = errors_.seen();
  seen_[seen_index(KeptFor::kWarning)] = warnings_.seen();
  for (unsigned i = 0;; ++i) {
    Documents documents{index_json(grid, packer), chunks()};
    if (i == kMostHalvings || fits(documents, most_packed, packer)) return documents;
    if (has_all_) {
      select_only();
    } else if (i % 2 == 0) {
      shrink(true);
    } else {
      std::size_t number = 0;
      retain([&](const Kept&) { return ++number % 2 == 1; });
      ++thinned_;
    }
  }
}

}  // namespace ringside::tool
