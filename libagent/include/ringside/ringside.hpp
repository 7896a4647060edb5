#pragma once
// Ringside for C++20: tracing at the cost of reading the clock.
//
//   RS_INFO("order %u filled at %.2f", id, price);
//
// copies the arguments into the calling thread's ring in shared memory. A separate process,
// consumerd, writes them to a trace file; ringcat prints it. Every function here may be called
// from any thread at any time. The log macros may also be used in signal handlers, static
// constructors and destructors. Nothing throws, exits or aborts.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "abi.h"
#include "statement.hpp"

namespace ringside {

enum class Level : std::uint8_t {
  trace = RS_LEVEL_TRACE,
  debug = RS_LEVEL_DEBUG,
  info = RS_LEVEL_INFO,
  notice = RS_LEVEL_NOTICE,
  warning = RS_LEVEL_WARNING,
  error = RS_LEVEL_ERROR,
  critical = RS_LEVEL_CRITICAL,
  off = RS_LEVEL_OFF,
};

enum class Overflow : std::uint8_t {
  block = 0,  // wait for space, at most block_timeout; then drop and count
  drop = 1,   // drop the newest record and count
  // Flight recorder: the newest records of each thread stay in its ring, the oldest give way, and
  // nobody ever waits. They reach a trace file by `ringctl snapshot` and when the process ends.
  overwrite = 2,
};

enum class Clock : std::uint8_t {
  tsc = 0,       // every record is stamped by the thread that logs
  consumer = 1,  // records are stamped when the consumer reads them
};

// All have defaults, and the environment overrides them: RINGSIDE_SERVICE, RINGSIDE_SHM_DIR,
// RINGSIDE_RING_BYTES, RINGSIDE_MAX_THREADS, RINGSIDE_OVERFLOW, RINGSIDE_BLOCK_TIMEOUT_MS,
// RINGSIDE_LEVEL, RINGSIDE_CLOCK, RINGSIDE_COST_SAMPLING, RINGSIDE_DISABLE.
struct Options {
  std::string service;                  // default: the executable's name
  std::string shm_dir = "/dev/shm";     // where the segment is created
  std::uint64_t ring_bytes = 1U << 20;  // per thread; a power of two, 64 KiB to 4 GiB
  std::uint32_t max_threads = 1024;     // rings; threads beyond it are not traced, but counted
  Overflow overflow = Overflow::block;
  std::chrono::milliseconds block_timeout{100};
  Level level = Level::trace;
  Clock clock = Clock::tsc;
  std::uint32_t mode = 0600;  // of the segment; 0660 lets a consumerd of the same group in
  // One in about so many log calls of each thread is measured, up to 1,000,000,000; 0: none.
  // ringstat shows what they cost. With 8192 calls get dearer by 1 to 2 %.
  std::uint32_t cost_sampling = 0;
};

enum class State : std::uint8_t {
  idle,      // nothing has been logged yet
  live,      // a segment exists
  disabled,  // by RINGSIDE_DISABLE
  failed,    // no segment could be made; records are counted as refused, and tried again
};

struct Status {
  State state = State::idle;
  std::string message;        // empty, or what happened, where, and the remedy
  std::string segment_path;   // empty unless live
  std::uint64_t dropped = 0;  // records that found no space in their ring
  std::uint64_t refused = 0;  // records that found no ring or no segment
};

// Names and numbers of trace files and tools.
enum class LossCause : std::uint8_t {
  any = RS_LOSS_ANY,                            // all below together, but for too_large
  ring_full = RS_LOSS_RING_FULL,                // a live consumer was too slow
  no_consumer = RS_LOSS_NO_CONSUMER,            // the ring was full, no consumer has moved since
  no_ring = RS_LOSS_NO_RING,                    // more threads than rings
  no_shared_memory = RS_LOSS_NO_SHARED_MEMORY,  // for a segment, a ring or the dictionary
  dictionary_full = RS_LOSS_DICTIONARY_FULL,    // the statement could not be registered
  quarantined = RS_LOSS_QUARANTINED,            // the consumer had given the ring up
  too_large = RS_LOSS_TOO_LARGE,                // recorded, strings were cut: no loss of a record
};

// Creates the segment now instead of at the first log call. Returns what status() returns then;
// a second call changes nothing. Blocks for a few milliseconds at most.
RS_EXPORT Status init(const Options& options = {}) noexcept;

// Takes a ring for the calling thread and touches its memory, so that its first log call costs
// no more than any other. False if there is none (see status()).
RS_EXPORT bool preallocate() noexcept;

// Waits until everything that was recorded before the call, by any thread, is in the trace
// file. False if that did not happen within `timeout`, for instance because no consumerd runs; at
// once with Overflow::overwrite.
RS_EXPORT bool flush(std::chrono::milliseconds timeout) noexcept;

// Switches every statement below `level` off and the others on, whether they ran before or not.
RS_EXPORT void set_level(Level level) noexcept;

RS_EXPORT Status status() noexcept;

// How many records of this process are lost for this cause, since its start (in the child of a
// fork, since the fork), over all threads, those that ended included. Only reads; takes a lock, so
// not for signal handlers. What a consumer gave up on is not among it, nor what it wrote late.
RS_EXPORT std::uint64_t losses(LossCause cause = LossCause::any) noexcept;

}  // namespace ringside

// RS_LOG(level, format, arguments...) records a message at a constant level. The format is a
// string literal with printf's conversions, checked against the arguments at compile time. The
// arguments are evaluated only while the statement is switched on. Not for constexpr functions.
#define RS_LOG(level_, ...) RS_STATEMENT_(level_, 0, __VA_ARGS__)

// The same without reading the clock: the consumer stamps the record when it reads it. For loops
// where even the clock is too dear; times are then as coarse as the consumer's polls. The option
// `clock` does this to every statement.
#define RS_LOG_CONSUMER_CLOCK(level_, ...) \
  RS_STATEMENT_(level_, RS_SITE_CONSUMER_CLOCK, __VA_ARGS__)

#define RS_STATEMENT_(level_, flags_, ...) \
  RS_STATEMENT_OF_(level_, flags_, #__VA_ARGS__, __VA_ARGS__)
#define RS_STATEMENT_OF_(level_, flags_, arguments_, ...)                                        \
  do {                                                                                           \
    [[maybe_unused]] static constexpr const char* rs_function_ = __builtin_FUNCTION();           \
    struct RsText {                                                                              \
      static constexpr ::ringside::detail::StatementText text() {                                \
        return {"" RS_FIRST_(__VA_ARGS__, ),       __FILE__, rs_function_, arguments_, __LINE__, \
                static_cast<std::uint8_t>(level_), flags_};                                      \
      }                                                                                          \
    };                                                                                           \
    if (const std::uint8_t rs_state_ = ::ringside::detail::Statement<RsText>::enabled()) {       \
      ::ringside::detail::Statement<RsText>::record(rs_state_, __VA_ARGS__);                     \
    }                                                                                            \
  } while (0)
#define RS_FIRST_(first, ...) first

#define RS_TRACE(...) RS_LOG(RS_LEVEL_TRACE, __VA_ARGS__)
#define RS_DEBUG(...) RS_LOG(RS_LEVEL_DEBUG, __VA_ARGS__)
#define RS_INFO(...) RS_LOG(RS_LEVEL_INFO, __VA_ARGS__)
#define RS_NOTICE(...) RS_LOG(RS_LEVEL_NOTICE, __VA_ARGS__)
#define RS_WARNING(...) RS_LOG(RS_LEVEL_WARNING, __VA_ARGS__)
#define RS_ERROR(...) RS_LOG(RS_LEVEL_ERROR, __VA_ARGS__)
#define RS_CRITICAL(...) RS_LOG(RS_LEVEL_CRITICAL, __VA_ARGS__)
