// A session's place in the rings outlives a consumer, in whole states.

#include "consumerd/write/session_cursors.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::CursorState;
using consumer::SessionCursors;

constexpr std::uint8_t kSegment[16] = {1, 2, 3};
constexpr shm::SessionUuid kSession = {0xA0, 0xB0};
constexpr std::uint32_t kCursorRings = 70;  // more than one page has

class SessionCursorsTest : public testing::Test {
 protected:
  std::unique_ptr<SessionCursors> open() {
    auto cursors = SessionCursors::open(shm_.path(), kSegment, kSession, kCursorRings, &why_);
    EXPECT_NE(cursors, nullptr) << why_;
    return cursors;
  }
  static CursorState state(std::uint64_t pos) {
    CursorState state{};
    state.generation = 3;
    state.pos = pos;
    state.next_sequence = pos / 2;
    return state;
  }
  std::size_t files() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(shm_.path()), {}));
  }

  TemporaryDirectory shm_;
  std::string why_;
};

TEST_F(SessionCursorsTest, KeepTheLastStateOfEachRing) {
  {
    const auto cursors = open();
    EXPECT_FALSE(cursors->load(0));
    for (std::uint32_t ring = 0; ring < kCursorRings; ++ring) {
      ASSERT_TRUE(cursors->store(ring, state(ring)));
      ASSERT_TRUE(cursors->store(ring, state(100 + ring)));
    }
    EXPECT_FALSE(cursors->store(kCursorRings, state(1)));
    cursors->store_lease({4, 77});
  }
  const auto cursors = open();
  for (std::uint32_t ring = 0; ring < kCursorRings; ++ring) {
    const auto left = cursors->load(ring);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->pos, 100 + ring);
    EXPECT_EQ(left->generation, 3U);
  }
  EXPECT_FALSE(cursors->load(kCursorRings));
  EXPECT_EQ(cursors->lease().slot, 4U);
  EXPECT_EQ(cursors->lease().deadline_tsc, 77U);
}

TEST_F(SessionCursorsTest, AreFoundByTheUuidOfTheSessionsTrace) {
  ASSERT_TRUE(open()->store(1, state(9)));
  const shm::SessionUuid both = shm::uuid_in_session(kSegment, kSession);
  std::uint8_t uuid[16];
  std::copy(both.begin(), both.end(), uuid);
  const auto found = SessionCursors::find(shm_.path(), uuid);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->load(1)->pos, 9U);
  EXPECT_EQ(SessionCursors::find(shm_.path(), kSegment), nullptr);
}

TEST_F(SessionCursorsTest, BeginAnewIfTheFileIsNotOurs) {
  ASSERT_TRUE(open()->store(1, state(9)));
  const std::string path = std::filesystem::directory_iterator(shm_.path())->path();
  std::filesystem::resize_file(path, 100);
  EXPECT_FALSE(open()->load(1)) << "truncated";
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/etc/passwd", path);
  EXPECT_FALSE(open()->load(1));
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST_F(SessionCursorsTest, AreRemovedWithTheirSession) {
  open();
  constexpr shm::SessionUuid kOther = {1};
  ASSERT_NE(SessionCursors::open(shm_.path(), kSegment, kOther, kCursorRings, &why_), nullptr);
  EXPECT_EQ(files(), 2U);
  consumer::remove_cursor_files(shm_.path(), kSession);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace ringside::consumer_test
