#pragma once
// The cost of statements: records and bytes by statement, estimated from the data that rings have
// just published. Log calls do not count by statement, because that would make each of them slower.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

class StatementSample {
 public:
  // `sites` must outlive it and may grow between calls.
  explicit StatementSample(const trace::SiteTable& sites) : sites_(sites), encoder_(sites) {}

  struct Share {
    double records = 0;
    double bytes = 0;  // in rings
  };

  // Counts the records of `bytes`, a private copy of published ones that starts at a record and may
  // end inside one, with the factor `weight`. Returns the counts of the decoded records,
  // unweighted.
  Share add(std::span<const std::byte> bytes, double weight);

  const std::vector<Share>& by_site() const { return by_site_; }  // index: the statement's id
  void clear() { by_site_.clear(); }
  // Halves the weight of everything counted until now.
  void fade();

 private:
  const trace::SiteTable& sites_;
  trace::ExtentEncoder encoder_;
  trace::ExtentDecoder decoder_;
  std::vector<std::byte> extent_;
  std::vector<Share> by_site_;
};

}  // namespace ringside::tool
