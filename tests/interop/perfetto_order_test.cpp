// Records of a Perfetto trace in the order of their start times, in bounded memory.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/perfetto/perfetto_record_order.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool::perfetto {
namespace {

class RecordOrderTest : public ::testing::Test {
 protected:
  RecordOrderTest() {
    builder_.add_process({.service = "order", .executable = {}, .host = {}});
    builder_.add_stream(0, {.thread_id = 1, .thread_name = "t"});
    SiteDefinition site;
    site.name = "plain";
    site.fields = {{.name = "text", .type = shm::FieldType::string}};
    plain_ = builder_.add_site(site);
    site.name = "longer";
    site.fields.push_back({.name = "number", .type = shm::FieldType::u8});
    longer_ = builder_.add_site(site);
  }

  static std::string text(std::string_view value) {
    const auto bytes = static_cast<std::uint32_t>(value.size());
    return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + std::string(value);
  }
  RecordHead at(std::uint64_t unix_ns) const {
    return {.stream = 0, .site = plain_, .unix_ns = unix_ns, .extension = {}};
  }

  // "TIME+DURATION text" of each record in the order of its thread, losses as "TIME lost COUNT".
  std::vector<std::string> told() {
    order_.finish();
    std::string error;
    auto set = trace::TraceSet::open(builder_.finish(&error), nullptr);
    std::vector<std::string> lines;
    trace::Event event;
    while (set->next(event)) {
      std::string line = std::to_string(event.unix_ns);
      if (event.kind == trace::EventKind::kLoss) {
        lines.push_back(line + " lost " + std::to_string(event.lost));
        continue;
      }
      if ((event.record.ext_flags & shm::kExtDuration) != 0) {
        line += '+' + std::to_string(event.record.duration);
      }
      line += ' ' + std::string(event.record.args[0].text.substr(0, 8));
      if (event.record.args.size() > 1) line += ' ' + std::to_string(event.record.args[1].u64);
      lines.push_back(line + " #" + std::to_string(event.record.sequence));
    }
    return lines;
  }

  ConversionReport report_;
  TraceBuilder builder_{report_};
  RecordOrder order_{builder_, report_};
  std::uint32_t plain_ = 0;
  std::uint32_t longer_ = 0;
};

using Lines = std::vector<std::string>;

TEST_F(RecordOrderTest, RecordsWaitForTheirEnclosingSlices) {
  order_.add(at(1), text("first"));
  const OpenSlice outer = order_.open(at(2), text("outer"));
  const OpenSlice inner = order_.open(at(3), text("inner"));
  order_.add(at(4), text("within"));
  order_.add_loss(0, 5, 7, shm::LossCause::kOverwritten);
  order_.close(inner, 6);
  EXPECT_EQ(builder_.records(), 1U);
  order_.close(outer, 7);
  EXPECT_EQ(builder_.records(), 4U);
  EXPECT_EQ(told(),
            (Lines{"1 first #0", "2+5 outer #1", "3+3 inner #2", "4 within #3", "5 lost 7"}));
  EXPECT_TRUE(report_.empty());
}

TEST_F(RecordOrderTest, ValuesOfAnEndFollowThoseOfTheBegin) {
  const OpenSlice slice = order_.open(at(2), text("begin"));
  order_.add(at(3), text("within"));
  EXPECT_EQ(order_.site_of(slice), plain_);
  order_.extend(slice, longer_, std::string(1, '\x09'));
  order_.close(slice, 4);
  EXPECT_EQ(told(), (Lines{"2+2 begin 9 #0", "3 within #1"}));
}

TEST_F(RecordOrderTest, WhatDoesNotEndHasNoDuration) {
  order_.open(at(2), text("endless"));
  const OpenSlice backwards = order_.open(at(9), text("back"));
  order_.close(backwards, 8);
  EXPECT_EQ(told(), (Lines{"2 endless #0", "9+0 back #1"}));
  EXPECT_EQ(report_.diagnostics().size(), 2U);
}

TEST_F(RecordOrderTest, SlicesAreSpilledWhereTooMuchWaits) {
  const std::string large = text(std::string(std::size_t{1} << 19, 'x'));
  const OpenSlice outer = order_.open(at(1), text("outer"));
  const OpenSlice inner = order_.open(at(2), text("inner"));
  for (std::size_t bytes = 0; bytes <= 2 * RecordOrder::kMostBytes; bytes += large.size()) {
    order_.add(at(3), text("small"));
    order_.add(at(3), large);
  }
  EXPECT_GT(builder_.records(), 32U);
  order_.extend(inner, longer_, std::string(1, '\x05'));
  order_.close(inner, 5);
  order_.close(outer, 6);
  order_.add(at(7), text("after"));
  const Lines lines = told();
  EXPECT_EQ(lines.front().substr(0, 9), "1+5 outer");
  EXPECT_EQ(lines[1].substr(0, 11), "2+3 inner 5");
  EXPECT_EQ(lines.back().substr(0, 7), "7 after");
  EXPECT_TRUE(report_.empty());
}

}  // namespace
}  // namespace ringside::tool::perfetto
