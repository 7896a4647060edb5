// What the sandbox forbids, each time in a child that enters the same sandbox as consumerd, and
// that consumerd works inside it.
#include "consumerd/sandbox/sandbox.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "consumerd/metrics/listening_socket.hpp"
#include "consumerd/sandbox/sanitizer_build.hpp"
#include "consumerd/write/block_io.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr int kIncomplete = 99;
// The result of calls that end the process. Where a sanitizer's runtime makes some of them, they
// fail instead.
constexpr int kDeadly = consumer::kSanitizerBuild ? EPERM : 128 + SIGSYS;

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(root_.file("work"));
    std::filesystem::create_directory(root_.file("etc"));
    std::ofstream(root_.file("etc/file")) << "x";
    std::ofstream(root_.file("outside")) << "x";
    if (errno_in_sandbox([] { return 0; }) == kIncomplete) {
      GTEST_SKIP() << "this kernel or container has no landlock or no seccomp";
    }
  }

  // The result of `attempt` in a child in the sandbox: 0, or an errno.
  int errno_in_sandbox(const std::function<int()>& attempt, bool serves = false) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const auto result =
          consumer::enter_sandbox({root_.file("work")}, {root_.file("etc")}, serves);
      _exit(result.complete() ? attempt() : kIncomplete);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // The same for a call that returns -1 and sets errno.
  int errno_of(const std::function<long()>& call, bool serves = false) {
    return errno_in_sandbox([&] { return call() == -1 ? errno : 0; }, serves);
  }

  TemporaryDirectory root_;
};

TEST_F(Sandbox, StartsNoProgramAndNoProcess) {
  char* const none[] = {nullptr};
  EXPECT_EQ(errno_of([&] { return execve("/bin/true", none, none); }), kDeadly);
  EXPECT_EQ(errno_of([&] { return syscall(SYS_execveat, -1, "/bin/true", none, none, 0); }),
            kDeadly);
  if (consumer::kSanitizerBuild) return;  // LeakSanitizer runs in its own process
#ifdef SYS_fork                           // AArch64 has only clone
  EXPECT_EQ(errno_of([] { return syscall(SYS_fork); }), EPERM);
#endif
  EXPECT_EQ(errno_of([] { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0L); }),
            EPERM);
}

TEST_F(Sandbox, OpensNoConnection) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    EXPECT_EQ(errno_of([family] { return socket(family, SOCK_STREAM, 0); }), EPERM) << family;
  }
  if (consumer::kSanitizerBuild) return;
  EXPECT_EQ(errno_of([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(errno_of([] { return syscall(SYS_ptrace, 16L, getppid(), 0L, 0L); }), kDeadly);
  EXPECT_EQ(errno_of([] { return syscall(SYS_process_vm_writev, getppid(), 0L, 0L, 0L, 0L, 0L); }),
            kDeadly);
}

TEST_F(Sandbox, AnswersOnAListeningSocketButOpensNoConnection) {
  const auto listening = consumer::parse_listening_address("127.0.0.1:1");
  sockaddr_in address{};
  std::memcpy(&address, &listening->address, sizeof address);
  address.sin_port = 0;  // any free port
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof address;
  const consumer::UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const consumer::UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const consumer::UniqueFd idle(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(server.get(), any, bytes), 0);
  ASSERT_EQ(listen(server.get(), 1), 0);
  ASSERT_EQ(getsockname(server.get(), any, &bytes), 0);
  ASSERT_EQ(connect(client.get(), any, bytes), 0);
  EXPECT_EQ(errno_of(
                [&] {
                  const int fd = accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC);
                  return fd < 0 ? fd : send(fd, "x", 1, MSG_NOSIGNAL);
                },
                true),
            0);
  EXPECT_EQ(errno_of([&] { return connect(idle.get(), any, bytes); }, true), EPERM);
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    EXPECT_EQ(errno_of([family] { return socket(family, SOCK_STREAM, 0); }, true), EPERM);
  }
}

TEST_F(Sandbox, ReadsTheDirectoryOfItsConfigurationAndChangesNothingThere) {
  const std::string file = root_.file("etc/file");
  EXPECT_EQ(errno_of([&] { return open(file.c_str(), O_RDONLY); }), 0);
  EXPECT_EQ(errno_of([&] { return open(file.c_str(), O_WRONLY); }), EACCES);
  EXPECT_EQ(errno_of([&] { return open((file + "2").c_str(), O_WRONLY | O_CREAT, 0600); }), EACCES);
  EXPECT_EQ(errno_of([&] { return unlink(file.c_str()); }), EACCES);
  EXPECT_EQ(errno_of([&] { return rename(file.c_str(), root_.file("work/file").c_str()); }),
            EACCES);
}

TEST_F(Sandbox, LeavesOtherDirectoriesAlone) {
  const std::string outside = root_.file("outside");
  const std::string link = root_.file("work/link");
  std::filesystem::create_symlink(outside, link);
  for (const std::string& path : {outside, link}) {
    EXPECT_EQ(errno_of([&] { return open(path.c_str(), O_WRONLY); }), EACCES) << path;
  }
  EXPECT_EQ(errno_of([&] { return open(root_.file("new").c_str(), O_WRONLY | O_CREAT, 0600); }),
            EACCES);
  EXPECT_EQ(errno_of([&] { return unlink(outside.c_str()); }), EACCES);
  EXPECT_NE(errno_of([&] { return rename(outside.c_str(), root_.file("work/in").c_str()); }), 0);
  EXPECT_NE(errno_of([&] { return symlink("/", root_.file("work/root").c_str()); }), 0);
  EXPECT_NE(errno_of([&] { return mkdir(root_.file("work/sub").c_str(), 0700); }), 0);
  EXPECT_NE(errno_of([&] { return chmod(outside.c_str(), 0666); }), 0);
  if (consumer::kSanitizerBuild) return;  // the sanitizer's process can read everything
  EXPECT_EQ(errno_of([] { return open("/etc/passwd", O_RDONLY); }), EACCES);
  EXPECT_EQ(errno_of([] { return open("/proc/self/maps", O_RDONLY); }), EACCES);
}

TEST_F(Sandbox, CreatesNoCodeAndNoFurtherIoUring) {
  EXPECT_EQ(errno_of([] { return syscall(SYS_io_uring_setup, 1L, nullptr); }), EPERM);
  EXPECT_EQ(errno_of([] { return prctl(PR_SET_DUMPABLE, 1); }),
            consumer::kSanitizerBuild ? 0 : EPERM);
  if (consumer::kSanitizerBuild) return;  // sanitizer runtimes map memory as they need
  EXPECT_EQ(errno_of([] {
              return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                          0) == MAP_FAILED
                         ? -1
                         : 0;
            }),
            EPERM);
}

TEST_F(Sandbox, HoldsNoCapability) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a user with capabilities to lose";
  // Not through the C library, which would make every thread call it, including a sanitizer's.
  EXPECT_EQ(errno_of([] { return syscall(SYS_setuid, 1L); }), EPERM);
  const pid_t child = fork();
  if (child == 0) {
    if (!consumer::drop_capabilities().empty()) _exit(1);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capget, &header, held) != 0) _exit(2);
    for (const auto& part : held) {
      if ((part.effective | part.permitted | part.inheritable) != 0) _exit(3);
    }
    _exit(prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) == 0 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Sandbox, PermitsWorkInItsDirectories) {
  EXPECT_EQ(errno_in_sandbox([&] {
              const std::string from = root_.file("work/a");
              const std::string to = root_.file("work/b");
              const int fd = open(from.c_str(), O_RDWR | O_CREAT | O_EXCL, 0640);
              if (fd < 0 || fallocate(fd, 0, 0, 8192) != 0 || ftruncate(fd, 4096) != 0) return 1;
              void* const place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
              if (place == MAP_FAILED || pwrite(fd, "x", 1, 0) != 1 || fsync(fd) != 0) return 2;
              if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
                return 3;
              }
              int count = 0;
              for (const auto& entry : std::filesystem::directory_iterator(root_.file("work"))) {
                count += entry.is_regular_file() ? 1 : 0;
              }
              if (count != 1 || unlink(to.c_str()) != 0) return 4;
              bool ran = false;
              std::thread([&ran] { ran = true; }).join();
              return ran ? 0 : 5;
            }),
            0);
}

TEST(LastingDirectory, IsTheParentOfADirectoryThatThisUserCanRecreate) {
  const TemporaryDirectory root;
  const std::string work = root.file("work");
  std::filesystem::create_directory(work);
  std::filesystem::create_directory_symlink("work", root.file("link"));
  EXPECT_EQ(consumer::lasting_directory(work), root.path());
  EXPECT_EQ(consumer::lasting_directory(root.file("link")), root.path());
  EXPECT_EQ(consumer::lasting_directory("/tmp"), "/tmp") << "its parent is the root";
  EXPECT_EQ(consumer::lasting_directory("/proc/self/task"), "/proc/self/task") << "cannot be made";
  EXPECT_EQ(consumer::lasting_directory(root.file("none")), root.file("none"));
  struct statx info {};
  ASSERT_EQ(statx(AT_FDCWD, "/dev/shm", 0, STATX_TYPE, &info), 0);
  if ((info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    EXPECT_EQ(consumer::lasting_directory("/dev/shm"), "/dev/shm") << "a mount point stays";
  }
}

TEST_F(Sandbox, AppliesToARecreatedDirectory) {
  const std::string work = root_.file("work");
  const int inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify, 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const consumer::Log log(false);
    consumer::Options options;
    options.sandbox = consumer::SandboxChoice::kOn;
    if (!consumer::enter_sandbox_by_choice(options, {work}, {}, log)) _exit(1);
    if (raise(SIGSTOP) != 0) _exit(2);
    const int fd = open((work + "/file").c_str(), O_RDWR | O_CREAT | O_EXCL, 0640);
    if (fd < 0 || write(fd, "x", 1) != 1) _exit(3);
    _exit(inotify_add_watch(inotify, work.c_str(), IN_CREATE) >= 0 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status)) << status;
  std::filesystem::remove_all(work);
  std::filesystem::create_directory(work);
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(inotify);
}

TEST(RestrictedRing, TakesNothingButWrites) {
  std::string why;
  const auto io = consumer::make_uring_io(4, &why);
  if (io == nullptr) GTEST_SKIP() << why;
  int ring = -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone).string().find("io_uring") != std::string::npos) {
      ring = std::stoi(entry.path().filename());
    }
  }
  ASSERT_GE(ring, 0);
  constexpr unsigned kRegisterFiles = 2;
  int fds[1] = {0};
  EXPECT_EQ(syscall(SYS_io_uring_register, ring, kRegisterFiles, fds, 1), -1);
  EXPECT_EQ(errno, EACCES);
}

std::string status_line(pid_t pid, const std::string& key) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  }
  return {};
}

class SandboxedConsumerd : public testing::TestWithParam<const char*> {};

// Everything that consumerd does: threads, packing, rotation, both ways of writing, signals.
TEST_P(SandboxedConsumerd, DrainsRotatesAndPacks) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 1);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path(), "--sandbox", "auto", "-v",
                              "--pack", "--keep-files", "100", "--io", GetParam()});
  service.publish(0, 1000);
  const auto written = [&] { return service.ring(0).consumer.written_pos.load() / 16; };
  ASSERT_TRUE(comes_true([&] { return written() == 1000; })) << consumerd.error_output();
  EXPECT_EQ(status_line(consumerd.pid(), "NoNewPrivs"), "1");
  EXPECT_EQ(status_line(consumerd.pid(), "Seccomp"), "2");
  EXPECT_EQ(status_line(consumerd.pid(), "CapPrm"), "0000000000000000");
  consumerd.signal(SIGHUP);
  ASSERT_TRUE(comes_true([&] { return out.names_with(".ringtrace").size() == 2; }));
  service.publish(0, 500);
  ASSERT_TRUE(comes_true([&] { return out.names_with(".0.ringtrace.zst").size() == 1; }))
      << consumerd.error_output();
  service.die();
  ASSERT_TRUE(comes_true([&] { return shm.names_with("svc").empty(); }));
  ASSERT_TRUE(comes_true([&] { return out.names_with(".1.ringtrace.zst").size() == 1; }));
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_EQ(consumerd.error_output().find("cannot"), std::string::npos) << consumerd.error_output();
  for (const auto& entry : std::filesystem::directory_iterator(out.path())) {
    struct stat info {};
    ASSERT_EQ(lstat(entry.path().c_str(), &info), 0);
    EXPECT_TRUE(S_ISREG(info.st_mode)) << entry.path();
    EXPECT_EQ(info.st_mode & 07777 & ~0640U, 0U) << entry.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Io, SandboxedConsumerd, testing::Values("auto", "pwrite"));

TEST(SandboxChoice, AutoReportsWhatTheKernelLacksAndOnRefuses) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 1);
  service.publish(0, 100);
  ConsumerdProcess strict({"-o", out.path(), "--shm-dir", shm.path(), "--sandbox", "on"},
                          LANDLOCK_LAUNCHER_PATH);
  EXPECT_EQ(strict.wait(), 1);
  EXPECT_NE(strict.error_output().find("landlock"), std::string::npos) << strict.error_output();
  EXPECT_NE(strict.error_output().find("--sandbox auto"), std::string::npos);
  EXPECT_EQ(service.ring(0).consumer.consumer_pos.load(), 0U);
  ConsumerdProcess lenient({"-o", out.path(), "--shm-dir", shm.path(), "--once"},
                           LANDLOCK_LAUNCHER_PATH);
  EXPECT_EQ(lenient.wait(), 0) << lenient.error_output();
  EXPECT_EQ(occurrences(lenient.error_output(), "sandbox"), 1U) << lenient.error_output();
  EXPECT_EQ(occurrences(lenient.error_output(), "landlock"), 1U) << lenient.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "svc"), 1, 100));
}

TEST(SandboxChoice, OffChangesNothing) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path(), "--sandbox", "off", "-v"});
  ASSERT_TRUE(
      comes_true([&] { return consumerd.error_output().find("watching") != std::string::npos; }));
  EXPECT_EQ(status_line(consumerd.pid(), "Seccomp"), status_line(getpid(), "Seccomp"));
  EXPECT_EQ(consumerd.terminate(), 0);
}

TEST(SandboxChoice, ReportsThatADirectoryNeedsCapabilities) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a user with capabilities to lose";
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ASSERT_EQ(chown(out.path().c_str(), 65534, 65534), 0);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  EXPECT_EQ(consumerd.wait(), 1);
  EXPECT_NE(consumerd.error_output().find("capabilities"), std::string::npos)
      << consumerd.error_output();
}

}  // namespace
}  // namespace ringside::consumer_test
