#pragma once
// The step between a ring and the encoder when rules leave records out or hide values: one walk
// over a private copy, before anything reaches the staging file or a disk.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/rules/field_redaction.hpp"
#include "consumerd/rules/record_rules.hpp"
#include "consumerd/rules/statement_sampling.hpp"
#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/blocks/losses_block.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::consumer {

// For one segment. A statement is checked once, when it becomes known; as long as no rule concerns
// a known statement, no record is checked.
class RecordPass {
 public:
  // Null if none of the rules is for the service.
  static std::unique_ptr<RecordPass> of_service(std::shared_ptr<const RecordRules> rules,
                                                const std::string& service,
                                                std::uint64_t tsc_frequency_hz, const Log& log);

  // Takes in the entries that were added to the table since the last call. Returns whether records
  // must be checked.
  bool concerns(const trace::SiteTable& sites);

  // Checks the whole records at the front of `records`, which must not change until the next call.
  // With `samples`, sampling rules apply. Returns the records for the encoder, valid until the next
  // call.
  std::span<const std::byte> look(const trace::SiteTable& sites, std::span<const std::byte> records,
                                  std::uint64_t now_tsc, bool samples);

  // Why the last look() stopped, unless it stopped at the end of a record: bytes that are not a
  // record.
  const char* corrupt_reason() const { return corrupt_reason_; }

  // The encoder has taken the first `encoded` bytes of look()'s result: whole records. Returns the
  // number of bytes of `records` that they represent, including records after them that were left
  // out.
  std::size_t settle(std::size_t encoded);

  // Records of each statement that were left out and not yet reported, up to `most` counts in all;
  // call mark_reported() when they are in the file. A consumer that is killed before that does not
  // report them.
  void append_unreported(std::vector<trace::LossCount>* counts, std::size_t most) const;
  void mark_reported(std::span<const trace::LossCount> counts);
  bool has_unreported() const { return reported_ != left_out_; }

  std::uint64_t left_out() const { return left_out_; }  // records, over all statements

  // For COLLECTION blocks: the rules for this service, and what they do to a known statement;
  // nothing if no rule concerns it.
  std::vector<trace::CollectionRule> described_rules() const;
  std::optional<trace::RuleEffect> effect(std::uint32_t site_id) const;

  // Hides values of a known statement's records; null if no rule does.
  const FieldRedaction* redaction(std::uint32_t site_id) {
    const Treatment* const treated = treatment(site_id);
    return treated == nullptr ? nullptr : treated->redaction.get();
  }

  // The context without the values that rules hide. It is not trusted.
  trace::StreamContext hidden(const trace::SiteTable& sites, const trace::StreamContext& context);

 private:
  RecordPass(std::shared_ptr<const RecordRules> rules, std::uint64_t tsc_frequency_hz,
             const Log& log);

  struct Treatment {
    std::unique_ptr<StatementSampling> sampling;
    std::uint16_t sample_rule = 0;  // 1 + its index in samples_; 0: none that is stated
    std::unique_ptr<FieldRedaction> redaction;
    std::uint64_t reported = 0;  // reported part of the records that sampling left out
  };
  // A record for which a decision was made.
  struct Mark {
    std::size_t input_end;
    std::size_t output_end;
    StatementSampling* sampling;  // null: the statement is not sampled
    StatementSampling::State state;
  };

  void consider(const trace::Site& site);
  Treatment* treatment(std::uint32_t site_id) {
    return site_id < treatments_.size() ? treatments_[site_id].get() : nullptr;
  }

  std::shared_ptr<const RecordRules> rules_;
  std::vector<const SampleRule*> samples_;        // rules for this service
  std::vector<const RedactionRule*> redactions_;  // rules for this service
  std::uint64_t tsc_frequency_hz_;
  const Log& log_;
  std::size_t considered_ = 0;  // sites already checked, in the order of definition
  std::vector<std::unique_ptr<Treatment>> treatments_;  // by site id; null: none
  bool any_ = false;
  std::vector<std::byte> output_;
  std::vector<Mark> marks_;
  const char* corrupt_reason_ = nullptr;
  std::uint64_t left_out_ = 0;
  std::uint64_t reported_ = 0;  // reported part of those
  // Counters in LOSSES blocks are numbered from here. No other consumer of the segment, earlier or
  // later, uses the same numbers, because a record takes at least one tick.
  std::uint64_t first_number_;
};

}  // namespace ringside::consumer
