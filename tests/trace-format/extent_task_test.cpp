// The task of a stream's records: readers that keep contexts aside give it as their substream.

#include <gtest/gtest.h>

#include "shm-layout/record_head.hpp"
#include "tests/trace-format/decoded_record.hpp"
#include "tests/trace-format/ring_bytes.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_choice.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;
using shm::SiteKind;

constexpr std::uint32_t kTask = 2;
constexpr std::uint32_t kTaskUser = 3;  // a context without a task
constexpr std::uint32_t kNone = 4;      // the end of a context
constexpr std::uint32_t kOther = 5;     // with similar fields

struct Seen {
  std::uint64_t substream = 0;
  std::uint64_t duration = 0;
  std::uint64_t task = 0;
  std::uint64_t step = 0;
  std::string name;
  bool operator==(const Seen&) const = default;
};

class ExtentTask : public ::testing::Test {
 protected:
  void SetUp() override {
    add_site(sites_, {.id = 1, .fields = {{.type = FieldType::u32}}});
    add_site(sites_, {.id = kTask,
                      .fields = {{.type = FieldType::string, .name = "task"},
                                 {.type = FieldType::u64, .name = "task.id"},
                                 {.type = FieldType::u64, .name = "task.step"},
                                 {.type = FieldType::u32, .name = "user"}},
                      .kind = SiteKind::kContext});
    add_site(sites_, {.id = kTaskUser,
                      .fields = {{.type = FieldType::u32, .name = "user"}},
                      .kind = SiteKind::kContext});
    add_site(sites_, {.id = kNone, .kind = SiteKind::kContext});
    add_site(sites_, {.id = kOther,
                      .fields = {{.type = FieldType::string, .name = "task"},
                                 {.type = FieldType::i64, .name = "task.id"},
                                 {.type = FieldType::u64, .name = "task.step"}},
                      .kind = SiteKind::kContext});
  }

  std::uint64_t next() { return ++time_; }
  std::string record(std::uint32_t value) { return plain_record(1, next(), raw(value)); }
  std::string task(std::uint64_t id, std::uint64_t step, std::string_view name) {
    return plain_record(kTask, next(), raw_text(name) + raw(id) + raw(step) + raw(7U));
  }

  Bytes encoded(std::string_view ring, StreamCursor& cursor) {
    ExtentEncoder encoder(sites_);
    Bytes out(1 << 16);
    const EncodeResult done = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    EXPECT_EQ(done.stop, EncodeStop::kInputEnd);
    out.resize(done.output_bytes);
    return out;
  }

  static Seen seen(const RecordExtension* extension, const RecordContext* context) {
    Seen seen;
    if (extension != nullptr) {
      const std::uint32_t flags = extension->ext_flags;
      if ((flags & shm::kExtSubstream) != 0) seen.substream = extension->substream;
      if ((flags & shm::kExtDuration) != 0) seen.duration = extension->duration;
    }
    if (context != nullptr) {
      seen.task = context->task;
      seen.step = context->task_step;
      seen.name = context->task_name;
    }
    return seen;
  }

  // In both ways of reading, which must agree.
  std::vector<Seen> decoded(const Bytes& block, SiteChoice* choice = nullptr,
                            ExtentDecoder::Contexts contexts = ExtentDecoder::Contexts::kAside) {
    const auto payload = std::span<const std::byte>(block).subspan(kBlockHeaderBytes);
    ExtentDecoder decoder;
    std::string why;
    std::vector<Seen> one_by_one;
    EXPECT_TRUE(decoder.open(payload, sites_, &why, choice, contexts)) << why;
    Record record;
    while (decoder.next(record)) one_by_one.push_back(seen(&record, record.context));
    EXPECT_FALSE(decoder.failed());
    std::vector<Seen> all;
    EXPECT_TRUE(decoder.open(payload, sites_, &why, choice, contexts)) << why;
    decoder.for_each(
        [&](const RecordView& view) { all.push_back(seen(view.extension, view.context)); });
    EXPECT_EQ(one_by_one, all);
    return all;
  }

  SiteTable sites_;
  std::uint64_t time_ = 100;
};

TEST_F(ExtentTask, IsTheSubstreamOfItsRecords) {
  StreamCursor cursor{.last_tsc = 100};
  const Bytes block = encoded(
      record(1) + task(5, 1, "get") + record(2) + record(3) + record(4) + task(6, 9, "put") +
          record(5) + plain_record(kTaskUser, next(), raw(7U)) + record(6) + record(7) +
          task(5, 2, "get") + record(8) + plain_record(kNone, next()) + record(9),
      cursor);
  const Seen none;
  const Seen get{5, 0, 5, 1, "get"};
  const Seen put{6, 0, 6, 9, "put"};
  const Seen again{5, 0, 5, 2, "get"};
  EXPECT_EQ(decoded(block), (std::vector<Seen>{none, get, get, get, put, none, none, again, none}));
}

// Enough of them that the decoder reads them in a loop of their own.
TEST_F(ExtentTask, HoldsForManyRecordsOfOneStatement) {
  constexpr std::uint32_t kRecords = 100;
  std::string ring = task(5, 1, "get");
  for (std::uint32_t i = 0; i < kRecords; ++i) ring += record(i);
  StreamCursor cursor{.last_tsc = 100};
  EXPECT_EQ(decoded(encoded(ring, cursor)), (std::vector<Seen>(kRecords, Seen{5, 0, 5, 1, "get"})));
}

TEST_F(ExtentTask, IsKnownFromEachExtentAlone) {
  StreamCursor cursor{.last_tsc = 100};
  encoded(task(5, 3, "get") + record(1), cursor);
  const Bytes block = encoded(record(2) + record(3), cursor);
  const Seen get{5, 0, 5, 3, "get"};
  EXPECT_EQ(decoded(block), (std::vector<Seen>{get, get}));
  SiteChoice choice;
  choice.add(*sites_.find(1), {});
  EXPECT_EQ(decoded(block, &choice), (std::vector<Seen>{get, get}));
}

TEST_F(ExtentTask, LeavesOtherPartsAndASubstreamOfTheRecordsOwn) {
  StreamCursor cursor{.last_tsc = 100};
  const std::uint64_t own = 77;
  const std::uint64_t ticks = 3;
  const Bytes block = encoded(
      task(5, 1, "get") + extended_record(1, next(), shm::kExtDuration, raw(ticks), raw(1U)) +
          extended_record(1, next(), shm::kExtSubstream | shm::kExtDuration, raw(own) + raw(ticks),
                          raw(2U)) +
          record(3) + extended_record(1, next(), shm::kExtDuration, raw(ticks), raw(4U)),
      cursor);
  EXPECT_EQ(
      decoded(block),
      (std::vector<Seen>{
          {5, 3, 5, 1, "get"}, {77, 3, 5, 1, "get"}, {5, 0, 5, 1, "get"}, {5, 3, 5, 1, "get"}}));
}

TEST_F(ExtentTask, HasFieldsOfItsTypesAndANumber) {
  StreamCursor cursor{.last_tsc = 100};
  const Bytes block = encoded(
      plain_record(kOther, next(), raw_text("get") + raw(std::int64_t{5}) + raw(std::uint64_t{1})) +
          record(1) + task(0, 1, "get") + record(2),
      cursor);
  const std::vector<Seen> all = decoded(block);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], Seen{});
  EXPECT_EQ(all[1].substream, 0U);
  EXPECT_EQ(all[1].task, 0U);
}

// A copy of the trace must not store the substream a second time.
TEST_F(ExtentTask, IsNotGivenToRewriters) {
  StreamCursor cursor{.last_tsc = 100};
  const Bytes block = encoded(task(5, 1, "get") + record(1), cursor);
  for (const Seen& seen : decoded(block, nullptr, ExtentDecoder::Contexts::kShown)) {
    EXPECT_EQ(seen.substream, 0U);
  }
}

}  // namespace
}  // namespace ringside::trace::testing
