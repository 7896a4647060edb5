// The processor of a ring's next record, from one consumer to the next.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "session_fixture.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer_test {
namespace {

TEST(ConsumedProcessor, BelongsToItsPositionOrALaterOne) {
  constexpr std::uint64_t kFar = (std::uint64_t{1} << 48) - 16;
  for (const std::uint64_t pos : {std::uint64_t{0}, std::uint64_t{4096}, kFar, kFar + 32}) {
    const std::uint64_t word = shm::make_consumed_processor(0xFFFF, pos);
    EXPECT_EQ(shm::consumed_processor(word, pos), 0xFFFFU) << pos;
    EXPECT_EQ(shm::consumed_processor(word, pos - 24), 0xFFFFU) << "only control records between";
    EXPECT_EQ(shm::consumed_processor(word, pos + 24), 0U) << "another consumer went on without it";
  }
  EXPECT_EQ(shm::consumed_processor(0, 4096), 0U);
}

// The processor comes from clock records or, for a successor, from the position where its
// predecessor stopped.
TEST_F(SessionTest, KeepsTheProcessorFromOneConsumerToTheNext) {
  const auto state = [this](std::uint32_t processor) {
    const std::uint64_t tsc = shm::read_tsc();
    const std::uint64_t clock[3] = {shm::make_clock_head(tsc, shm::processor_code(processor)), tsc,
                                    0};
    service_.publish_raw(0, clock, sizeof clock);
  };
  const auto processors = [this] {
    trace::ReadError error;
    auto traces = trace::TraceSet::open(std::vector<std::string>{out_.path()}, &error);
    EXPECT_TRUE(traces) << error.text();
    std::vector<std::uint32_t> found;
    trace::Event event;
    while (traces && traces->next(event)) found.push_back(event.record.processor);
    return found;
  };
  start();
  append(0, 1, 0);
  state(3);
  append(0, 1, 1);
  round();
  append(0, 1, 2);
  state(5);  // the last thing that this consumer reads
  round();
  end();
  start();
  append(0, 1, 3);
  round();
  end();
  EXPECT_EQ(processors(), (std::vector<std::uint32_t>{0, 4, 4, 6}));
  // As a consumer of 1.6 would: it does not know the word.
  start();
  append(0, 1, 4);
  round();
  end();
  service_.ring(0).identity.consumed_processor.fetch_sub(ScriptedService::kRecordBytes);
  start();
  append(0, 1, 5);
  round();
  end();
  EXPECT_EQ(processors(), (std::vector<std::uint32_t>{0, 4, 4, 6, 6, 0}));
}

}  // namespace
}  // namespace ringside::consumer_test
