#pragma once
/// @file
/// Ringside for C++17 and later: tracing at the cost of reading the clock.
///
///     RS_INFO("order %u filled at %.2f", id, price);
///
/// copies the arguments into the calling thread's ring in shared memory. A separate process,
/// consumerd, writes them to a trace file; ringcat prints it. Every function here can be called
/// from any thread at any time. The log macros can also be used in signal handlers, static
/// constructors and destructors. Nothing throws, exits or aborts.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error \
    "<ringside/ringside.hpp> needs C++17; with C++11 and C++14, <ringside/ringside.h> has the C interface"
#else

#include "required_platform.h"
// Before all others.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "abi.h"
#include "log.hpp"

/// The interface for C++.
namespace ringside {

/// Severity of a statement, and threshold. See enum rs_level.
enum class Level : std::uint8_t {
  trace = RS_LEVEL_TRACE,        ///< every step
  debug = RS_LEVEL_DEBUG,        ///< detail for developers
  info = RS_LEVEL_INFO,          ///< normal operation
  notice = RS_LEVEL_NOTICE,      ///< normal, but worth attention
  warning = RS_LEVEL_WARNING,    ///< unexpected; the service continues
  error = RS_LEVEL_ERROR,        ///< an operation failed
  critical = RS_LEVEL_CRITICAL,  ///< the service cannot continue as intended
  off = RS_LEVEL_OFF,            ///< as a threshold: nothing is recorded
};

/// What happens when a thread's ring is full.
enum class Overflow : std::uint8_t {
  /// Wait for space, at most live_consumer_timeout while a consumer lives, else absent_timeout;
  /// then
  /// drop and count.
  block = 0,
  drop = 1,  ///< drop the newest record and count
  /// Flight recorder: the newest records of each thread stay in its ring, the oldest are
  /// overwritten, and no thread waits. `ringctl snapshot` writes them to a file, and so does
  /// consumerd when the process ends.
  overwrite = 2,
};

/// Where the time of a record comes from.
enum class Clock : std::uint8_t {
  tsc = 0,       ///< the log call reads the clock
  consumer = 1,  ///< the consumer sets the time when it reads the record
};

/// Whether the library handles SIGBUS, which another process raises in this one by truncating the
/// segment.
enum class TruncationGuard : std::uint8_t {
  when_shared = 0,  ///< only if `mode` lets the group write to the segment
  on = 1,           ///< always
  off = 2,          ///< never: the process ends by SIGBUS
};

/// For Options::block_timeout and Options::live_consumer_timeout: wait as long as a consumer lives.
inline constexpr std::chrono::milliseconds forever = std::chrono::milliseconds::max();

/// Options of init(). All have defaults. The environment overrides them: RINGSIDE_SERVICE,
/// RINGSIDE_SHM_DIR, RINGSIDE_RING_BYTES, RINGSIDE_MAX_THREADS, RINGSIDE_OVERFLOW,
/// RINGSIDE_BLOCK_TIMEOUT_MS, RINGSIDE_ABSENT_TIMEOUT_MS, RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS,
/// RINGSIDE_LEVEL, RINGSIDE_CLOCK, RINGSIDE_MODE, RINGSIDE_GROUP, RINGSIDE_COST_SAMPLING,
/// RINGSIDE_TRUNCATION_GUARD, RINGSIDE_DISABLE.
struct Options {
  std::string service;                  ///< name of the service; default: the executable's name
  std::string shm_dir = "/dev/shm";     ///< directory of the segment
  std::uint64_t ring_bytes = 1U << 20;  ///< per thread; a power of two, 4 KiB to 4 GiB
  std::uint32_t max_threads = 1024;     ///< rings; records of further threads count as lost
  Overflow overflow = Overflow::block;  ///< what happens when a ring is full
  /// Bound of Overflow::block without a consumer, unless absent_timeout is set. `forever`: no
  /// record is dropped while a consumer lives, even if it is stopped or its disk is full.
  std::chrono::milliseconds block_timeout{100};
  Level level = Level::trace;  ///< statements below it are disabled
  Clock clock = Clock::tsc;    ///< where the time of a record comes from
  /// Mode of the segment, for any umask: 0600, 0640, 0644, 0660 or 0664. 0660 lets a consumerd
  /// of `group` drain it, 0640 lets ringstat read it.
  std::uint32_t mode = 0600;
  /// Measure about one in this many log calls of each thread, up to 1,000,000,000; 0: none.
  /// ringstat shows what they cost. At 8192 the overhead is 1 to 2 %.
  std::uint32_t cost_sampling = 0;
  /// Group of the segment: a number, or a name in /etc/group. Default: what new files in shm_dir
  /// get. The process must be a member of it; if not, there is no segment.
  std::string group;
  /// Bound of Overflow::block with a live consumer, which can be busy or stopped. It is never less
  /// than the bound without one. `forever` has the same effect as in block_timeout.
  std::chrono::milliseconds live_consumer_timeout{10000};
  /// Whether the process survives the truncation of its segment by another one.
  TruncationGuard truncation_guard = TruncationGuard::when_shared;
  /// Bound of Overflow::block without a consumer, from when one was last alive. -1: block_timeout,
  /// or 100 ms if that is `forever`. Never unlimited.
  std::chrono::milliseconds absent_timeout{-1};
  /// How old a thread's last check of its processor may be when it logs; one hour at most. A check
  /// costs a log call some tens of nanoseconds. 0: each log call checks; negative: no processors
  /// are recorded.
  std::chrono::milliseconds processor_interval{10};
};

/// State of the library in this process.
enum class State : std::uint8_t {
  idle,      ///< nothing has been logged yet
  live,      ///< a segment exists
  disabled,  ///< by RINGSIDE_DISABLE
  failed,    ///< no segment could be created; records are counted as refused; log calls try again
};

/// What status() and init() return.
struct Status {
  State state = State::idle;  ///< state of the library
  std::string message;        ///< empty, or what failed, why, and what to do
  std::string segment_path;   ///< empty unless live
  std::uint64_t dropped = 0;  ///< records that found no space in their ring
  std::uint64_t refused = 0;  ///< records that found no ring or no segment
};

/// Why records are lost. Names and numbers are those of trace files and tools.
enum class LossCause : std::uint8_t {
  any = RS_LOSS_ANY,                            ///< sum of all causes, without too_large
  ring_full = RS_LOSS_RING_FULL,                ///< a live consumer was too slow
  no_consumer = RS_LOSS_NO_CONSUMER,            ///< the ring was full, no consumer made progress
  no_ring = RS_LOSS_NO_RING,                    ///< more threads than rings
  no_shared_memory = RS_LOSS_NO_SHARED_MEMORY,  ///< for a segment, a ring or the dictionary
  dictionary_full = RS_LOSS_DICTIONARY_FULL,    ///< the statement could not be registered
  quarantined = RS_LOSS_QUARANTINED,            ///< the consumer had quarantined the ring
  too_large = RS_LOSS_TOO_LARGE,                ///< recorded, but strings were cut
  abandoned = RS_LOSS_ABANDONED,                ///< a signal handler left the log call
};

/// Creates the segment now instead of at the first log call.
///
/// Optional. Options apply only if nothing has been logged yet; a second call changes nothing.
/// Call it before a signal handler that logs is installed.
///
/// @param options  see Options; RINGSIDE_ variables override them
/// @return what status() returns then. On failure, `state` is State::failed and `message` has the
/// reason and the remedy; it is also reported on standard error once. Log calls try again.
/// @par Thread safety
/// Can be called from any thread; not in a signal handler. Blocks for a few milliseconds at most.
RS_EXPORT Status init(const Options& options = {}) noexcept;

/// Takes a ring for the calling thread and touches all its memory, so that its first log call costs
/// no more than any other, and no log call makes a system call for memory.
///
/// Optional. Creates the segment if there is none. Log calls of the thread then never wake a
/// sleeping consumerd, which therefore does not sleep while the thread lives: an idle consumerd
/// uses some percent of a processor more.
///
/// @return false if there is no ring or not enough memory (see status()); log calls try again
/// @par Thread safety
/// Can be called from any thread.
RS_EXPORT bool preallocate() noexcept;

/// Waits until everything that any thread recorded before the call is in the trace file.
///
/// @param timeout  how long to wait
/// @return false if not all is written within the time, for instance because no consumerd runs; at
/// once with Overflow::overwrite
/// @par Thread safety
/// Can be called from any thread. Log calls of other threads continue.
RS_EXPORT bool flush(std::chrono::milliseconds timeout) noexcept;

/// Waits until everything that any thread recorded before the call survives a crash of the
/// machine: it is in trace files, and consumerd has synced these to the disk.
///
/// This works with any `consumerd --sync`; a call takes as long as the disk.
///
/// @param timeout  how long to wait
/// @return false if not all is durable within the time; at once if the consumerd that serves the
/// process is too old for this, and with Overflow::overwrite. If a sync has failed, false for each
/// call that began before one has returned false for it: records from before may be missing after a
/// crash then, even if later calls return true.
/// @par Thread safety
/// Can be called from any thread. Log calls of other threads continue.
RS_EXPORT bool flush_durable(std::chrono::milliseconds timeout) noexcept;

/// Asks consumerd to continue the trace of this process in a new file.
///
/// Call flush() first if everything that was recorded before must be in the earlier file.
///
/// @param timeout  how long to wait for the new file; 0: not at all
/// @return false if there is no segment, or if the new file does not exist within the time, for
/// instance because no consumerd runs. The next consumerd answers the request then. With a timeout
/// of 0 true if the request was made.
/// @par Thread safety
/// Can be called from any thread; not in a signal handler. Log calls of other threads continue.
RS_EXPORT bool rotate(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) noexcept;

/// Disables every statement below a level and enables all others, whether they ran before or not.
///
/// Replaces earlier changes of single statements.
///
/// @param level  Level::off disables all statements
/// @par Return value
/// None. Log calls see the change at once.
/// @par Thread safety
/// Can be called from any thread; not in a signal handler.
RS_EXPORT void set_level(Level level) noexcept;

/// The level in force: of set_level(), of Options and RINGSIDE_LEVEL, or set by `ringctl level` or
/// a trigger, also for a limited time. Changes of single statements do not count.
///
/// @return statements below it are disabled; Level::off if RINGSIDE_DISABLE is set
/// @par Thread safety
/// Can be called from any thread; not in a signal handler.
RS_EXPORT Level level() noexcept;

/// Reports whether this process is traced, and why not.
///
/// @return see Status
/// @par Thread safety
/// Can be called from any thread; not in a signal handler.
RS_EXPORT Status status() noexcept;

/// Counts the records of this process that are lost for a cause.
///
/// Counts since the start of the process, in the child of a fork since the fork, over all threads,
/// ended ones included. Records that a consumer discarded or wrote late are not included.
///
/// @param cause  LossCause::any: all causes together
/// @return the number of records
/// @par Thread safety
/// Can be called from any thread. Takes a lock; not for signal handlers.
RS_EXPORT std::uint64_t losses(LossCause cause = LossCause::any) noexcept;

/// For a service with a handler of SIGBUS of its own, installed after the library's: survives the
/// access to a truncated segment.
///
/// Call it first in the handler, which must have SA_SIGINFO. Has no effect unless the truncation
/// guard is on (Options::truncation_guard).
///
/// @param info  the siginfo_t of the handler
/// @return true: the handler must return, and the interrupted log call continues; false: the signal
/// has nothing to do with Ringside
/// @par Thread safety
/// Can be called from any thread, in signal handlers.
RS_EXPORT bool handle_sigbus(const void* info) noexcept;

}  // namespace ringside

#endif
