#pragma once
// Starts other programs: the one launcher of all measuring programs.

#include <csignal>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace ringside::perf {

// A descriptor that programs started later do not inherit.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset(int fd);
  void close() { reset(-1); }

 private:
  int fd_;
};

struct Pipe {
  Pipe();  // both ends are closed if there is none

  Descriptor read;
  Descriptor write;
};

// Discards what is written, and has nothing to read.
Descriptor null_device();

struct Launch {
  std::vector<std::string> command;           // a program without a '/' is searched in PATH
  std::vector<std::string> environment = {};  // NAME=VALUE words, added to this process's own
  int cpu = -1;                               // the only processor; -1: all of this process
  // Descriptors that become its standard streams; -1: the stream of this process.
  int input = -1;
  int output = -1;
  int errors = -1;
  bool leads_group = false;  // of processes, so that a signal can reach all that it starts
  int end_signal = SIGTERM;  // sent when its ChildProcess, or this process, ends
};

// A running program. The destructor ends it and waits for it.
class ChildProcess {
 public:
  explicit ChildProcess(const Launch& launch);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }  // -1: not started
  bool runs();
  // To the program, or to its group if it leads one.
  void send(int signal) const;
  // Waits for the end. Returns the exit status, or 128 + signal; 127 if it could not be started.
  int wait();
  // Sends the signal for the end, and waits.
  int terminate();
  // Processor time and memory of the program, after its end.
  const rusage& usage() const { return usage_; }

 private:
  bool reap(int options);

  pid_t pid_ = -1;
  bool leads_group_ = false;
  int end_signal_ = SIGTERM;
  int status_ = -1;  // as wait() returns it; -1: has not ended
  rusage usage_{};
};

}  // namespace ringside::perf
