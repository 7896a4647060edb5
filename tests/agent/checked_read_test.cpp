// Reads of memory that may not exist, with the system call for it and, where a filter refuses that
// one, through a pipe.

#include "libagent/process/checked_read.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

constexpr std::size_t kPageBytes = 65'536;  // of any machine

// From now on, process_vm_readv() fails as in a container whose filter refuses it.
void refuse_process_vm_readv() {
  // An emulator may not know the call.
  if (syscall(SYS_process_vm_readv, getpid(), nullptr, 0, nullptr, 0, 0) < 0 && errno == ENOSYS) {
    return;
  }
  sock_filter filter[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_readv},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
  ASSERT_EQ(syscall(SYS_process_vm_readv, getpid(), nullptr, 0, nullptr, 0, 0), -1);
  ASSERT_EQ(errno, EPERM);
}

int open_descriptors() {
  int open = 0;
  for (int descriptor = 0; descriptor < 64; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1) ++open;
  }
  return open;
}

// Two pages, of which the second one cannot be read.
unsigned char* page_before_a_hole() {
  void* const pages =
      mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* const first = static_cast<unsigned char*>(pages);
  for (std::size_t i = 0; i < kPageBytes; ++i)
    first[i] = static_cast<unsigned char>(i * 7 + i / 256);
  if (mprotect(first + kPageBytes, kPageBytes, PROT_NONE) != 0) return nullptr;
  return first;
}

void read_everything() {
  const unsigned char* const page = page_before_a_hole();
  ASSERT_NE(page, nullptr);
  const auto address = reinterpret_cast<std::uintptr_t>(page);
  const int open_before = open_descriptors();
  errno = ENOTTY;
  // Around the pieces of a pipe, and to the last byte before the hole.
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{511}, std::size_t{512},
                                  std::size_t{513}, std::size_t{5000}, kPageBytes}) {
    std::vector<unsigned char> read(bytes + 1, 0xee);
    const std::size_t offset = kPageBytes - bytes;
    EXPECT_TRUE(read_checked(address + offset, read.data(), bytes)) << bytes;
    EXPECT_EQ(std::memcmp(read.data(), page + offset, bytes), 0) << bytes;
    EXPECT_EQ(read[bytes], 0xee) << "a byte after the object";
  }
  std::array<unsigned char, 2048> part{};
  EXPECT_FALSE(read_checked(address + kPageBytes - 1, part.data(), 2)) << "one byte in the hole";
  EXPECT_FALSE(read_checked(address + kPageBytes - 1024, part.data(), 1025)) << "the last piece";
  EXPECT_FALSE(read_checked(address + kPageBytes, part.data(), 1));
  EXPECT_FALSE(read_checked(8, part.data(), 8)) << "the null page";
  EXPECT_FALSE(read_checked(~std::uintptr_t{7}, part.data(), 8)) << "the end of all addresses";
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(open_descriptors(), open_before) << "an end of a pipe was left open";
}

PROCESS_TEST(CheckedRead, ReadsWhatExistsAndRefusesTheRest) {
  read_everything();
}

PROCESS_TEST(CheckedRead, DoesTheSameThroughAPipe) {
  refuse_process_vm_readv();
  read_everything();
}

}  // namespace
}  // namespace ringside::test
