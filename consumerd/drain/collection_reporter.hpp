#pragma once
// Copies what is collected from a segment into its trace, as COLLECTION blocks: at the beginning of
// each section, and whenever it changes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/change_reader.hpp"
#include "consumerd/drain/collected_words.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/blocks/collection_block.hpp"

namespace ringside::consumer {

class CollectionReporter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CollectionReporter(AttachedSegment& segment);

  // What this consumer selects, besides the rules. Before the first report().
  void set_filters(std::vector<trace::CollectionRule> filters);
  // Other rules are in force from now on; `pass` null: none for this service. `source`: what was
  // read, empty for the rules of the start.
  void follow_rules(const RecordPass* pass, const std::string& source);

  // Whether report() should look for changes now. check_at_once(): it should.
  void check_at_once() { next_check_ = {}; }
  bool is_due(Clock::time_point now) const { return !known_ || now >= next_check_; }
  // Appends what has changed since the last call; everything at the first call. False if staging is
  // full: call it again.
  bool report(Clock::time_point now, TraceFile& file, DictionaryFeed& dictionary, RecordPass* pass,
              std::uint64_t* file_bytes);

  // Appends everything to the front of a new section; call after report().
  void restate(std::vector<std::byte>* front, const trace::SiteTable& sites,
               const RecordPass* pass) const;

 private:
  bool has_something_new(std::uint64_t now_tsc) const;
  bool may_read(Clock::time_point now);
  // Empty if the trace states it already.
  std::optional<trace::CollectionState> next_state(const trace::SiteTable& sites,
                                                   std::uint64_t now_tsc);
  bool write_state(trace::CollectionState state, TraceFile& file, std::uint64_t* file_bytes);
  bool write_effects(const trace::SiteTable& sites, const RecordPass& pass, TraceFile& file,
                     std::uint64_t* file_bytes);
  static std::vector<trace::RuleEffect> effects_from(std::size_t* from,
                                                     const trace::SiteTable& sites,
                                                     const RecordPass& pass);

  AttachedSegment& segment_;
  CollectedWords words_;
  ChangeReader changes_;
  std::vector<trace::CollectionRule> filters_;
  std::vector<trace::CollectionRule> rules_;
  std::optional<trace::CollectionChange> rule_change_;  // not stated yet
  bool rules_changed_ = false;
  bool known_ = false;              // the trace has `last_`
  trace::CollectionState last_;     // as the trace states it
  std::size_t effects_stated_ = 0;  // of so many sites, in the order of their definition
  std::uint64_t checked_tsc_;       // the state was `last_` then
  Clock::time_point next_check_;
  std::optional<Clock::time_point> waiting_since_;  // for a tool, or the service, to finish
};

}  // namespace ringside::consumer
