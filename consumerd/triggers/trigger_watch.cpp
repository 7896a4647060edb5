#include "consumerd/triggers/trigger_watch.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/context_task.hpp"
#include "trace-format/codec/ring_arguments.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::consumer {
namespace {

bool is_about_records(const TriggerRule& rule, const std::string& service) {
  return rule.cause == TriggerRule::Cause::kRecord && rule.is_for(service);
}

std::string place_of(const trace::Site& site) {
  return std::string(trace::without_folders(site.file)) + ":" + std::to_string(site.line);
}

}  // namespace

std::unique_ptr<TriggerWatch> TriggerWatch::of_service(TriggerQueue& triggers, TriggerSource source,
                                                       const Log& log) {
  const auto is_ours = [&](const TriggerRule& rule) {
    return is_about_records(rule, source.service);
  };
  if (std::none_of(triggers.rules()->begin(), triggers.rules()->end(), is_ours)) return nullptr;
  return std::unique_ptr<TriggerWatch>(new TriggerWatch(triggers, std::move(source), log));
}

TriggerWatch::TriggerWatch(TriggerQueue& triggers, TriggerSource source, const Log& log)
    : triggers_(triggers), rules_(triggers.rules()), source_(std::move(source)), log_(log) {
  segment_.service = source_.service;
  segment_.pid = source_.pid;
  segment_.tick_hz = source_.tick_hz;
  event_.segment = &segment_;
  event_.stream = &stream_;
}

bool TriggerWatch::concerns(const trace::SiteTable& sites) {
  for (; considered_ < sites.size(); ++considered_) consider(sites.defined(considered_));
  return any_;
}

void TriggerWatch::consider(const trace::Site& site) {
  const bool is_context = site.kind == shm::SiteKind::kContext;
  std::vector<Candidate> candidates;
  bool needs_message = false;
  for (std::size_t i = 0; i < rules_->size(); ++i) {
    const TriggerRule& rule = (*rules_)[i];
    if (!is_about_records(rule, source_.service)) continue;
    if (is_context) {
      if (rule.condition != nullptr) {
        trace::add_named_fields(*rule.condition, site, context_fields_);
      }
      continue;
    }
    if (!rule.statements.fits(site)) continue;
    Candidate candidate{i, {}};
    if (rule.condition != nullptr) {
      std::string misfit;
      candidate.condition.emplace(*rule.condition, site, &misfit);
      log_misfit(rule, site, misfit);
      if (!candidate.condition->can_match_in_some()) continue;
      needs_message = needs_message || rule.condition->uses_message;
      asks_for_tasks_ = asks_for_tasks_ || (rule.condition->properties &
                                            trace::property_bit(trace::Property::kSubstream)) != 0;
    }
    // Contexts are followed as soon as one has a field that a condition names.
    any_ = any_ || !candidate.condition || !candidate.condition->uses_contexts();
    candidates.push_back(std::move(candidate));
  }
  any_ = any_ || !context_fields_.empty();
  if (candidates.empty()) return;
  watches_.resize(std::max<std::size_t>(watches_.size(), std::size_t{site.id} + 1));
  watches_[site.id] = std::make_unique<SiteWatch>(
      SiteWatch{std::move(candidates), trace::SiteMessage(site), needs_message});
}

void TriggerWatch::log_misfit(const TriggerRule& rule, const trace::Site& site,
                              const std::string& misfit) const {
  if (misfit.empty()) return;
  log_.detail("trigger " + rule.name + " ignores " + place_of(site) + " of " + source_.service +
              ": " + misfit);
}

std::size_t TriggerWatch::look(const trace::SiteTable& sites, std::span<const std::byte> records,
                               const RingOwner& owner, RecordPass* pass, WatchedStream& stream,
                               bool* sound) {
  const bool follows_contexts = !context_fields_.empty() || asks_for_tasks_;
  std::size_t at = 0;
  while (at < records.size()) {
    const trace::RingRecordView record = trace::view_ring_record(sites, records.subspan(at));
    *sound = record.state != trace::RingRecordView::State::kCorrupt;
    if (record.state != trace::RingRecordView::State::kWhole) break;
    at += record.bytes.size();
    if (shm::head_id(record.head) == shm::kCodeClock) {
      stream.processor = shm::clock_processor(
          record.head, trace::load<std::uint64_t>(record.bytes.data() + shm::kHeadBytes));
    }
    if (record.site == nullptr) continue;
    if (follows_contexts) stream.context.pass(record);
    if (record.site->id >= watches_.size()) continue;
    SiteWatch* const watch = watches_[record.site->id].get();
    if (watch != nullptr) check(sites, record, *watch, owner, pass, stream);
  }
  return at;
}

void TriggerWatch::check(const trace::SiteTable& sites, const trace::RingRecordView& record,
                         SiteWatch& watch, const RingOwner& owner, RecordPass* pass,
                         WatchedStream& stream) {
  const bool follows_contexts = !context_fields_.empty() || asks_for_tasks_;
  const trace::RecordContext* const context =
      follows_contexts ? stream.context.decoded(sites) : nullptr;
  bool is_decoded = false;
  for (Candidate& candidate : watch.candidates) {
    const trace::WhereCondition* condition = nullptr;
    if (candidate.condition) {
      std::string misfit;
      condition = candidate.condition->in(context == nullptr ? nullptr : context->site, &misfit);
      log_misfit((*rules_)[candidate.rule], *record.site, misfit);
      if (condition == nullptr) continue;
    }
    if (!is_decoded && !decode(record, watch, owner, stream.processor)) return;
    if (!is_decoded && context != nullptr) trace::add_task(*context, event_.record);
    is_decoded = true;
    event_.record.context = context;
    if (condition != nullptr && !condition->matches(event_, text_.text())) continue;
    if (!triggers_.may_fire(candidate.rule)) continue;
    triggers_.fire(candidate.rule, source_, place_of(*record.site),
                   shown_message(sites, record, watch, pass));
  }
}

bool TriggerWatch::decode(const trace::RingRecordView& record, const SiteWatch& watch,
                          const RingOwner& owner, std::uint32_t processor) {
  if (!trace::decode_ring_arguments(*record.site, record.arguments, &values_)) return false;
  event_.record.site = record.site;
  event_.record.args = values_;
  static_cast<trace::RecordExtension&>(event_.record) = trace::ring_extension(record);
  event_.record.processor = processor;
  stream_.thread_id = owner.thread_id;
  stream_.thread_name =
      std::string_view(owner.thread_name, strnlen(owner.thread_name, sizeof owner.thread_name));
  text_.clear();
  if (watch.needs_message) watch.message.append(text_, values_);
  return true;
}

std::string TriggerWatch::shown_message(const trace::SiteTable& sites,
                                        const trace::RingRecordView& record, const SiteWatch& watch,
                                        RecordPass* pass) {
  trace::RingRecordView shown = record;
  const FieldRedaction* const redaction =
      pass != nullptr && pass->concerns(sites) ? pass->redaction(record.site->id) : nullptr;
  if (redaction != nullptr) {
    redacted_.clear();
    redaction->append(record, &redacted_);
    shown = trace::view_ring_record(sites, redacted_);
  }
  std::vector<trace::Value> values;
  if (!trace::decode_ring_arguments(*record.site, shown.arguments, &values)) return {};
  trace::TextSink text;
  watch.message.append(text, values);
  return std::string(text.text());
}

}  // namespace ringside::consumer
