// Files that a writer still holds are shipped to their end, also if later ones exist.

#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/fleet/simulated_queue.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/shipper.hpp"
#include "trace-format/blocks/writer_lock.hpp"

namespace ringside::fleet::testing {
namespace {

using trace::testing::TemporaryDirectory;
using trace::testing::TraceFileBuilder;

// The lock of a writer, and what it appends.
class Writer {
 public:
  explicit Writer(const std::string& path) : fd_(::open(path.c_str(), O_RDWR | O_APPEND)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = trace::kWriterLockByte;
    lock.l_len = 1;
    EXPECT_EQ(::fcntl(fd_, F_OFD_SETLK, &lock), 0);
  }
  ~Writer() { ::close(fd_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  void append(std::span<const std::byte> bytes) const {
    EXPECT_EQ(::write(fd_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

 private:
  int fd_;
};

TEST(WrittenFiles, AreNotLeftBeforeTheirWriterEnds) {
  const TemporaryDirectory folder;
  SimulatedQueue queue(1, {});
  std::string why;
  const auto cursors = CursorStore::open(folder.path() + "/state", &why);
  TraceSegments segments({folder.path()});
  SimulatedPublisher publisher(queue);
  std::uint64_t now_ms = 1000;
  Shipper shipper(
      {}, segments, publisher, *cursors, [&now_ms] { return now_ms += 1000; },
      [](const std::string& text) { ADD_FAILURE() << text; });
  const auto ship = [&shipper] {
    for (int step = 0; step < 20 || !shipper.is_done(); ++step) shipper.step(0);
    return shipper.counts().records;
  };
  TraceFileBuilder builder;
  builder.begin(1, "gate", 0);
  builder.stream(1, "first");
  builder.extent(1, {1000, 1001});
  const std::string first = folder.write("gate.1.s.0.ringtrace", builder.bytes);
  auto writer = std::make_unique<Writer>(first);
  const std::size_t written = builder.bytes.size();
  builder.extent(1, {1002, 1003, 1004});
  const std::vector<std::byte> rest(builder.bytes.begin() + static_cast<std::ptrdiff_t>(written),
                                    builder.bytes.end());
  builder.bytes.clear();
  builder.begin(1, "gate", 1);
  builder.stream(2, "second");
  builder.extent(2, {1000});
  folder.write("gate.1.s.1.ringtrace", builder.bytes);
  EXPECT_EQ(ship(), 2U) << "the first file can still grow";
  writer->append(rest);
  EXPECT_EQ(ship(), 5U);
  writer.reset();
  EXPECT_EQ(ship(), 6U);
}

}  // namespace
}  // namespace ringside::fleet::testing
