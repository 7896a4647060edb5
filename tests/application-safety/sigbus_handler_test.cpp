// The library's handler of SIGBUS: when there is one, and how it gets along with the service's own.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

constexpr std::size_t kSignals = 65;

void log_number(int number) {
  RS_INFO("number %d", number);
}

void cut_segment() {
  EXPECT_EQ(truncate(segments_in(shm_dir()).at(0).c_str(), 0), 0);
}

struct sigaction sigbus_action() {
  struct sigaction action {};
  sigaction(SIGBUS, nullptr, &action);
  return action;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
#else
constexpr bool kAddressSanitizer = false;
#endif

// AddressSanitizer has a handler of its own, which reports the signal and ends the process.
bool ended_by_sigbus(const std::function<void()>& body) {
  const int status = run_child(body);
  if (kAddressSanitizer) return status != 0;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
}

// A page of a file that has been truncated, which has nothing to do with Ringside.
volatile char* missing_page() {
  const std::string path = shm_dir() + "/other";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(ftruncate(fd, 4096), 0);
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  EXPECT_EQ(ftruncate(fd, 0), 0);
  close(fd);
  return static_cast<volatile char*>(page);
}

volatile char* g_missing = nullptr;
std::atomic<int> g_calls{0};

void put_page_there() {
  ++g_calls;
  mmap(const_cast<char*>(g_missing), 4096, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void plain_handler(int) {
  put_page_there();
}

void handler_with_info(int, siginfo_t* info, void* context) {
  if (info->si_addr == g_missing && context != nullptr) put_page_there();
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ASSERT_EQ(sigaction(SIGBUS, &action, nullptr), 0);
}

void install_with_info(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGBUS, &action, nullptr), 0);
}

void with_guard() {
  setenv("RINGSIDE_TRUNCATION_GUARD", "on", 1);
}

PROCESS_TEST(SigbusHandler, NoneIfOnlyTheOwnerMayWrite) {
  const struct sigaction before = sigbus_action();
  for (const char* mode : {"0600", "0640", "0644"}) {
    EXPECT_EQ(run_child([&] {
                setenv("RINGSIDE_MODE", mode, 1);
                log_number(1);
                EXPECT_EQ(sigbus_action().sa_handler, before.sa_handler);
              }),
              0)
        << mode;
  }
}

PROCESS_TEST(SigbusHandler, OneIfOthersMayWriteOrIfWanted) {
  const struct sigaction before = sigbus_action();
  EXPECT_EQ(run_child([&] {
              setenv("RINGSIDE_MODE", "0664", 1);
              log_number(1);
              EXPECT_NE(sigbus_action().sa_handler, before.sa_handler);
            }),
            0);
  EXPECT_EQ(run_child([&] {
              Options options;
              options.truncation_guard = TruncationGuard::on;
              init(options);
              EXPECT_NE(sigbus_action().sa_handler, before.sa_handler);
            }),
            0);
  EXPECT_EQ(run_child([&] {
              Options options;
              options.truncation_guard = TruncationGuard::on;
              setenv("RINGSIDE_TRUNCATION_GUARD", "off", 1);
              init(options);
              EXPECT_EQ(sigbus_action().sa_handler, before.sa_handler);
            }),
            0);
}

PROCESS_TEST(SigbusHandler, NoOtherSignalIsTouched) {
  std::vector<struct sigaction> before(kSignals);
  for (std::size_t number = 1; number < kSignals; ++number) {
    sigaction(static_cast<int>(number), nullptr, &before[number]);
  }
  with_guard();
  log_number(1);
  cut_segment();
  log_number(2);
  for (std::size_t number = 1; number < kSignals; ++number) {
    struct sigaction after {};
    if (number == SIGBUS || sigaction(static_cast<int>(number), nullptr, &after) != 0) continue;
    EXPECT_EQ(after.sa_handler, before[number].sa_handler) << number;
  }
}

PROCESS_TEST(SigbusHandler, WithoutTheGuardTheServiceDies) {
  EXPECT_TRUE(ended_by_sigbus([] {
    setenv("RINGSIDE_MODE", "0660", 1);
    setenv("RINGSIDE_TRUNCATION_GUARD", "off", 1);
    log_number(1);
    cut_segment();
    log_number(2);
  }));
}

PROCESS_TEST(SigbusHandler, FaultsElsewhereEndTheProcess) {
  with_guard();
  log_number(1);
  g_missing = missing_page();
  EXPECT_TRUE(ended_by_sigbus([] { *g_missing = 1; }));
  EXPECT_TRUE(ended_by_sigbus([] { raise(SIGBUS); }));
  EXPECT_TRUE(ended_by_sigbus([] {
    signal(SIGBUS, SIG_DFL);  // NOLINT(cert-err33-c)
    raise(SIGBUS);
  })) << "the service takes it away";
}

PROCESS_TEST(SigbusHandler, AFaultEndsAProcessThatIgnoresTheSignal) {
  with_guard();
  install(SIG_IGN);
  log_number(1);
  g_missing = missing_page();
  raise(SIGBUS);
  cut_segment();
  log_number(2);
  EXPECT_EQ(status().state, State::live);
  EXPECT_TRUE(ended_by_sigbus([] { *g_missing = 1; }));
}

PROCESS_TEST(SigbusHandler, FormerHandlersGetWhatIsTheirs) {
  with_guard();
  for (const bool with_info : {false, true}) {
    EXPECT_EQ(run_child([with_info] {
                g_missing = missing_page();
                if (with_info) {
                  install_with_info(handler_with_info);
                } else {
                  install(plain_handler);
                }
                log_number(1);
                *g_missing = 1;
                EXPECT_EQ(g_calls, 1);
                cut_segment();
                log_number(2);
                EXPECT_EQ(g_calls, 1) << "the segment is the library's";
                EXPECT_EQ(losses(), 1U);
              }),
              0);
  }
}

PROCESS_TEST(SigbusHandler, AFormerHandlerForOneSignalIsCalledOnce) {
  with_guard();
  g_missing = missing_page();
  struct sigaction action {};
  action.sa_handler = plain_handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGBUS, &action, nullptr);
  log_number(1);
  *g_missing = 1;
  EXPECT_EQ(g_calls, 1);
  cut_segment();
  log_number(2);
  EXPECT_EQ(status().state, State::live);
  g_missing = missing_page();
  EXPECT_TRUE(ended_by_sigbus([] { *g_missing = 1; }));
}

void handler_that_asks(int number, siginfo_t* info, void* context) {
  if (handle_sigbus(info)) return;
  handler_with_info(number, info, context);
}

PROCESS_TEST(SigbusHandler, ALaterHandlerMayAsk) {
  with_guard();
  g_missing = missing_page();
  log_number(1);
  install_with_info(handler_that_asks);
  *g_missing = 1;
  EXPECT_EQ(g_calls, 1);
  cut_segment();
  log_number(2);
  EXPECT_EQ(g_calls, 1);
  EXPECT_EQ(losses(), 1U);
}

PROCESS_TEST(SigbusHandler, AskingIsHarmlessWithoutASegment) {
  siginfo_t info{};
  info.si_signo = SIGBUS;
  info.si_code = BUS_ADRERR;
  EXPECT_FALSE(handle_sigbus(&info));
  EXPECT_FALSE(handle_sigbus(nullptr));
  with_guard();
  log_number(1);
  EXPECT_FALSE(handle_sigbus(&info));
  info.si_code = SI_USER;
  EXPECT_FALSE(handle_sigbus(&info));
}

}  // namespace
}  // namespace ringside::test
