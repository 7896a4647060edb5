// The events of a segment while its files grow: each once and in the same order, whenever they are
// read, and wherever a reader takes over from another one.

#include "consumerd/text/segment_events.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/files/file_packer.hpp"
#include "consumerd/write/unwritten_data.hpp"
#include "dead_staging_file.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SegmentEvents;
using consumer::SegmentPosition;
using trace::testing::TraceFileBuilder;

constexpr const char* kTraceStem = "service.101.20261120T213516-554575.";

// Stream, sequence number, number of lost records.
using Seen = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

// A section of this boot of the machine: one that is still written.
void begin_section(TraceFileBuilder& file, std::uint32_t sequence) {
  const std::size_t at = file.bytes.size();
  file.begin(1, "service", sequence);
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string text;
  in >> text;
  std::erase(text, '-');
  std::byte* const header = file.bytes.data() + at;
  for (std::size_t i = 0; i < 16; ++i) {
    header[trace::kBlockHeaderBytes + 64 + i] =
        static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  trace::BlockFrame frame;
  ASSERT_TRUE(trace::parse_block_frame(std::span(header, trace::kBlockHeaderBytes), frame));
  trace::write_block_frame(header, frame.type, frame.payload_bytes);
}

void end_section(TraceFileBuilder& file, trace::EndReason reason) {
  std::byte block[256];
  trace::EndBlock end;
  end.reason = reason;
  const std::size_t bytes = trace::write_end_block(end, block);
  file.bytes.insert(file.bytes.end(), block, block + bytes);
}

void lose_without_stream(TraceFileBuilder& file, std::uint64_t tsc, std::uint64_t before,
                         std::uint64_t after) {
  trace::LossesBlock losses;
  losses.since_tsc = losses.until_tsc = tsc;
  losses.without_stream.push_back({0, shm::LossCause::kNoRing, before, after});
  std::vector<std::byte> block(trace::losses_block_bytes(losses));
  trace::write_losses_block(losses, block);
  file.bytes.insert(file.bytes.end(), block.begin(), block.end());
}

class SegmentEventsTest : public ::testing::Test {
 protected:
  SegmentEventsTest() {
    from.uuid[0] = 1;
    from.stem = kTraceStem;
  }
  std::string path(std::uint32_t sequence) const {
    return directory.path() + "/" + kTraceStem + std::to_string(sequence) + ".ringtrace";
  }
  void append(std::uint32_t sequence, std::span<const std::byte> bytes) const {
    std::ofstream file(path(sequence), std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::unique_ptr<SegmentEvents> reader(const SegmentPosition& at) {
    return std::make_unique<SegmentEvents>(source, at, &sections);
  }
  SegmentEvents::Clock::time_point now() { return clock += std::chrono::seconds(10); }
  // At most `most` events.
  void take(SegmentEvents& events, std::vector<Seen>* seen, std::size_t most = SIZE_MAX) {
    const auto time = now();
    for (; most > 0 && events.next(time); --most) {
      trace::Event event;
      events.get(event);
      seen->emplace_back(event.record.stream_id, event.record.sequence, event.lost);
      events.take();
    }
  }

  const trace::testing::TemporaryDirectory directory;
  trace::ReadReport report;
  trace::OpenFiles files{report};
  const trace::testing::TemporaryDirectory shm;
  const consumer::TraceSource source{directory.path(), shm.path(), files};
  std::uint32_t sections = 0;
  SegmentPosition from;
  SegmentEvents::Clock::time_point clock{};
};

// Two files and three sections: of a consumer that was killed, of its successor, and after a
// rotation. With late extents, lost records and gaps.
std::vector<std::vector<std::byte>> written_files() {
  TraceFileBuilder first;
  begin_section(first, 0);
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const std::uint64_t t = 1000 * round;
    first.extent(1, {t, t + 300, t + 900});
    first.extent(2, {t + 100, t + 500});
    if (round % 3 == 0) lose_without_stream(first, t + 50, round - 3, round);
    if (round % 5 == 0) first.lose(2, 4);
    first.sequence_point(t + 700);
    // Of threads that were stopped while they logged: two before one sequence point.
    if (round % 4 == 0) first.extent(4, {t - 3500, t + 650});
    if (round % 4 == 1) first.extent(3, {t - 2500, t - 2400, t + 600});
    if (round % 4 == 1) first.extent(5, {t - 4500});
  }
  begin_section(first, 0);
  for (std::uint64_t round = 50; round <= 60; ++round) {
    const std::uint64_t t = 1000 * round;
    // A successor reports again what was lost before it.
    lose_without_stream(first, t + 50, 0, round);
    first.extent(1, {t, t + 900});
    first.sequence_point(t + 950);
  }
  end_section(first, trace::EndReason::kRotation);
  std::vector<std::vector<std::byte>> written{first.bytes};
  first.bytes.clear();
  begin_section(first, 1);
  for (std::uint64_t round = 70; round <= 80; ++round) {
    first.extent(2, {1000 * round, 1000 * round + 10});
    first.sequence_point(1000 * round + 20);
  }
  first.extent(2, {81000});
  end_section(first, trace::EndReason::kServiceEnded);
  written.push_back(first.bytes);
  return written;
}

TEST_F(SegmentEventsTest, DeliversEachEventOnceInTheSameOrderHoweverTheFilesGrow) {
  const auto written = written_files();
  std::vector<Seen> expected;
  for (std::uint32_t file = 0; file < written.size(); ++file) append(file, written[file]);
  const auto whole = reader(from);
  take(*whole, &expected);
  EXPECT_TRUE(whole->is_over());
  std::vector<Seen> unique = expected;
  // Losses without a stream have no sequence number.
  std::erase_if(unique, [](const Seen& one) { return std::get<0>(one) == 0; });
  std::sort(unique.begin(), unique.end());
  EXPECT_EQ(std::adjacent_find(unique.begin(), unique.end()), unique.end());
  EXPECT_GT(expected.size(), 300U);
  std::uint64_t stray = 0;
  for (const auto& [stream, sequence, lost] : expected) stray += stream == 0 ? lost : 0;
  EXPECT_EQ(stray, 60U);

  std::mt19937_64 dice(7);
  for (int run = 0; run < 20; ++run) {
    for (std::uint32_t file = 0; file < written.size(); ++file) std::remove(path(file).c_str());
    std::vector<Seen> seen;
    auto events = reader(from);
    for (std::uint32_t file = 0; file < written.size(); ++file) {
      std::span<const std::byte> rest(written[file]);
      while (!rest.empty()) {
        const std::size_t bytes = std::min<std::size_t>(rest.size(), 1 + dice() % 600);
        append(file, rest.first(bytes));
        rest = rest.subspan(bytes);
        take(*events, &seen, dice() % 4 == 0 ? dice() % 10 : SIZE_MAX);
        // The process is killed, and the next one continues.
        if (dice() % 5 == 0) events = reader(events->position());
      }
    }
    take(*events, &seen);
    EXPECT_TRUE(events->is_over());
    ASSERT_EQ(seen, expected) << "run " << run;
  }
}

TEST_F(SegmentEventsTest, AnUnfinishedSectionIsReadToItsEndOnlyWhenItIsFinal) {
  TraceFileBuilder file;
  begin_section(file, 0);
  file.extent(1, {10, 20});
  file.sequence_point(30);
  file.extent(1, {40});
  append(0, file.bytes);
  const auto events = reader(from);
  std::vector<Seen> seen;
  take(*events, &seen);
  EXPECT_EQ(seen.size(), 2U);
  events->continues_at(1, 0);
  take(*events, &seen);
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_FALSE(events->is_over());
}

// Two files with two records each: the first without END, as if its consumerd was killed.
std::vector<std::vector<std::byte>> files_after_a_kill() {
  TraceFileBuilder file;
  begin_section(file, 0);
  file.extent(1, {10, 20});
  std::vector<std::vector<std::byte>> written{file.bytes};
  file.bytes.clear();
  begin_section(file, 1);
  file.extent(1, {30, 40});
  end_section(file, trace::EndReason::kServiceEnded);
  written.push_back(file.bytes);
  return written;
}

const std::vector<Seen> kSeenAfterAKill{{1, 0, 0}, {1, 1, 0}, {1, 2, 0}, {1, 3, 0}};

TEST_F(SegmentEventsTest, AnUnfinishedSectionIsFinalIfTheNextFileExistsAndNoProcessWritesIt) {
  const auto written = files_after_a_kill();
  append(0, written[0]);
  append(1, written[1]);
  std::vector<Seen> seen;
  const auto events = reader(from);
  take(*events, &seen);
  EXPECT_EQ(seen, kSeenAfterAKill);
  EXPECT_TRUE(events->is_over());
}

TEST_F(SegmentEventsTest, AFileThatIsWrittenIsNotLeftForTheNextOne) {
  const auto written = files_after_a_kill();
  append(0, {});
  append(1, written[1]);
  consumer::UniqueFd lock = consumer::claim_trace_file(path(0));
  ASSERT_TRUE(lock);
  std::vector<Seen> seen;
  const auto events = reader(from);
  take(*events, &seen);
  append(0, written[0]);
  take(*events, &seen);
  EXPECT_TRUE(seen.empty());
  lock.reset();
  take(*events, &seen);
  EXPECT_EQ(seen, kSeenAfterAKill);
}

TEST_F(SegmentEventsTest, AFileForWhichADeadConsumerdHasDataIsNotLeftForTheNextOne) {
  const auto written = files_after_a_kill();
  append(0, {});
  append(1, written[1]);
  DeadStagingFile staging(shm.path());
  path(0).copy(staging.slot(2).file_path, sizeof shm::SlotHeader::file_path - 1);
  staging.slot(2).commit.store(shm::make_commit(100, 0));
  std::vector<Seen> seen;
  const auto events = reader(from);
  take(*events, &seen);
  EXPECT_TRUE(seen.empty());
  // Its recovery.
  append(0, written[0]);
  std::remove(staging.path().c_str());
  take(*events, &seen);
  EXPECT_EQ(seen, kSeenAfterAKill);
}

TEST_F(SegmentEventsTest, AStagingFileThatOthersCanWriteKeepsNoTextWaiting) {
  append(0, {});
  DeadStagingFile staging(shm.path());
  path(0).copy(staging.slot(2).file_path, sizeof shm::SlotHeader::file_path - 1);
  staging.slot(2).commit.store(shm::make_commit(100, 0));
  EXPECT_TRUE(consumer::has_unwritten_data(shm.path(), directory.path(), path(0)));
  ASSERT_EQ(chmod(staging.path().c_str(), 0666), 0);
  EXPECT_FALSE(consumer::has_unwritten_data(shm.path(), directory.path(), path(0)));
}

TEST_F(SegmentEventsTest, AnEmptyFileBetweenTwoOthersIsWaitedForWhileItIsWritten) {
  TraceFileBuilder file;
  begin_section(file, 0);
  file.extent(1, {5});
  end_section(file, trace::EndReason::kRotation);
  append(0, file.bytes);
  append(1, {});
  file.bytes.clear();
  begin_section(file, 2);
  file.extent(1, {20});
  end_section(file, trace::EndReason::kServiceEnded);
  append(2, file.bytes);
  consumer::UniqueFd lock = consumer::claim_trace_file(path(1));
  ASSERT_TRUE(lock);
  std::vector<Seen> seen;
  const auto events = reader(from);
  take(*events, &seen);
  EXPECT_EQ(seen, (std::vector<Seen>{{1, 0, 0}}));
  lock.reset();
  take(*events, &seen);
  EXPECT_EQ(seen, (std::vector<Seen>{{1, 0, 0}, {1, 1, 0}}));
  EXPECT_TRUE(events->is_over());
}

TEST_F(SegmentEventsTest, ASectionOfAnEarlierBootIsFinal) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {10, 20});
  append(0, file.bytes);
  std::vector<Seen> seen;
  take(*reader(from), &seen);
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(SegmentEventsTest, ARemovedFileLeavesALossInItsPlace) {
  TraceFileBuilder file;
  begin_section(file, 0);
  file.extent(1, {10, 20});
  file.sequence_point(30);
  end_section(file, trace::EndReason::kRotation);
  append(0, file.bytes);
  const auto events = reader(from);
  std::vector<Seen> seen;
  take(*events, &seen);
  ASSERT_EQ(seen.size(), 2U);
  file.bytes.clear();
  file.extent(1, {40, 50, 60});  // in the file that is removed before it is read
  file.bytes.clear();
  begin_section(file, 2);
  file.extent(1, {70});
  end_section(file, trace::EndReason::kServiceEnded);
  append(2, file.bytes);
  take(*events, &seen);
  EXPECT_EQ(seen, (std::vector<Seen>{{1, 0, 0}, {1, 1, 0}, {1, 2, 3}, {1, 5, 0}}));
  EXPECT_TRUE(events->is_over());
}

TEST_F(SegmentEventsTest, FilesOfAnotherSegmentWithTheSameNameAreLeftOut) {
  TraceFileBuilder other;
  other.begin(2);
  other.extent(1, {15});
  append(1, other.bytes);
  TraceFileBuilder file;
  begin_section(file, 0);
  file.extent(1, {10});
  end_section(file, trace::EndReason::kRotation);
  append(0, file.bytes);
  file.bytes.clear();
  begin_section(file, 2);
  file.extent(1, {20});
  end_section(file, trace::EndReason::kServiceEnded);
  append(2, file.bytes);
  const auto events = reader(from);
  std::vector<Seen> seen;
  take(*events, &seen);
  EXPECT_EQ(seen, (std::vector<Seen>{{1, 0, 0}, {1, 1, 0}}));
}

}  // namespace
}  // namespace ringside::consumer_test
