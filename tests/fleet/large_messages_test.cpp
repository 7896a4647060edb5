// Blocks and statements that exceed a message of the server arrive, with a real nats-server.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"
#include "tests/trace-format/ring_bytes.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/shipper.hpp"
#include "trace-format/blocks/block_reader.hpp"

namespace ringside::fleet {
namespace {

using trace::testing::TemporaryDirectory;
using trace::testing::TraceFileBuilder;

constexpr auto kOtherBlock = static_cast<trace::BlockType>(40);  // of a later format

std::uint64_t monotonic_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::string incompressible(std::size_t bytes) {
  std::string text;
  std::minstd_rand random(static_cast<unsigned>(bytes));
  while (text.size() < bytes) text += static_cast<char>(random() % 256);
  return text;
}

// The payloads of the blocks of a type in all files of a directory.
std::vector<Bytes> payloads(const std::string& directory, trace::BlockType type) {
  std::vector<Bytes> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() != ".ringtrace") continue;
    const auto file = trace::TraceFile::open(entry.path(), nullptr);
    trace::BlockReader reader(*file, 0, file->size(), nullptr);
    trace::Block block;
    while (reader.next(block)) {
      if (block.frame.type == type) found.emplace_back(block.payload.begin(), block.payload.end());
    }
  }
  return found;
}

class LargeMessages : public testing::Test {
 protected:
  void ship() {
    std::string why;
    const auto queue = NatsPublishQueue::open(*connection_, &why);
    ASSERT_NE(queue, nullptr) << why;
    TraceSegments segments({in_.path()});
    const auto cursors = CursorStore::open(state_.path(), &why);
    // A slow machine can lose the connection: the shipper tries again.
    Shipper shipper({}, segments, *queue, *cursors, monotonic_ms,
                    [](const std::string& text) { std::printf("%s\n", text.c_str()); });
    while (!shipper.is_done() && !HasFailure()) shipper.step(100);
    EXPECT_EQ(shipper.counts().refused, 0U);
    messages_ = shipper.counts().messages;
  }

  void sink() {
    std::string why;
    DeliveryOptions options;
    options.consumer = "sink";
    const auto queue = NatsDeliveryQueue::open(*connection_, options, &why);
    ASSERT_NE(queue, nullptr) << why;
    const auto files = FileSink::open(
        out_.path(),
        [&queue](std::string_view key, Bytes& contents) {
          return queue->fetch_contents(key, contents);
        },
        &why);
    FileDelivery delivery({}, *queue, *files, monotonic_ms,
                          [](const std::string& text) { ADD_FAILURE() << text; });
    while (files->counts().messages < messages_ && !HasFailure()) ASSERT_TRUE(delivery.step(100));
    ASSERT_TRUE(delivery.sync());
  }

  // A service with a statement and a block that do not fit into a message.
  void write_trace(std::size_t statement_bytes, std::size_t block_bytes) {
    TraceFileBuilder builder;
    builder.begin();
    statement_ = trace::testing::site_entry({.id = 2, .format = incompressible(statement_bytes)});
    Bytes block(trace::kBlockHeaderBytes);
    block.insert(block.end(), statement_.begin(), statement_.end());
    trace::write_block_frame(block.data(), trace::BlockType::kDictionary, statement_.size());
    builder.bytes.insert(builder.bytes.end(), block.begin(), block.end());
    builder.stream(1, "thread");
    builder.extent(1, {10, 20});
    for (const std::size_t bytes : {block_bytes, block_bytes / 2}) {
      const std::string payload = incompressible(bytes);
      block.resize(trace::kBlockHeaderBytes + payload.size());
      std::memcpy(block.data() + trace::kBlockHeaderBytes, payload.data(), payload.size());
      trace::write_block_frame(block.data(), kOtherBlock, payload.size());
      builder.bytes.insert(builder.bytes.end(), block.begin(), block.end());
    }
    builder.extent(1, {30, 40});
    builder.end();
    in_.write("service.1.s.0.ringtrace", builder.bytes);
  }

  void expect_all() {
    EXPECT_EQ(payloads(out_.path(), kOtherBlock), payloads(in_.path(), kOtherBlock));
    bool has_statement = false;
    for (const Bytes& entries : payloads(out_.path(), trace::BlockType::kDictionary))
      has_statement = has_statement || entries == statement_ ||
                      std::search(entries.begin(), entries.end(), statement_.begin(),
                                  statement_.end()) != entries.end();
    EXPECT_TRUE(has_statement);
    const auto file = std::filesystem::recursive_directory_iterator(out_.path());
    std::vector<std::string> paths;
    for (const auto& entry : file) {
      if (entry.path().extension() == ".ringtrace") paths.push_back(entry.path());
    }
    EXPECT_EQ(trace::testing::read_all(paths).times(),
              (std::vector<std::uint64_t>{10, 20, 30, 40}));
  }

  void run(const test::NatsServer& server, std::size_t statement_bytes, std::size_t block_bytes) {
    connection_ = connected(server);
    std::string why;
    ASSERT_TRUE(prepare_fleet_streams(*connection_, {}, &why)) << why;
    write_trace(statement_bytes, block_bytes);
    ship();
    sink();
    expect_all();
  }

  TemporaryDirectory in_;
  TemporaryDirectory state_;
  TemporaryDirectory out_;
  std::unique_ptr<NatsConnection> connection_;
  Bytes statement_;
  std::uint64_t messages_ = 0;
};

// An entry of a dictionary has at most 1 MiB, and so has a message of this server.
TEST_F(LargeMessages, ArriveWithTheDefaultLimitOfTheServer) {
  const test::NatsServer server;
  run(server, (std::size_t{1} << 20) - 200, std::size_t{5} << 20);
}

TEST_F(LargeMessages, ArriveWithASmallLimitOfTheServer) {
  const test::NatsServer server("max_payload: 65536");
  run(server, 300'000, 700'000);
}

// Bodies have the limits of the messages: they do not fill the bucket.
TEST_F(LargeMessages, AreRemovedWithTheMessages) {
  const test::NatsServer server;
  run(server, 100, std::size_t{5} << 20);
  ASSERT_EQ(js_PurgeStream(connection_->jetstream(), kExtentStream, nullptr, nullptr), NATS_OK);
  jsStreamInfo* info = nullptr;
  ASSERT_EQ(js_GetStreamInfo(&info, connection_->jetstream(), kDictionaryStream, nullptr, nullptr),
            NATS_OK);
  EXPECT_LT(info->State.Bytes, 10'000U);
  jsStreamInfo_Destroy(info);
}

}  // namespace
}  // namespace ringside::fleet
