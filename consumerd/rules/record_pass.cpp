#include "consumerd/rules/record_pass.hpp"

#include <algorithm>

#include "consumerd/rules/rule_description.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/codec/argument_length.hpp"
#include "trace-format/codec/ring_record_view.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

// Hidden values may make records longer: the limit of what the encoder gets at once.
constexpr std::size_t kMostOutputBytes = 128U << 10;

template <class Rule>
std::vector<const Rule*> rules_of(const std::vector<Rule>& rules, const std::string& service) {
  std::vector<const Rule*> chosen;
  for (const Rule& rule : rules) {
    if (rule.services.empty() || trace::any_service_glob_fits(rule.services, service)) {
      chosen.push_back(&rule);
    }
  }
  return chosen;
}

}  // namespace

std::unique_ptr<RecordPass> RecordPass::of_service(std::shared_ptr<const RecordRules> rules,
                                                   const std::string& service,
                                                   std::uint64_t tsc_frequency_hz, const Log& log) {
  std::unique_ptr<RecordPass> pass(new RecordPass(std::move(rules), tsc_frequency_hz, log));
  pass->samples_ = rules_of(pass->rules_->samples, service);
  pass->redactions_ = rules_of(pass->rules_->redactions, service);
  if (pass->samples_.empty() && pass->redactions_.empty()) return nullptr;
  return pass;
}

RecordPass::RecordPass(std::shared_ptr<const RecordRules> rules, std::uint64_t tsc_frequency_hz,
                       const Log& log)
    : rules_(std::move(rules)),
      tsc_frequency_hz_(tsc_frequency_hz),
      log_(log),
      first_number_(shm::read_tsc()) {}

bool RecordPass::concerns(const trace::SiteTable& sites) {
  for (; considered_ < sites.size(); ++considered_) consider(sites.defined(considered_));
  return any_;
}

void RecordPass::consider(const trace::Site& site) {
  auto treatment = std::make_unique<Treatment>();
  // Without a context's record, the records after it would seem to be of the context before.
  const bool can_be_left_out = site.kind != shm::SiteKind::kContext;
  for (std::size_t i = 0; i < samples_.size() && can_be_left_out; ++i) {
    if (!samples_[i]->statements.fits(site)) continue;
    treatment->sampling = std::make_unique<StatementSampling>(*samples_[i], tsc_frequency_hz_);
    treatment->sample_rule = static_cast<std::uint16_t>(i < kMostStatedRules ? i + 1 : 0);
    break;
  }
  std::vector<const RedactionRule*> redactions;
  for (const RedactionRule* rule : redactions_) {
    if (rule->statements.fits(site)) redactions.push_back(rule);
  }
  std::vector<std::string> constants;
  treatment->redaction = FieldRedaction::of_site(site, redactions, &constants);
  for (const std::string& name : constants) {
    log_.error("cannot hide " + name + " of the statement " + site.file + ":" +
               std::to_string(site.line) +
               ": its value is a constant of the program and stored in the dictionary");
  }
  if (treatment->sampling == nullptr && treatment->redaction == nullptr) return;
  treatments_.resize(std::max<std::size_t>(treatments_.size(), std::size_t{site.id} + 1));
  treatments_[site.id] = std::move(treatment);
  any_ = true;
}

trace::StreamContext RecordPass::hidden(const trace::SiteTable& sites,
                                        const trace::StreamContext& context) {
  const FieldRedaction* const hiding = concerns(sites) ? redaction(context.site_id) : nullptr;
  const trace::Site* const site = sites.find(context.site_id);
  if (hiding == nullptr || site == nullptr) return context;
  const std::span<const std::byte> arguments(context.arguments);
  const trace::ArgumentLength length =
      trace::argument_length(site->plan, arguments.data(), arguments.size());
  if (length.state != trace::LengthState::kWhole || length.bytes != arguments.size()) return {};
  // A record without a head.
  trace::RingRecordView record;
  record.bytes = record.arguments = arguments;
  trace::StreamContext without{context.site_id, {}};
  hiding->append(record, &without.arguments);
  return without;
}

std::span<const std::byte> RecordPass::look(const trace::SiteTable& sites,
                                            std::span<const std::byte> records,
                                            std::uint64_t now_tsc, bool samples) {
  for (const Mark& mark : marks_) {
    if (mark.sampling != nullptr) mark.sampling->begin_again();
  }
  marks_.clear();
  output_.clear();
  corrupt_reason_ = nullptr;
  std::size_t at = 0;
  std::size_t unchanged = 0;  // records before this position are unchanged
  const auto copy_unchanged = [&] {
    output_.insert(output_.end(), records.begin() + static_cast<std::ptrdiff_t>(unchanged),
                   records.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (at < records.size() && output_.size() + (at - unchanged) < kMostOutputBytes) {
    const trace::RingRecordView record = trace::view_ring_record(sites, records.subspan(at));
    if (record.state == trace::RingRecordView::State::kCorrupt) corrupt_reason_ = record.why;
    if (record.state != trace::RingRecordView::State::kWhole) break;
    Treatment* const treated = record.site == nullptr ? nullptr : treatment(record.site->id);
    if (treated == nullptr) {
      at += record.bytes.size();
      continue;
    }
    StatementSampling* const sampling = samples ? treated->sampling.get() : nullptr;
    const bool kept =
        sampling == nullptr || sampling->keeps(shm::widen_tsc(shm::head_tsc(record.head), now_tsc));
    const bool changed = !kept || treated->redaction != nullptr;
    if (changed) copy_unchanged();
    if (kept && changed) treated->redaction->append(record, &output_);
    at += record.bytes.size();
    if (changed) unchanged = at;
    marks_.push_back({at, output_.size() + (at - unchanged), sampling,
                      sampling == nullptr ? StatementSampling::State() : sampling->tentative()});
  }
  copy_unchanged();
  return output_;
}

std::size_t RecordPass::settle(std::size_t encoded) {
  std::size_t input_end = 0;
  std::size_t output_end = 0;
  for (const Mark& mark : marks_) {
    if (mark.output_end > encoded) break;
    if (mark.sampling != nullptr) {
      left_out_ += mark.state.left_out - mark.sampling->left_out();
      mark.sampling->settle(mark.state);
    }
    input_end = mark.input_end;
    output_end = mark.output_end;
  }
  return input_end + (encoded - output_end);
}

std::vector<trace::CollectionRule> RecordPass::described_rules() const {
  std::vector<trace::CollectionRule> all;
  for (const SampleRule* rule : samples_) all.push_back(described_rule(*rule));
  for (const RedactionRule* rule : redactions_) all.push_back(described_rule(*rule));
  return all;
}

std::optional<trace::RuleEffect> RecordPass::effect(std::uint32_t site_id) const {
  const Treatment* const treated =
      site_id < treatments_.size() ? treatments_[site_id].get() : nullptr;
  if (treated == nullptr) return {};
  trace::RuleEffect effect;
  effect.site_id = site_id;
  effect.sample_rule = treated->sample_rule;
  if (treated->redaction != nullptr) effect.hidden_fields = treated->redaction->hidden_fields();
  return effect;
}

void RecordPass::append_unreported(std::vector<trace::LossCount>* counts, std::size_t most) const {
  if (!has_unreported()) return;
  for (std::size_t id = 0; id < treatments_.size() && counts->size() < most; ++id) {
    const Treatment* const treated = treatments_[id].get();
    if (treated == nullptr || treated->sampling == nullptr) continue;
    const std::uint64_t left_out = treated->sampling->left_out();
    if (left_out == treated->reported) continue;
    counts->push_back({static_cast<std::uint32_t>(id), shm::LossCause::kSampled,
                       first_number_ + treated->reported, first_number_ + left_out});
  }
}

void RecordPass::mark_reported(std::span<const trace::LossCount> counts) {
  for (const trace::LossCount& count : counts) {
    if (count.cause != shm::LossCause::kSampled) continue;
    treatments_[count.site_id]->reported = count.after - first_number_;
    reported_ += count.after - count.before;
  }
}

}  // namespace ringside::consumer
