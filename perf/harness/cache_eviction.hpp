#pragma once
// Evicts a program's data and code from the caches that are private to a core.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include <sys/mman.h>

namespace ringside::perf {

// Walks a buffer of four times the size of the second-level cache, in small pages so that the
// address translations are evicted too, and jumps through 256 KiB of code to evict instructions and
// branch targets. At best, the third-level cache still holds what was there. Instances never free
// their memory.
class CacheEviction {
 public:
  CacheEviction() {
    const long l2_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    data_bytes_ = 4 * static_cast<std::size_t>(l2_bytes > 0 ? l2_bytes : 2L << 20);
    data_ = static_cast<unsigned char*>(map(data_bytes_, PROT_READ | PROT_WRITE));
    auto* code = static_cast<unsigned char*>(map(kCodeBytes, PROT_READ | PROT_WRITE));
    if (data_ == nullptr || code == nullptr) return;
    madvise(data_, data_bytes_, MADV_NOHUGEPAGE);
    std::memset(data_, 1, data_bytes_);
    // One jump per line to the next line (jmp rel8 +62), and a ret in the last line.
    for (std::size_t at = 0; at + kLine < kCodeBytes; at += kLine) {
      code[at] = 0xeb;
      code[at + 1] = kLine - 2;
    }
    code[kCodeBytes - kLine] = 0xc3;
    if (mprotect(code, kCodeBytes, PROT_READ | PROT_EXEC) != 0) return;
    void* const entry = code;
    std::memcpy(&code_, &entry, sizeof code_);
  }
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;

  bool works() const { return code_ != nullptr; }
  std::size_t data_bytes() const { return data_bytes_; }

  void evict() {
    for (std::size_t at = 0; at < data_bytes_; at += kLine) {
      volatile unsigned char* const line = data_ + at;
      *line = static_cast<unsigned char>(*line + 1);
    }
    code_();
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kCodeBytes = 256U << 10;

  static void* map(std::size_t bytes, int protection) {
    void* at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
  }

  std::size_t data_bytes_ = 0;
  unsigned char* data_ = nullptr;
  void (*code_)() = nullptr;
};

}  // namespace ringside::perf
