// Replaces the allocator, operator new and malloc, by one that logs in every function. The program
// must end. What the program itself allocates is recorded: in static initialisers, on several
// threads at once, while threads end. Some of the library's own allocations may be lost; these are
// counted.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/ringside.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);                 // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* memory);                         // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t n, std::size_t size);   // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t bytes) {
  RS_INFO("malloc %zu", bytes);
  return __libc_malloc(bytes);
}
void free(void* memory) {
  RS_INFO("free %p", memory);
  __libc_free(memory);
}
void* calloc(std::size_t n, std::size_t size) {
  RS_INFO("calloc %zu", n * size);
  return __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t bytes) {
  RS_INFO("realloc %zu", bytes);
  return __libc_realloc(memory, bytes);
}
}

namespace {

std::atomic<rs_netlogger*> g_netlogger{nullptr};

}  // namespace

void* operator new(std::size_t bytes) {
  RS_INFO("new %zu", bytes);
  if (rs_netlogger* const handle = g_netlogger.load(); handle != nullptr) {
    rs_netlogger_write(handle, "new", "", "bytes=%zu", bytes);
  }
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  RS_INFO("delete %p", memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace {

std::string g_static(1000, 'x');
thread_local std::unique_ptr<int> t_freed_at_the_end;

int fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  return 1;
}

void allocate(int times) {
  for (int i = 0; i < times; ++i) {
    t_freed_at_the_end = std::make_unique<int>(i);
    g_static.size();
  }
}

int check() {
  if (ringside::status().state != ringside::State::live) return fail("no segment");
  allocate(10);
  const std::uint64_t before = ringside::losses();
  allocate(1000);
  if (ringside::losses() != before) return fail("records of ordinary allocations were lost");
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) threads.emplace_back(allocate, 100);
  for (std::thread& thread : threads) thread.join();
  if (ringside::losses() != before) return fail("records of other threads were lost");
  g_netlogger = rs_netlogger_open();
  allocate(10);
  rs_netlogger_close(g_netlogger.exchange(nullptr));
  return 0;
}

}  // namespace

int main() {
  const int status = check();
  // The segment exists before main() can name another directory, and no consumer removes it.
  std::remove(ringside::status().segment_path.c_str());
  std::_Exit(status);  // without another log call
}
