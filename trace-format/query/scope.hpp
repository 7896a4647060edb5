// The records of a query, beyond the selected sites: a span of time, threads, services, and a test
// of each record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/site_scan.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace::query {

// Decides record by record. For the records of one file (of one TraceSet) and one thread.
class RecordTest {
 public:
  virtual ~RecordTest() = default;

  // Adds the indexes of the site's fields that wanted() reads; other fields may then be undefined.
  virtual void add_fields(const Site& site, std::vector<std::uint16_t>& fields) = 0;

  virtual bool wanted(const Event& record) = 0;
};

struct Scope {
  // since_ns and until_ns; `site` and `stream`, which several threads may call at the same time.
  // The other options have no effect.
  ReadOptions reading;

  // Creates a test for records that `reading` wants; empty: all records are wanted. Several threads
  // may call it.
  std::function<std::unique_ptr<RecordTest>()> record_test;

  bool wants_site(const Site& site, const SegmentInfo& segment) const {
    return !reading.site || reading.site(site, segment);
  }
};

// Applies a record test to the records of a SiteScan; without a test all pass.
class RecordScreen {
 public:
  explicit RecordScreen(const Scope& scope);

  // The scan continues in another section: its sites may have the addresses of earlier ones.
  void begin_section() { ++event_.section; }
  void add_fields(const Site& site, std::vector<std::uint16_t>& fields);
  bool wanted(const RecordView& record, TickClock& clock, const SiteScan& scan) {
    return test_ == nullptr || test(record, clock, scan);
  }

 private:
  bool test(const RecordView& record, TickClock& clock, const SiteScan& scan);

  std::unique_ptr<RecordTest> test_;
  Event event_;
};

}  // namespace ringside::trace::query
