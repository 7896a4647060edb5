#pragma once
// A disk with a volatile cache: what was written and not synced may be on the medium, or not, in
// any order and combination of sectors; the same holds for lengths and names of files. Files keep
// their real contents, as a page cache does; this records what a loss of power may leave of them.
//
// It replaces the io_uring of the staging slots (a WriteQueue), and the system calls that write,
// sync, create and rename files, in the program that links this file. One per process. It has its
// own clock: a sleep advances it, so nothing waits here.

#include <cstdint>
#include <memory>
#include <string>

#include "consumerd/write/write_queue.hpp"

namespace ringside::consumer_test {

class PowerLossDisk {
 public:
  // Begins anew with the files below `directory`, which is empty.
  static void begin(std::uint64_t seed, const std::string& directory);
  static void end();

  // Per mille of the syncs, and of the writes, that fail. After a failed sync, or a failed
  // write-back in the background, pages count as clean, whether they are on the medium or not.
  static void fail(unsigned permille);

  static std::unique_ptr<consumer::WriteQueue> make_queue();

  static void advance_ns(std::int64_t ns);
  // How long the oldest byte has waited that no sync covers, not even one under way. 0: there is
  // none.
  static std::int64_t oldest_unsynced_ns();
  static std::uint64_t syncs();

  // The process that wrote is gone: what it had submitted is done, or not.
  static void drop_queue();
  // Creates in `image` what a loss of power at this moment leaves.
  static void lose_power(const std::string& image);
};

}  // namespace ringside::consumer_test
