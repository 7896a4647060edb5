// The input of the compression study: records of one statement as they are stored in a ring.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::perf {

enum class ArgumentType { kInt, kLong, kDouble, kString };

enum class Entropy {
  kRandom,      // numbers of the range, or letters, all equally likely
  kSequential,  // numbers: each is the previous one plus 1
  kZipf,        // numbers and letters: few are frequent
  kWords,       // sentences of the 1,000 most frequent words of a made-up language
  kRecurring,   // one of 1,000 texts, few of them frequent
  kConstant,
};

struct StudyCase {
  std::string name;
  ArgumentType type = ArgumentType::kInt;
  Entropy entropy = Entropy::kRandom;
  unsigned arguments = 1;
  unsigned bits = 16;      // of numbers: the maximum
  unsigned letters = 0;    // of texts
  bool in_source = false;  // one of the 93 of NanoLog's chapter 8
};

// The 93 cases of the source, then contents of logs that they omit.
std::vector<StudyCase> study_cases();

struct RingBytes {
  std::vector<std::byte> bytes;
  std::size_t records = 0;
};

// Records of site kStudySite with the arguments of `which`, about `size` bytes in total; the same
// in each run. Their clock advances by 20 to 50 ticks each, as back-to-back log calls do.
inline constexpr unsigned kStudySite = 5;
inline constexpr std::size_t kStudyStartTick = 1 << 20;
RingBytes make_ring_bytes(const StudyCase& which, std::size_t size);

}  // namespace ringside::perf
