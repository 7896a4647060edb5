// What is salvaged from a segment states what log calls took.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/consumerd/scripted_service.hpp"
#include "tests/consumerd/temporary_directory.hpp"
#include "tools/live/segment_salvage.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

using consumer_test::ScriptedService;
using consumer_test::TemporaryDirectory;

trace::ReadReport report_of_salvaged(bool measures) {
  const TemporaryDirectory shm;
  ScriptedService service(shm.path(), "orders", 1, 3, true, measures);
  service.publish(0, 10);
  if (measures) {
    for (std::uint32_t ring = 0; ring < 3; ++ring) {
      service.call_costs(ring).all.ticks += 100;
      service.call_costs(ring).all.count[shm::cost_bucket(100)] += 1;
    }
  }
  std::string why;
  auto salvaged = salvage_segment(service.path(), &why);
  EXPECT_TRUE(salvaged) << why;
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory("salvaged", std::move(salvaged->trace)));
  trace::ReadError error;
  auto set = trace::TraceSet::open(std::move(files), {}, &error);
  EXPECT_TRUE(set) << error.text();
  trace::Event event;
  while (set->next(event)) {
  }
  return set->report();
}

TEST(SalvagedCosts, AreThoseOfAllRings) {
  const trace::ReadReport report = report_of_salvaged(true);
  EXPECT_EQ(report.records, 10U);
  ASSERT_EQ(report.call_costs.segments().size(), 1U);
  const trace::MeasuredCalls& calls = report.call_costs.segments().begin()->second;
  EXPECT_EQ(calls.service, "orders");
  EXPECT_EQ(calls.newest.counts.calls(), 3U);
  EXPECT_EQ(calls.newest.counts.ticks, 300U);
}

TEST(SalvagedCosts, AreMissingWhereNothingIsMeasured) {
  EXPECT_TRUE(report_of_salvaged(false).call_costs.segments().empty());
}

}  // namespace
}  // namespace ringside::tool
