// The context of a stream survives its consumer.
#include "consumerd/drain/context_keeper.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/rings/followed_context.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "tests/trace-format/ring_bytes.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::AttachedSegment;
using consumer::ContextKeeper;
using trace::StreamContext;

StreamContext context_of(std::uint32_t site_id, std::string_view arguments) {
  const auto bytes = std::as_bytes(std::span(arguments));
  return {site_id, {bytes.begin(), bytes.end()}};
}

std::string shown(const StreamContext& context) {
  return std::to_string(context.site_id) + ":" +
         std::string(reinterpret_cast<const char*>(context.arguments.data()),
                     context.arguments.size());
}

// A consumer that stores contexts at positions, and dies anywhere in between.
TEST(ConsumedContext, IsFoundWhereverItsWriterStopped) {
  const auto memory = std::make_unique<shm::ConsumedContext>();
  shm::ConsumedContext& kept = *memory;
  EXPECT_EQ(kept.valid_at(1000), nullptr) << "never written";
  const auto store = [&](std::uint64_t pos, std::uint64_t consumer_pos, std::uint32_t site) {
    const std::byte argument{static_cast<unsigned char>(site)};
    kept.store(pos, consumer_pos, site, {&argument, 1});
  };
  const auto found = [&](std::uint64_t consumer_pos) {
    const shm::ConsumedContextSlot* const slot = kept.valid_at(consumer_pos);
    return slot == nullptr ? 0U : slot->site_id;
  };
  store(100, 0, 7);
  EXPECT_EQ(found(0), 0U) << "it died before it stored the position";
  EXPECT_EQ(found(100), 7U);
  store(200, 100, 8);
  EXPECT_EQ(found(100), 7U) << "it died before it stored the position";
  EXPECT_EQ(found(200), 8U);
  // Its successor begins at 100 again.
  store(150, 100, 9);
  EXPECT_EQ(found(100), 7U);
  EXPECT_EQ(found(150), 9U);
  // A writer that died within store().
  shm::ConsumedContextSlot& other = kept.slots[kept.valid_at(150) == kept.slots.data() ? 1 : 0];
  other.pos.store(shm::kNoContextPos);
  other.site_id = 99;
  EXPECT_EQ(found(150), 9U);
  store(300, 150, 10);
  EXPECT_EQ(found(300), 10U);
  EXPECT_EQ(found(299), 9U);
}

class ContextKeeperTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(segment, nullptr) << failure_.why; }

 private:
  const TemporaryDirectory shm_dir_;
  ScriptedService service_{shm_dir_.path(), "svc", 1, 2};
  consumer::AttachFailure failure_;

 protected:
  // Has two rings.
  const std::unique_ptr<AttachedSegment> segment =
      AttachedSegment::attach(shm_dir_.path(), service_.name(), &failure_);
};

TEST_F(ContextKeeperTest, LoadsWhatAnotherOneHasKept) {
  ContextKeeper first(*segment, 1);
  EXPECT_EQ(shown(first.load(500, 0)), "0:");
  first.keep(context_of(7, "ann"), 600, 500);
  first.keep(context_of(7, "ann"), 700, 600);
  first.keep(context_of(8, "bob"), 800, 700);
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(800, 0)), "8:bob");
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(900, 800)), "0:") << "of a former stream";
  EXPECT_EQ(shown(ContextKeeper(*segment, 0).load(800, 0)), "0:") << "of another ring";
  first.keep({}, 900, 800);
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(899, 0)), "8:bob") << "it has not committed 900";
  first.keep(context_of(7, "ann"), 900, 899);
  first.keep({}, 950, 900);
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(950, 0)), "0:");
}

TEST(ContextKeeper, DoesNotTrustTheSegment) {
  const TemporaryDirectory shm_dir;
  ScriptedService service(shm_dir.path(), "svc", 1, 1);
  consumer::AttachFailure failure;
  const auto segment = AttachedSegment::attach(shm_dir.path(), service.name(), &failure);
  ASSERT_NE(segment, nullptr) << failure.why;
  shm::ConsumedContext& kept = *segment->consumed_context(0);
  kept.slots[0].site_id = 7;
  kept.slots[0].argument_bytes = 0xFFFFFFFF;
  kept.slots[0].pos = 10;
  EXPECT_EQ(ContextKeeper(*segment, 0).load(20, 0).arguments.size(), shm::kMaxContextBytes);
}

TEST(ContextKeeper, LeavesAPlainRecordOutOfTheContexts) {
  trace::SiteTable sites;
  std::string why;
  const trace::testing::TestSite plain{.id = 7, .fields = {{shm::FieldType::u32, "qty"}}};
  ASSERT_TRUE(sites.add(trace::testing::site_entry(plain), &why)) << why;
  consumer::FollowedContext followed;
  followed.begin(context_of(7, "1234"));
  EXPECT_EQ(followed.decoded(sites), nullptr) << "the statement of a record";
  followed.begin(context_of(9, "1234"));
  EXPECT_EQ(followed.decoded(sites), nullptr) << "unknown";
}

TEST_F(ContextKeeperTest, StoresTheContextOfANewStreamThoughTheOneBeforeHadTheSame) {
  ContextKeeper keeper(*segment, 1);
  keeper.load(500, 0);
  keeper.keep(context_of(7, "ann"), 600, 500);
  keeper.begin_stream();
  keeper.keep(context_of(7, "ann"), 900, 800);
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(900, 700)), "7:ann");
}

TEST_F(ContextKeeperTest, ForgetsWhatADeadConsumerHasNotCommitted) {
  ContextKeeper first(*segment, 1);
  first.load(50, 0);
  first.keep(context_of(7, "ann"), 100, 50);
  first.keep(context_of(8, "bob"), 200, 100);  // it dies before it stores the position
  ContextKeeper second(*segment, 1);
  EXPECT_EQ(shown(second.load(100, 0)), "7:ann");
  second.keep(context_of(7, "ann"), 300, 100);  // the same as before
  EXPECT_EQ(shown(ContextKeeper(*segment, 1).load(300, 0)), "7:ann");
}

}  // namespace
}  // namespace ringside::consumer_test
