// Records of perf_event_open(2), made by hand.
#include "tools/scheduling/switch_decoder.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace ringside::tool {
namespace {

constexpr std::uint32_t kProcess = 4711;

class PerfRecord {
 public:
  explicit PerfRecord(std::uint32_t type, std::uint16_t misc = 0) {
    put(type).put(misc).put(std::uint16_t{0});
  }
  template <class Number>
  PerfRecord& put(Number number) {
    const auto* const at = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), at, at + sizeof number);
    return *this;
  }
  PerfRecord& put_text(std::string text) {
    text.resize((text.size() + 8) / 8 * 8);
    for (const char one : text) put(one);
    return *this;
  }
  std::vector<std::byte> end(std::uint32_t process, std::uint32_t thread, std::uint64_t time_ns,
                             std::uint32_t processor) {
    put(process).put(thread).put(time_ns).put(processor).put(std::uint32_t{0});
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + 6, &size, sizeof size);
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> task(std::uint32_t type, std::uint32_t process, std::uint32_t parent) {
  return PerfRecord(type)
      .put(process)
      .put(parent)
      .put(std::uint32_t{4713})
      .put(std::uint32_t{4712})
      .put(std::uint64_t{5})
      .end(kProcess, 4712, 70, 3);
}

TEST(SwitchDecoder, TellsWhyAThreadGaveUpItsProcessor) {
  const struct {
    std::uint16_t misc;
    SwitchKind kind;
  } cases[] = {
      {0, SwitchKind::kIn},
      {PERF_RECORD_MISC_SWITCH_OUT, SwitchKind::kWaited},
      {PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, SwitchKind::kPreempted},
  };
  for (const auto& one : cases) {
    const auto decoded = decode_switch(
        PerfRecord(PERF_RECORD_SWITCH, one.misc).end(kProcess, 4712, 70, 3), kProcess);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->kind, one.kind);
    EXPECT_EQ(decoded->thread_id, 4712U);
    EXPECT_EQ(decoded->unix_ns, 70U);
    EXPECT_EQ(decoded->processor, 3U);
  }
}

TEST(SwitchDecoder, LeavesOutOtherProcesses) {
  EXPECT_FALSE(decode_switch(PerfRecord(PERF_RECORD_SWITCH).end(4999, 4999, 70, 3), kProcess));
  EXPECT_FALSE(decode_switch(task(PERF_RECORD_FORK, 4999, kProcess), kProcess));
}

TEST(SwitchDecoder, NamesThreadsThatBeginAndEnd) {
  const auto began = decode_switch(task(PERF_RECORD_FORK, kProcess, kProcess), kProcess);
  ASSERT_TRUE(began);
  EXPECT_EQ(began->kind, SwitchKind::kBegan);
  EXPECT_EQ(began->thread_id, 4713U);
  const auto ended = decode_switch(task(PERF_RECORD_EXIT, kProcess, kProcess), kProcess);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->kind, SwitchKind::kEnded);
  EXPECT_EQ(ended->thread_id, 4713U);
}

TEST(SwitchDecoder, ReadsNamesWithAndWithoutTheirEnd) {
  for (const std::string name : {"worker", "12345678", ""}) {
    const auto decoded = decode_switch(PerfRecord(PERF_RECORD_COMM)
                                           .put(kProcess)
                                           .put(std::uint32_t{4712})
                                           .put_text(name)
                                           .end(kProcess, 4712, 70, 3),
                                       kProcess);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->kind, SwitchKind::kNamed);
    EXPECT_EQ(decoded->name, name);
  }
}

TEST(SwitchDecoder, CountsWhatIsLostForAnyProcess) {
  const auto decoded = decode_switch(PerfRecord(PERF_RECORD_LOST)
                                         .put(std::uint64_t{1})
                                         .put(std::uint64_t{37})
                                         .end(4999, 4999, 70, 3),
                                     kProcess);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->kind, SwitchKind::kLost);
  EXPECT_EQ(decoded->lost, 37U);
}

TEST(SwitchDecoder, RefusesEachTooShortRecord) {
  for (const auto& whole : {PerfRecord(PERF_RECORD_SWITCH).end(kProcess, 4712, 70, 3),
                            task(PERF_RECORD_FORK, kProcess, kProcess),
                            PerfRecord(PERF_RECORD_LOST)
                                .put(std::uint64_t{1})
                                .put(std::uint64_t{37})
                                .end(kProcess, 4712, 70, 3)}) {
    ASSERT_TRUE(decode_switch(whole, kProcess));
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      // The same identity at the end, after a body that is too short.
      std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
      if (bytes >= 32) std::copy(whole.end() - 24, whole.end(), cut.end() - 24);
      EXPECT_FALSE(decode_switch(cut, kProcess)) << bytes;
    }
  }
}

}  // namespace
}  // namespace ringside::tool
