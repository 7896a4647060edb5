// A client with the permission to publish can publish anything: the sink refuses it, counts it, and
// goes on. With a real nats-server.

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/nats_queue_fixture.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/trace_segments.hpp"
#include "trace-format/blocks/block_reader.hpp"

namespace ringside::fleet {
namespace {

using trace::testing::TemporaryDirectory;
using trace::testing::TraceFileBuilder;

// A sound message of a segment, whose dictionary is in the bucket.
ExtentMessage sound_message(std::uint8_t uuid, NatsPublishQueue& queue) {
  TraceFileBuilder builder;
  builder.begin(uuid);
  builder.stream(1, "thread");
  builder.extent(1, {10, 20});
  builder.end();
  ExtentMessage message;
  message.uuid[0] = uuid;
  DictionaryFragments dictionary;
  for_each_block(builder.bytes,
                 [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
                   if (frame.type == trace::BlockType::kDictionary)
                     return dictionary.add(block.subspan(trace::kBlockHeaderBytes));
                   message.blocks.insert(message.blocks.end(), block.begin(), block.end());
                 });
  for (const NamedContents& contents : dictionary.cut())
    EXPECT_TRUE(queue.store_contents(hash_key(contents.hash), contents.bytes)) << queue.why();
  message.manifest = dictionary.manifest();
  return message;
}

std::string subject_of(const ExtentMessage& message) {
  return extent_subject("default", "", "service", message.uuid);
}

TEST_F(NatsQueueTest, SinkRefusesHostileMessagesAndTakesTheOthers) {
  std::mt19937 random(7);
  const auto store = [&](const std::string& subject, Bytes payload) {
    const natsStatus status =
        js_Publish(nullptr, connection->jetstream(), subject.c_str(), payload.data(),
                   static_cast<int>(payload.size()), nullptr, nullptr);
    ASSERT_EQ(status, NATS_OK) << subject;
  };
  const ExtentMessage message = sound_message(1, *queue);
  const Bytes sound = write_extent_message(message, 3);
  std::uint64_t hostile = 0;
  const auto store_hostile = [&](const std::string& subject, const Bytes& payload) {
    store(subject, payload);
    ++hostile;
  };
  const std::vector<std::string> subjects = {subject_of(message), "rs.ext.a", "rs.ext.a.b.c.d.e.f"};
  for (int i = 0; i < 100; ++i) {
    for (const std::string& subject : subjects) {
      Bytes payload = sound;
      // Its last bytes are contents: others can be of no meaning.
      payload[payload.size() - 1 - random() % 40] ^= static_cast<std::byte>(1 + random() % 255);
      payload.resize(random() % 4 == 0 ? random() % payload.size() : payload.size());
      store_hostile(subject, payload);
    }
  }
  store_hostile("rs.ext.default.other.service.0", sound);  // of another segment
  store_hostile(subject_of(message), {});
  ExtentMessage later = message;
  later.previous = 1'000'000;
  store_hostile(subject_of(message), write_extent_message(later, 3));
  // A body and a dictionary that are not what their hashes say.
  ExtentMessage second = sound_message(2, *queue);
  Bytes named = write_extent_message(second, 3);
  const ContentHash hash = content_hash(take_body(named));
  ASSERT_TRUE(queue->store_contents(body_key(hash), bytes_of("another body"))) << queue->why();
  store_hostile(subject_of(second), named);
  second.manifest.fill(7);
  ASSERT_TRUE(queue->store_contents(hash_key(second.manifest), bytes_of("no manifest")));
  store_hostile(subject_of(second), write_extent_message(second, 3));
  store(subject_of(message), sound);

  TemporaryDirectory out;
  const auto source = delivery();
  std::string why;
  const auto sink = FileSink::open(
      out.path(),
      [&source](std::string_view key, Bytes& contents) {
        return source->fetch_contents(key, contents);
      },
      &why);
  ASSERT_NE(sink, nullptr) << why;
  std::uint64_t complaints = 0;
  std::uint64_t now_ms = 0;
  FileDelivery files(
      {}, *source, *sink, [&now_ms] { return now_ms += 10; },
      [&](const std::string& text) {
        EXPECT_NE(text.find("is refused: "), std::string::npos) << text;
        ++complaints;
      });
  while (sink->counts().messages == 0 || sink->counts().refused < hostile)
    ASSERT_TRUE(files.step(100));
  ASSERT_TRUE(files.sync());
  EXPECT_EQ(sink->counts().refused, hostile);
  EXPECT_EQ(complaints, hostile);
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out.path())) {
    if (entry.path().extension() == ".ringtrace") paths.push_back(entry.path());
  }
  EXPECT_EQ(trace::testing::read_all(paths).times(), (std::vector<std::uint64_t>{10, 20}));
}

}  // namespace
}  // namespace ringside::fleet
