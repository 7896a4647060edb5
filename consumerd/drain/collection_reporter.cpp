#include "consumerd/drain/collection_reporter.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "consumerd/rules/record_rules.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kCheckInterval = std::chrono::milliseconds(100);
// A program that is stopped while it changes switches must not hide the change.
constexpr auto kPatience = std::chrono::seconds(2);
constexpr std::size_t kEffectsAtOnce = 1024;  // at most 140 KiB
// With a megabyte of statements, and what follows, a block fits any slot.
constexpr std::size_t kMostRuleBytes = std::size_t{256} << 10;

// Rules keep their places, which effects refer to.
void shorten(std::vector<trace::CollectionRule>& rules) {
  std::size_t bytes = 0;
  for (trace::CollectionRule& rule : rules) {
    for (const auto& [name, value] : rule.settings) bytes += name.size() + value.size() + 4;
    if (bytes > kMostRuleBytes) rule.settings = {{"settings", "left out: too many rules"}};
  }
  if (rules.size() > kMostStatedRules) rules.resize(kMostStatedRules);
}

}  // namespace

CollectionReporter::CollectionReporter(AttachedSegment& segment)
    : segment_(segment),
      words_(segment),
      changes_(segment),
      checked_tsc_(std::min(segment.header().start_tsc, shm::read_tsc())) {}

void CollectionReporter::set_filters(std::vector<trace::CollectionRule> filters) {
  shorten(filters);
  filters_ = std::move(filters);
}

void CollectionReporter::follow_rules(const RecordPass* pass, const std::string& source) {
  rules_ = pass == nullptr ? std::vector<trace::CollectionRule>() : pass->described_rules();
  shorten(rules_);
  rules_changed_ = true;
  if (source.empty()) return;
  trace::CollectionChange change;
  change.cause = trace::ChangeCause::kConfiguration;
  change.has_ids = true;
  change.tsc = shm::read_tsc();
  change.uid = getuid();
  change.pid = static_cast<std::uint32_t>(getpid());
  change.command = "consumerd: " + source;
  rule_change_ = std::move(change);
}

bool CollectionReporter::has_something_new(std::uint64_t now_tsc) const {
  return !known_ || rules_changed_ || changes_.has_new() || words_.have_changed() ||
         next_deadline(last_) <= now_tsc;
}

// Whether no program is changing the words: otherwise a change would be stated in parts, and some
// of them without an author.
bool CollectionReporter::may_read(Clock::time_point now) {
  const bool is_locked = segment_.try_lock_switches();
  if (is_locked && !changes_.is_changing()) {
    waiting_since_.reset();
    return true;
  }
  if (!waiting_since_) waiting_since_ = now;
  if (now - *waiting_since_ >= kPatience) return true;
  if (is_locked) segment_.unlock_switches();
  return false;
}

std::optional<trace::CollectionState> CollectionReporter::next_state(const trace::SiteTable& sites,
                                                                     std::uint64_t now_tsc) {
  trace::CollectionState before = last_;
  const std::vector<std::uint64_t> over = expire(before, sites, now_tsc);
  trace::CollectionState state = words_.state(sites, now_tsc);
  state.rules = rules_;
  state.rules.insert(state.rules.end(), filters_.begin(), filters_.end());
  state.changes = changes_.read(now_tsc);
  for (const std::uint64_t deadline : over) {
    trace::CollectionChange change;
    change.cause = trace::ChangeCause::kExpired;
    change.tsc = deadline;
    state.changes.push_back(std::move(change));
  }
  if (rule_change_ && state.rules != before.rules) state.changes.push_back(*rule_change_);
  const bool is_same = known_ && state.collects_as(before);
  if (is_same && state.changes.empty()) return {};
  std::stable_sort(state.changes.begin(), state.changes.end(),
                   [](const auto& a, const auto& b) { return a.tsc < b.tsc; });
  state.since_tsc = checked_tsc_;
  state.until_tsc = now_tsc;
  // With an author there is a time.
  if (!state.changes.empty()) {
    state.until_tsc = std::clamp(state.changes.back().tsc, checked_tsc_, now_tsc);
    if (is_same || state.changes.size() == 1) state.since_tsc = state.until_tsc;
  }
  return state;
}

bool CollectionReporter::report(Clock::time_point now, TraceFile& file, DictionaryFeed& dictionary,
                                RecordPass* pass, std::uint64_t* file_bytes) {
  const trace::SiteTable& sites = dictionary.sites();
  const std::uint64_t now_tsc = std::max(shm::read_tsc(), checked_tsc_);
  if (has_something_new(now_tsc)) {
    // The first state waits for nothing: the section must have one.
    if (!may_read(now) && known_) {
      next_check_ = now + kCheckInterval;
      return true;
    }
    words_.read();
    // With all statements that the words are about.
    const bool has_room = dictionary.update() == DictionaryFeed::Result::kReady;
    std::optional<trace::CollectionState> state = next_state(sites, now_tsc);
    segment_.unlock_switches();
    if (segment_.truncated()) return true;
    if (!has_room || (state && !write_state(std::move(*state), file, file_bytes))) return false;
    changes_.stated();
    rules_changed_ = false;
    rule_change_.reset();
  }
  if (pass != nullptr) {
    // Statements that no record has brought to the rules' attention yet.
    pass->concerns(sites);
    if (!write_effects(sites, *pass, file, file_bytes)) return false;
  }
  checked_tsc_ = now_tsc;
  next_check_ = now + kCheckInterval;
  return true;
}

bool CollectionReporter::write_state(trace::CollectionState state, TraceFile& file,
                                     std::uint64_t* file_bytes) {
  const std::span<std::byte> out = file.space(trace::collection_block_bytes(state));
  if (out.empty()) return false;
  const std::size_t bytes = trace::write_collection_block(state, out);
  file.commit(bytes);
  *file_bytes += bytes;
  last_ = std::move(state);
  last_.changes.clear();
  known_ = true;
  effects_stated_ = 0;
  return true;
}

std::vector<trace::RuleEffect> CollectionReporter::effects_from(std::size_t* from,
                                                                const trace::SiteTable& sites,
                                                                const RecordPass& pass) {
  std::vector<trace::RuleEffect> effects;
  for (; *from < sites.size() && effects.size() < kEffectsAtOnce; ++*from) {
    if (auto effect = pass.effect(sites.defined(*from).id)) effects.push_back(std::move(*effect));
  }
  return effects;
}

bool CollectionReporter::write_effects(const trace::SiteTable& sites, const RecordPass& pass,
                                       TraceFile& file, std::uint64_t* file_bytes) {
  while (effects_stated_ < sites.size()) {
    std::size_t stated = effects_stated_;
    const std::vector<trace::RuleEffect> effects = effects_from(&stated, sites, pass);
    if (!effects.empty()) {
      const std::span<std::byte> out = file.space(trace::rule_effects_block_bytes(effects));
      if (out.empty()) return false;
      const std::size_t bytes = trace::write_rule_effects_block(effects, out);
      file.commit(bytes);
      *file_bytes += bytes;
    }
    effects_stated_ = stated;
  }
  return true;
}

void CollectionReporter::restate(std::vector<std::byte>* front, const trace::SiteTable& sites,
                                 const RecordPass* pass) const {
  if (!known_) return;
  const auto append = [front](std::size_t bytes, const auto& write) {
    const std::size_t from = front->size();
    front->resize(from + bytes);
    write(std::span(*front).subspan(from));
  };
  trace::CollectionState state = last_;
  state.since_tsc = state.until_tsc = checked_tsc_;
  append(trace::collection_block_bytes(state),
         [&](std::span<std::byte> out) { trace::write_collection_block(state, out); });
  std::size_t stated = 0;
  while (pass != nullptr && stated < effects_stated_) {
    const std::vector<trace::RuleEffect> effects = effects_from(&stated, sites, *pass);
    if (effects.empty()) continue;
    append(trace::rule_effects_block_bytes(effects),
           [&](std::span<std::byte> out) { trace::write_rule_effects_block(effects, out); });
  }
}

}  // namespace ringside::consumer
