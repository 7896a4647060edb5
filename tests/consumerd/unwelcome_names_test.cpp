// Files of every kind with a segment's name, and any number of them: consumerd continues, and a
// healthy service beside them loses nothing.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "shm-layout/segment_lock.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr off_t kHuge = off_t{1} << 62;

class UnwelcomeNames : public testing::Test {
 protected:
  // Publishes until `condition` is true.
  bool publishes_until(const std::function<bool()>& condition) {
    return comes_true([&] {
      healthy_.publish(0, 50);
      return condition();
    });
  }
  bool drained() { return healthy_.ring(0).consumer.consumer_pos.load() == published() * 16; }
  std::uint64_t published() const { return healthy_.published(0); }

  void expect_healthy(ConsumerdProcess& consumerd) {
    const std::uint64_t before = published();
    EXPECT_TRUE(publishes_until([&] { return published() >= before + 5000; }));
    EXPECT_TRUE(comes_true([&] { return drained(); }));
    EXPECT_TRUE(consumerd.runs());
    EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
    const TraceContent content = read_traces(out_.path(), "healthy");
    EXPECT_TRUE(content.faults.empty()) << content.faults.front();
    EXPECT_TRUE(counts_up_to(content, 1, published()));
    const std::string said = consumerd.error_output();
    EXPECT_TRUE(std::all_of(said.begin(), said.end(), [](char c) {
      return c == '\n' || (c >= 0x20 && c < 0x7F);
    })) << "a terminal would obey";
  }
  // Header, control page and metadata of a valid segment whose service has ended.
  std::vector<char> front_of_segment() {
    const auto bytes = static_cast<std::size_t>(healthy_.layout().dictionary_offset) + 4096;
    const char* const base = reinterpret_cast<const char*>(healthy_.bytes());
    return {base, base + bytes};
  }
  int make_file(const std::string& name, const std::vector<char>& bytes, off_t size) {
    const int fd = open(shm_.file(name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(pwrite(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    // Not every file system supports files of this size.
    EXPECT_TRUE(ftruncate(fd, size) == 0 || ftruncate(fd, off_t{1} << 40) == 0);
    return fd;
  }

  TemporaryDirectory shm_{"/dev/shm"};
  TemporaryDirectory out_;
  ScriptedService healthy_{shm_.path(), "healthy", 1, 1};
};

TEST_F(UnwelcomeNames, OfEveryKindOfFile) {
  const TemporaryDirectory elsewhere;
  const std::string secret = elsewhere.file("secret");
  std::ofstream(secret) << "x";
  ConsumerdProcess consumerd({"-o", out_.path(), "--shm-dir", shm_.path()});
  std::filesystem::create_symlink(secret, shm_.file(segment_name("link", 10)));
  std::filesystem::create_symlink(segment_name("loop", 11), shm_.file(segment_name("loop", 11)));
  std::filesystem::create_symlink("/dev/zero", shm_.file(segment_name("zero", 12)));
  std::filesystem::create_directory(shm_.file(segment_name("dir", 13)));
  ASSERT_EQ(mkfifo(shm_.file(segment_name("fifo", 14)).c_str(), 0600), 0);
  if (mknod(shm_.file(segment_name("device", 15)).c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) {
    std::printf("no device file: creating it needs root\n");
  }
  std::filesystem::create_hard_link(healthy_.path(), shm_.file(segment_name("twin", 16)));
  std::filesystem::remove(shm_.file(segment_name("twin", 16)));
  // Empty, garbage, a header alone, and a valid front that claims more than the file has.
  std::vector<char> front = front_of_segment();
  close(make_file(segment_name("empty", 20), {}, kHuge));
  close(make_file(segment_name("noise", 21), std::vector<char>(8192, '\x5A'), kHuge));
  const auto claim = [&](const std::string& service, unsigned number, const auto& change) {
    std::vector<char> changed = front;
    auto& header = *reinterpret_cast<shm::SegmentHeader*>(changed.data());
    header.segment_bytes = std::uint64_t{kHuge};
    header.pid = number;
    change(header, *reinterpret_cast<shm::ControlPage*>(changed.data() + 4096));
    return make_file(segment_name(service, number), changed, kHuge);
  };
  std::vector<int> held;
  held.push_back(claim("far", 22, [](shm::SegmentHeader& header, shm::ControlPage&) {
    for (shm::Region& region : header.regions) {
      if (region.kind == shm::RegionKind::kDictionary) region.offset = std::uint64_t{1} << 45;
    }
  }));
  held.push_back(claim("wide", 23, [](shm::SegmentHeader& header, shm::ControlPage& control) {
    header.ring_count = shm::kMaxRings;
    header.ring_bytes = shm::kMaxRingBytes;
    for (shm::Region& region : header.regions) {
      if (region.kind == shm::RegionKind::kRings || region.kind == shm::RegionKind::kRingMetadata) {
        region.offset = std::uint64_t{1} << 30;
        region.bytes = std::uint64_t{1} << 60;
      }
      if (region.kind == shm::RegionKind::kDictionary) region.bytes = shm::kMaxDictionaryBytes;
    }
    control.service.rings_used.store(4096);
    control.service.dictionary_committed_bytes.store(shm::kMaxDictionaryBytes);
  }));
  for (const int fd : held) consumer::try_lock_byte(fd, shm::kServiceLockByte);
  // Names that segments do not have, with terminal control sequences.
  for (const std::string& name : {std::string("ringside.\x1b[2J.1.0000000000000001"),
                                  std::string("ringside.a\nb.1.0000000000000001"),
                                  std::string("ringside.\xc2\x9b"
                                              "31m.1.0000000000000001"),
                                  std::string(250, 'r')}) {
    close(make_file(name, front, 4096));
  }
  EXPECT_TRUE(comes_true([&] {
    return consumerd.error_output().find(segment_name("wide", 23)) != std::string::npos ||
           !out_.names_with("wide").empty();
  })) << consumerd.error_output();
  expect_healthy(consumerd);
  for (const int fd : held) close(fd);
  std::string text;
  std::getline(std::ifstream(secret), text);
  EXPECT_EQ(text, "x");
}

TEST_F(UnwelcomeNames, ReplacedWhileTheyAreServed) {
  ScriptedService victim(shm_.path(), "victim", 2, 1);
  ConsumerdProcess consumerd({"-o", out_.path(), "--shm-dir", shm_.path()});
  const std::vector<std::function<void()>> replacements = {
      [&] { std::filesystem::create_symlink("/etc/passwd", victim.path()); },
      [&] { std::filesystem::create_directory(victim.path()); },
      [&] { ASSERT_EQ(mkfifo(victim.path().c_str(), 0600), 0); },
      [&] { close(make_file(victim.name(), {}, kHuge)); }};
  for (const auto& replace : replacements) {
    victim.publish(0, 100);
    ASSERT_TRUE(publishes_until(
        [&] { return victim.ring(0).consumer.consumer_pos.load() == victim.published(0) * 16; }));
    std::filesystem::remove(victim.path());
    replace();
  }
  // The open file is still drained; the file that now has its name is not.
  victim.publish(0, 100);
  victim.die();
  expect_healthy(consumerd);
  EXPECT_TRUE(counts_up_to(read_traces(out_.path(), "victim"), 1, victim.published(0)));
  EXPECT_TRUE(std::filesystem::exists(victim.path())) << "not a file of its own";
}

// Very many services of each kind: ended at once, never ready, not a segment at all.
TEST_F(UnwelcomeNames, TenThousandSegments) {
  constexpr unsigned kSound = 1000;
  constexpr unsigned kNotReady = 4500;
  constexpr unsigned kRefused = 4500;
  const std::vector<char> front = front_of_segment();
  ConsumerdProcess consumerd({"-o", out_.path(), "--shm-dir", shm_.path()});
  ASSERT_TRUE(publishes_until([&] { return published() > 1000; }));
  for (unsigned i = 0; i < kNotReady; ++i) {
    close(make_file(segment_name("slow", 20'000 + i), {}, 4096));
    if (i % 8 == 0) healthy_.publish(0, 50);
  }
  for (unsigned i = 0; i < kRefused; ++i) {
    std::filesystem::create_symlink("nothing", shm_.file(segment_name("bad", 30'000 + i)));
    if (i % 8 == 0) healthy_.publish(0, 50);
  }
  for (unsigned i = 0; i < kSound; ++i) {
    std::vector<char> own = front;
    auto& header = *reinterpret_cast<shm::SegmentHeader*>(own.data());
    header.pid = 40'000 + i;
    std::memcpy(header.uuid, &header.pid, sizeof header.pid);
    header.version.store(0);
    const std::string name = segment_name("brief", 40'000 + i);
    const int fd = make_file(name, own, static_cast<off_t>(header.segment_bytes));
    const std::uint32_t version = shm::kAbiVersion;
    EXPECT_EQ(pwrite(fd, &version, sizeof version, offsetof(shm::SegmentHeader, version)), 4);
    close(fd);
    healthy_.publish(0, 50);
  }
  // Each of them is drained and removed, although those that never become ready remain.
  EXPECT_TRUE(publishes_until([&] { return shm_.names_with("brief").empty(); }))
      << shm_.names_with("brief").size();
  expect_healthy(consumerd);
  EXPECT_LT(occurrences(consumerd.error_output(), "\n"), 2000U) << "a log that names them all";
}

TEST(ClaimedLock, OfAServiceItselfIsNotASecondConsumerd) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService liar(shm.path(), "liar", 1, 1);
  const consumer::UniqueFd lock(open(liar.path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(consumer::try_lock_byte(lock.get(), shm::kConsumerLockByte));
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  ASSERT_TRUE(comes_true([&] { return !consumerd.error_output().empty(); }));
  std::this_thread::sleep_for(
      std::chrono::milliseconds(1200));  // longer than consumerd's second of patience
  ScriptedService healthy(shm.path(), "healthy", 2, 1);
  healthy.publish(0, 100);
  ASSERT_TRUE(comes_true(
      [&] { return !consumerd.runs() || healthy.ring(0).consumer.written_pos.load() == 1600; }));
  EXPECT_TRUE(consumerd.runs()) << consumerd.error_output();
  EXPECT_EQ(consumerd.terminate(), 0);
}

TEST(ClaimedIdentity, OfALivingServiceWaitsForItsEnd) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService healthy(shm.path(), "healthy", 1, 1);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  healthy.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return healthy.ring(0).consumer.written_pos.load() == 1600; }));
  // The same service, pid, start time and uuid as the other: these name its trace.
  ScriptedService thief(shm.path(), "healthy", 2, 1);
  thief.header().version.store(0);
  thief.header().pid = 1;
  std::memcpy(thief.header().uuid, healthy.header().uuid, sizeof healthy.header().uuid);
  std::filesystem::rename(thief.path(), shm.file("thief"));
  thief.header().version.store(shm::kAbiVersion);
  std::filesystem::rename(shm.file("thief"), thief.path());
  ASSERT_TRUE(comes_true([&] {
    return consumerd.error_output().find("another segment") != std::string::npos;
  })) << consumerd.error_output();
  healthy.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return healthy.ring(0).consumer.written_pos.load() == 3200; }));
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "healthy"), 1, 200));
}

}  // namespace
}  // namespace ringside::consumer_test
