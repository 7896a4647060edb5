// Which records a question is about, beyond the choice of sites: a span of time, threads, services,
// and what only a look at each record tells.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trace-format/read_options.hpp"
#include "trace-format/site_scan.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::trace::query {

// Decides record by record. For the records of one file (of one TraceSet) and one thread.
class RecordTest {
 public:
  virtual ~RecordTest() = default;

  // Adds the places of the site's fields that wanted() looks at; the others may be undefined then.
  virtual void add_fields(const Site& site, std::vector<std::uint8_t>& fields) = 0;

  virtual bool wanted(const Event& record) = 0;
};

struct Scope {
  // since_ns and until_ns; `site` and `stream`, which several threads may ask at once. The rest
  // does not count.
  ReadOptions reading;

  // Makes a test for records that `reading` wants; empty: all are. Several threads may call it.
  std::function<std::unique_ptr<RecordTest>()> record_test;

  bool wants_site(const Site& site, const SegmentInfo& segment) const {
    return !reading.site || reading.site(site, segment);
  }
};

// A record test applied to what a SiteScan visits; passes all without one.
class RecordScreen {
 public:
  explicit RecordScreen(const Scope& scope);

  // The scan goes on in another section: sites may have the addresses of others before.
  void begin_section() { ++event_.section; }
  void add_fields(const Site& site, std::vector<std::uint8_t>& fields);
  bool wanted(const RecordView& record, TickClock& clock, const SiteScan& scan) {
    return test_ == nullptr || test(record, clock, scan);
  }

 private:
  bool test(const RecordView& record, TickClock& clock, const SiteScan& scan);

  std::unique_ptr<RecordTest> test_;
  Event event_;
};

}  // namespace ringside::trace::query
