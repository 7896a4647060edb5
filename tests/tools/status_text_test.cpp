// Tables that fit the terminal, whatever the names of services.
#include "tools/ringstat/status_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

ServiceView service_called(const std::string& name) {
  ServiceView view;
  view.now.service = name;
  view.now.pid = 4711;
  view.now.alive = true;
  view.bytes_per_s = 123456;
  return view;
}

std::vector<std::size_t> widths_of(const std::vector<ServiceView>& services, std::size_t width) {
  std::vector<std::size_t> order;
  return column_widths(service_table(services, SortBy::kName, true, &order), width);
}

std::size_t taken(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width != 0 ? width + 2 : 0;
  return sum - 2;
}

constexpr std::size_t kName = 0;
constexpr std::size_t kConsumer = 2;
constexpr std::size_t kFill = 5;
constexpr std::size_t kLost = 9;

TEST(StatusText, ALongNameIsCutBeforeAnythingElseIsOmitted) {
  const std::vector<ServiceView> services = {service_called("orders"),
                                             service_called(std::string(63, 'a'))};
  for (std::size_t width = 40; width < 200; ++width) {
    const std::vector<std::size_t> widths = widths_of(services, width);
    if (width >= 60) {
      EXPECT_LE(taken(widths), width);
      EXPECT_NE(widths[kFill], 0U) << width;
      EXPECT_NE(widths[kLost], 0U) << width;
    }
    EXPECT_GE(widths[kName], 8U) << width;
  }
  EXPECT_NE(widths_of(services, 80)[kConsumer], 0U)
      << "the consumer matters more than a whole name";
  EXPECT_GE(widths_of(services, 80)[kName], 8U);
  EXPECT_GE(widths_of(services, 100)[kName], 20U) << "the name gets the rest";
  EXPECT_EQ(widths_of(services, 300)[kName], 63U);
}

TEST(StatusText, ShortNamesAreNotCut) {
  const std::vector<ServiceView> services = {service_called("orders")};
  for (std::size_t width = 10; width < 200; ++width) {
    EXPECT_EQ(widths_of(services, width)[kName], 7U) << width;
  }
}

TEST(StatusText, CutNamesAreMarked) {
  EXPECT_EQ(fitted("orders", 6), "orders");
  EXPECT_EQ(fitted("orders", 5), "orde~");
  EXPECT_EQ(fitted("orders", 1), "~");
  EXPECT_EQ(fitted("orders", 0), "");
  EXPECT_EQ(fitted("\u00fc\u00fc\u00fc", 3), "\u00fc\u00fc\u00fc");
  EXPECT_EQ(fitted("\u00fc\u00fc\u00fc", 2), "\u00fc~");
}

TEST(StatusText, QuarantinedRingsAreShownInNarrowTablesToo) {
  ServiceView view = service_called("orders");
  view.now.consumer = ConsumerHealth::kPolling;
  view.now.ring_bytes = 65536;
  view.threads.resize(2);
  EXPECT_TRUE(service_remarks(view).empty());
  view.threads[1].now.quarantine = 1;
  const std::vector<StatusCell> remarks = service_remarks(view);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].tone, Tone::kBad);
  EXPECT_TRUE(remarks[0].text.starts_with("1 ring quarantined: invalid contents"));
  EXPECT_LE(remarks[0].text.size(), 80U);
  std::vector<std::size_t> order;
  const StatusTable table = thread_table(view, SortBy::kName, &order);
  ASSERT_EQ(table.columns[2], "FILL");
  EXPECT_NE(table.rows[0][2].text, "quarantined");
  EXPECT_EQ(table.rows[1][2].text, "quarantined");
  EXPECT_NE(column_widths(table, 40)[2], 0U);
}

TEST(StatusText, RatesOfTheLatestPollsUseTheRemainingWidth) {
  ServiceView view = service_called("orders");
  EXPECT_TRUE(history_remarks(view, 80, false).empty());
  view.bytes_history = {4096, 0, 2048};
  view.drops_history = {0, 0, 0};
  auto lines = history_remarks(view, 80, false);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text, "bytes/s  #_=  most 4.00 KiB");
  view.bytes_history.assign(120, 1);
  view.drops_history.assign(120, 7);
  lines = history_remarks(view, 80, true);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].tone, Tone::kBad);
  EXPECT_TRUE(lines[1].text.ends_with("  most 7")) << lines[1].text;
  for (const std::size_t width : {40U, 80U, 120U, 200U}) {
    for (const StatusCell& line : history_remarks(view, width, true)) {
      EXPECT_LE(text_columns(line.text), width);
      EXPECT_GE(text_columns(line.text) + 12, std::min<std::size_t>(width, 140));
    }
  }
}

}  // namespace
}  // namespace ringside::tool
