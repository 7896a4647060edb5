#pragma once
// The library keeps one state per process, so a test of it is a process: PROCESS_TEST runs its body
// in its own child, with its own empty shared-memory directory.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>

namespace ringside::test {

// Whether this is a build with AddressSanitizer, with ThreadSanitizer.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// Runs `body` in a child and expects it to end without a failed expectation.
void run_in_process(void (*body)());

// The directory of the running test, which RINGSIDE_SHM_DIR names.
const std::string& shm_dir();

// The size of the rings of tests that fill them: 64 KiB, or what RINGSIDE_TEST_RING_BYTES names.
std::uint64_t tested_ring_bytes();

// Paths of the segments in `dir`.
std::vector<std::string> segments_in(const std::string& dir);

// Forks; the child runs `body` and exits with 0, or 1 if it noted a failure.
pid_t start_child(const std::function<void()>& body);

// Waits for `pid` and returns its wait status.
int wait_for(pid_t pid);

// Runs `body` in a child and returns its wait status; 0 means success.
int run_child(const std::function<void()>& body);

// Runs a program to its end and returns its wait status.
int run_program(const std::string& path, const std::vector<std::string>& arguments);

// Waits until `condition` holds; fails the test if that takes more than a minute.
void wait_until(const std::function<bool()>& condition);

// Captures standard error during its lifetime.
class StderrCapture {
 public:
  StderrCapture();
  ~StderrCapture();
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  std::vector<std::string> lines() const;

 private:
  int saved_;
  int file_;
};

}  // namespace ringside::test

#define PROCESS_TEST(suite, name)                          \
  static void suite##_##name##_body();                     \
  TEST(suite, name) {                                      \
    ringside::test::run_in_process(suite##_##name##_body); \
  }                                                        \
  static void suite##_##name##_body()
