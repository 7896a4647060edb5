// What a consumerd leaves that is killed while it creates its staging file.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/write/staging_file.hpp"
#include "stepped_process.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using Step = SteppedProcess::Step;

// Recovery removes a file without a version, and keeps one that has a version and a damaged header.
TEST(StagingHeader, IsCompleteWhenTheVersionIsThere) {
  const TemporaryDirectory dir;
  std::string why;
  SteppedProcess process([&] { consumer::StagingFile::create(dir.path(), &why); });
  const std::size_t bytes = shm::slot_header_offset(consumer::kStagingSlots);
  const shm::StagingHeader* header = nullptr;
  while (header == nullptr || header->version.load() == 0) {
    const Step step = process.step();
    ASSERT_TRUE(step == Step::kInstruction || step == Step::kSystemCall) << "it ended";
    if (header != nullptr || step != Step::kSystemCall) continue;
    const std::vector<std::string> names = dir.names_with("ringside-staging.");
    if (names.empty() || std::filesystem::file_size(dir.file(names[0])) < bytes) continue;
    const consumer::UniqueFd fd(open(dir.file(names[0]).c_str(), O_RDONLY | O_CLOEXEC));
    void* const place = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
    ASSERT_NE(place, MAP_FAILED);
    header = static_cast<const shm::StagingHeader*>(place);
  }
  EXPECT_EQ(header->version.load(), shm::kStagingVersion);
  EXPECT_EQ(header->magic, shm::kStagingMagic);
  EXPECT_EQ(header->slot_count, consumer::kStagingSlots);
  EXPECT_EQ(header->slot_bytes, consumer::kStagingSlotBytes);
  const std::uint8_t none[sizeof header->uuid] = {};
  EXPECT_NE(std::memcmp(header->uuid, none, sizeof none), 0);
  munmap(const_cast<shm::StagingHeader*>(header), bytes);
}

}  // namespace
}  // namespace ringside::consumer_test
