// The system calls that a sandboxed consumerd may make. All others fail with EPERM and a line in
// the kernel's audit log: a call that this list lacks, or that a newer C library makes, is an error
// that is handled, and recording continues. Calls that only injected code would make end the
// process.

#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>

#include "consumerd/sandbox/sandbox.hpp"
#include "consumerd/sandbox/sanitizer_build.hpp"

namespace ringside::consumer {
namespace {

constexpr int kCalls[] = {
    // Files: landlock restricts which.
    SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(close), SCMP_SYS(read), SCMP_SYS(write),
    SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
    SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(fcntl), SCMP_SYS(getdents64), SCMP_SYS(unlink),
    SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
    SCMP_SYS(ftruncate), SCMP_SYS(fchmod), SCMP_SYS(fallocate), SCMP_SYS(fsync),
    SCMP_SYS(fdatasync), SCMP_SYS(utimensat),
    // For a directory of segments that was created again.
    SCMP_SYS(inotify_add_watch), SCMP_SYS(inotify_rm_watch),
    // Whether standard error accepts a message now.
    SCMP_SYS(poll),
    // The existing ring; no further one (io_uring_setup).
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
    // Memory; see below for mmap and mprotect.
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // Time, signals to itself, its own threads and their scheduling.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(futex), SCMP_SYS(futex_waitv),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(restart_syscall), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler), SCMP_SYS(setpriority),
    SCMP_SYS(ioprio_set), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    // Its identity, and random numbers.
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid), SCMP_SYS(getrandom), SCMP_SYS(getcpu)};

// To serve metrics on a socket that already listens. No other socket can be created or connected,
// so these calls reach only clients that have connected themselves.
constexpr int kServingCalls[] = {SCMP_SYS(accept4),     SCMP_SYS(recvfrom), SCMP_SYS(sendto),
                                 SCMP_SYS(sendmsg),     SCMP_SYS(shutdown), SCMP_SYS(setsockopt),
                                 SCMP_SYS(getsockname), SCMP_SYS(ppoll),    SCMP_SYS(eventfd2)};

// Neither consumerd nor its libraries ever need these calls: they start a program, or access
// another process or the kernel.
constexpr int kDeadlyCalls[] = {
    SCMP_SYS(execve),      SCMP_SYS(execveat),     SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(bpf),    SCMP_SYS(process_vm_writev),
    SCMP_SYS(kexec_load),  SCMP_SYS(pidfd_getfd),  SCMP_SYS(mount),  SCMP_SYS(perf_event_open),
    SCMP_SYS(unshare),     SCMP_SYS(setns),        SCMP_SYS(keyctl), SCMP_SYS(userfaultfd)};

// Needed by the runtimes of sanitizers to find leaks and to report.
constexpr int kSanitizerCalls[] = {
    SCMP_SYS(clone),       SCMP_SYS(ptrace),    SCMP_SYS(wait4),    SCMP_SYS(prctl),
    SCMP_SYS(sigaltstack), SCMP_SYS(pipe),      SCMP_SYS(pipe2),    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),  SCMP_SYS(mmap),      SCMP_SYS(mprotect), SCMP_SYS(kill),
    SCMP_SYS(tgkill),      SCMP_SYS(prlimit64), SCMP_SYS(ioctl),    SCMP_SYS(getrusage),
    SCMP_SYS(sysinfo),     SCMP_SYS(uname),     SCMP_SYS(getppid),  SCMP_SYS(open),
    SCMP_SYS(personality), SCMP_SYS(dup),       SCMP_SYS(dup2),     SCMP_SYS(getdents)};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ERRNO(EPERM)), &seccomp_release) {}

  void forbid(int call) { add(SCMP_ACT_KILL_PROCESS, call, 0, nullptr); }
  void allow(int call) { add(SCMP_ACT_ALLOW, call, 0, nullptr); }
  // `conditions`, all of which must hold: number of the argument, comparison, and operand.
  void allow_if(int call, std::initializer_list<scmp_arg_cmp> conditions) {
    add(SCMP_ACT_ALLOW, call, static_cast<unsigned>(conditions.size()), conditions.begin());
  }
  void answer(int call, int error) {
    add(SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0, nullptr);
  }

  // Returns 0 or an errno.
  int load() {
    if (context_ == nullptr) return ENOMEM;
    if (error_ != 0) return error_;
    // Uses a binary search; an older library keeps the list.
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_LOG, 1);
    return -seccomp_load(context_.get());
  }

 private:
  void add(std::uint32_t action, int call, unsigned count, const scmp_arg_cmp* conditions) {
    if (context_ == nullptr || error_ != 0) return;
    error_ = -seccomp_rule_add_array(context_.get(), action, call, count, conditions);
  }

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
  int error_ = 0;
};

void allow_narrowly(Filter& filter) {
  // Data never becomes code.
  filter.allow_if(SCMP_SYS(mmap), {{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}});
  filter.allow_if(SCMP_SYS(mprotect), {{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}});
  // Threads, not processes. A filter cannot see the arguments of clone3; without it, the library
  // uses clone.
  filter.allow_if(SCMP_SYS(clone), {{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD}});
  // abort() ends this process and no other.
  filter.allow_if(SCMP_SYS(tgkill), {{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()), 0}});
  // Its limits can be read, but not set.
  filter.allow_if(SCMP_SYS(prlimit64), {{2, SCMP_CMP_EQ, 0, 0}});
}

}  // namespace

std::string restrict_system_calls(bool serves) {
  Filter filter;
  for (const int call : kCalls) filter.allow(call);
  if (serves) {
    for (const int call : kServingCalls) filter.allow(call);
    filter.allow_if(SCMP_SYS(prctl), {{0, SCMP_CMP_EQ, PR_SET_NAME, 0}});  // of the calling thread
  }
  // The state of the system's clock can be read. To set it, a capability would be necessary.
  filter.allow_if(SCMP_SYS(clock_adjtime), {{0, SCMP_CMP_EQ, CLOCK_REALTIME, 0}});
  // For messages to a standard error that is a connected socket.
  filter.allow_if(SCMP_SYS(sendto), {{0, SCMP_CMP_EQ, STDERR_FILENO, 0}, {4, SCMP_CMP_EQ, 0, 0}});
  if (kSanitizerBuild) {
    for (const int call : kSanitizerCalls) filter.allow(call);
  } else {
    allow_narrowly(filter);
    for (const int call : kDeadlyCalls) filter.forbid(call);
  }
  filter.answer(SCMP_SYS(clone3), ENOSYS);
  const int error = filter.load();
  return error == 0 ? std::string() : "cannot install a seccomp filter: " + error_text(error);
}

}  // namespace ringside::consumer
