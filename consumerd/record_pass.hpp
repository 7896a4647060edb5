#pragma once
// What records pass on their way from a ring to the encoder when rules want some of them left out
// or some of their values hidden: one walk over a private copy, before anything reaches the staging
// file or a disk.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/field_redaction.hpp"
#include "consumerd/log.hpp"
#include "consumerd/record_rules.hpp"
#include "consumerd/statement_sampling.hpp"
#include "trace-format/losses_block.hpp"

namespace ringside::consumer {

// Of one segment. A statement is looked at once, when it becomes known; as long as no rule
// concerns a known one, no record is looked at.
class RecordPass {
 public:
  // Null if none of the rules is for the service.
  static std::unique_ptr<RecordPass> of_service(std::shared_ptr<const RecordRules> rules,
                                                const std::string& service,
                                                std::uint64_t tsc_frequency_hz, const Log& log);

  // Takes in what the table has more than at the last call. Whether records are to be looked at.
  bool concerns(const trace::SiteTable& sites);

  // Looks at whole records at the front of `records`, which lie still until the next call. With
  // `samples`, sampling rules count. What the encoder is to get instead, valid until the next call.
  std::span<const std::byte> look(const trace::SiteTable& sites, std::span<const std::byte> records,
                                  std::uint64_t now_tsc, bool samples);

  // What stopped the last look(), if it was no end of a record: bytes that are no record.
  const char* corrupt_reason() const { return corrupt_reason_; }

  // The encoder has taken the first `encoded` bytes of what look() gave: whole records. How many
  // bytes of `records` they stand for; records that were left out behind them included.
  std::size_t settle(std::size_t encoded);

  // What was left out of each statement and not told of yet, up to `most` counts in all; told()
  // when they are in the file. A consumer that is killed before that does not tell of them.
  void append_untold(std::vector<trace::LossCount>* counts, std::size_t most) const;
  void told(std::span<const trace::LossCount> counts);
  bool has_untold() const { return told_ != left_out_; }

  std::uint64_t left_out() const { return left_out_; }  // records, of all statements

  // What hides values of a known statement's records; null if nothing does.
  const FieldRedaction* redaction(std::uint32_t site_id) {
    const Treatment* const treated = treatment(site_id);
    return treated == nullptr ? nullptr : treated->redaction.get();
  }

 private:
  RecordPass(std::shared_ptr<const RecordRules> rules, std::uint64_t tsc_frequency_hz,
             const Log& log);

  struct Treatment {
    std::unique_ptr<StatementSampling> sampling;
    std::unique_ptr<FieldRedaction> redaction;
    std::uint64_t told = 0;  // of those that sampling left out
  };
  // A record that something was decided about.
  struct Mark {
    std::size_t input_end;
    std::size_t output_end;
    StatementSampling* sampling;  // null: of a statement that is not sampled
    StatementSampling::State state;
  };

  void consider(const trace::Site& site);
  Treatment* treatment(std::uint32_t site_id) {
    return site_id < treatments_.size() ? treatments_[site_id].get() : nullptr;
  }

  std::shared_ptr<const RecordRules> rules_;
  std::vector<const SampleRule*> samples_;        // of this service
  std::vector<const RedactionRule*> redactions_;  // the same
  std::uint64_t tsc_frequency_hz_;
  const Log& log_;
  std::size_t considered_ = 0;                          // sites, in the order of definition
  std::vector<std::unique_ptr<Treatment>> treatments_;  // by site id; null: none
  bool any_ = false;
  std::vector<std::byte> output_;
  std::vector<Mark> marks_;
  const char* corrupt_reason_ = nullptr;
  std::uint64_t left_out_ = 0;
  std::uint64_t told_ = 0;  // of those
  // Numbers of the counters in LOSSES blocks begin here: no other consumer of the segment, before
  // or after, has the same ones, for no record takes less than a tick.
  std::uint64_t first_number_;
};

}  // namespace ringside::consumer
