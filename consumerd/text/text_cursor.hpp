#pragma once
// What a service's text file has, stored in the output directory beside the traces, so that the
// next consumerd continues where this one was killed.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/text/segment_position.hpp"

namespace ringside::consumer {

// The text file has its first `bytes` bytes from exactly the events before `segments`.
struct TextState {
  std::uint64_t device = 0;  // 0 with inode 0: there is no file yet
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::uint64_t begun_unix_s = 0;  // when the file was created
  std::vector<SegmentPosition> segments;
};

// Two files, `.<service>.text-cursor.0` and `.1`, written in turn: whatever is interrupted, one of
// them is whole, and both are true. Not thread-safe.
class TextCursor {
 public:
  TextCursor(std::string output_dir, const std::string& service);

  // Reads the newer one of the two; `*state` is empty if there is none. From then on no other
  // process can load the cursor, as long as this object lives. False with `*why`.
  bool load(TextState* state, std::string* why);
  // After load(). False with `*why`; the stored state is then the one before.
  bool store(const TextState& state, std::string* why);

 private:
  std::string name_of(std::uint64_t generation) const;

  const std::string output_dir_;
  const std::string stem_;
  UniqueFd lock_;                 // a file of its own: stores open the others
  std::uint64_t generation_ = 0;  // of the stored one
};

}  // namespace ringside::consumer
