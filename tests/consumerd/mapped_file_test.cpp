#include "consumerd/descriptors/mapped_file.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

constexpr std::uint64_t kBytes = 92U << 10;

class DoubleMapping : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = dir_.file("f");
    fd_ = consumer::UniqueFd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(ftruncate(fd_.get(), 2 * kBytes), 0);
  }

  // Mappings of the file, and memory without access that is as large as a reservation or half of
  // it: sanitizers have such memory of other sizes.
  std::string mappings() const {
    std::ifstream file("/proc/self/maps");
    std::string found;
    for (std::string line; std::getline(file, line);) {
      const std::uint64_t begin = std::stoull(line, nullptr, 16);
      const std::uint64_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
      const bool is_as_large = end - begin == kBytes || end - begin == 2 * kBytes;
      const bool is_reserved = line.find("---p") != std::string::npos && is_as_large;
      if (is_reserved || line.find(dir_.path()) != std::string::npos) found += line + "\n";
    }
    return found;
  }

  TemporaryDirectory dir_;
  consumer::UniqueFd fd_;
};

TEST_F(DoubleMapping, ContinuesAtTheBeginning) {
  consumer::DoubleMapping mapping;
  EXPECT_FALSE(mapping);
  ASSERT_TRUE(mapping.map(fd_.get(), kBytes, kBytes));
  EXPECT_TRUE(mapping);
  EXPECT_EQ(mapping.mapped_bytes(), 2 * kBytes);
  const std::string text = "both";
  ASSERT_EQ(pwrite(fd_.get(), text.data(), 2, 2 * kBytes - 2), 2);
  ASSERT_EQ(pwrite(fd_.get(), text.data() + 2, 2, kBytes), 2);
  const auto* const end = reinterpret_cast<const char*>(mapping.data() + kBytes);
  EXPECT_EQ(std::string(end - 2, text.size()), text);
}

TEST_F(DoubleMapping, IsUnmappedAsAWhole) {
  const std::string before = mappings();
  {
    consumer::DoubleMapping mapping;
    ASSERT_TRUE(mapping.map(fd_.get(), 0, kBytes));
    EXPECT_NE(mappings(), before);
    consumer::DoubleMapping other = std::move(mapping);
    mapping = consumer::DoubleMapping();
    EXPECT_TRUE(other);
  }
  EXPECT_EQ(mappings(), before);
}

TEST_F(DoubleMapping, LeavesNothingIfItFails) {
  const consumer::UniqueFd unreadable(open(dir_.file("f").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string before = mappings();
  consumer::DoubleMapping mapping;
  errno = 0;
  EXPECT_FALSE(mapping.map(unreadable.get(), 0, kBytes));
  EXPECT_EQ(errno, EACCES);
  EXPECT_FALSE(mapping);
  EXPECT_EQ(mappings(), before);
}

}  // namespace
}  // namespace ringside::consumer_test
