#pragma once
// Reads the executions that a service's statements counted instead of recording them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/metrics/statement_counts.hpp"
#include "shm-layout/site_executions.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

// Keeps the last values in private memory: a service can write any value, but these never fall.
class ExecutionMeter {
 public:
  explicit ExecutionMeter(AttachedSegment& segment) : segment_(segment) {}

  // Reads the counters of the next 1,024 statements; after the last ones, starts over. Statements
  // that are not among `sites`, which is null before the dictionary was read, are left out.
  const StatementCounts& read(const trace::SiteTable* sites);

 private:
  static constexpr std::uint32_t kPagesAtATime = 4;

  struct Entry {
    std::uint64_t counted = 0;
    std::uint64_t suppressed = 0;
  };
  static_assert(sizeof(Entry) == sizeof(shm::SiteExecutions));
  using Page = std::array<Entry, std::size_t{shm::kExecutionStripes} * shm::kExecutionPageSites>;

  void add_page(std::uint32_t first_site, const Page& page, const trace::SiteTable& sites);

  AttachedSegment& segment_;
  std::uint32_t next_site_ = 0;
  StatementCounts totals_;
  StatementCounts round_;  // of this pass over the statements
};

// Where the statement is: "order.cpp:17", without folders, in printable ASCII.
std::string statement_label(const trace::Site& site);

}  // namespace ringside::consumer
