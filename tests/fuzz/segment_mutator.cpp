// Mutations of whole inputs would usually break the framing of the steps. This mutator changes one
// or two steps at a time: their bytes, place and time.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "tests/fuzz/segment_steps.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace ringside::fuzz;

// Every eighth mutation is unrestricted.
constexpr unsigned kAnyOneIn = 8;

struct Step {
  std::size_t offset = 0;  // offset of its head
  StepHead head;
  std::span<std::uint8_t> bytes;
};

std::vector<Step> steps_of(std::span<std::uint8_t> input) {
  std::vector<Step> steps;
  for_each_step(input.subspan(1), [&](const StepHead& head, std::span<std::uint8_t> bytes) {
    const auto offset = static_cast<std::size_t>(bytes.data() - input.data()) - sizeof head;
    steps.push_back({offset, head, bytes});
  });
  return steps;
}

// A word at which lengths and positions break, or one near the present word.
std::uint64_t word_near(std::uint64_t word, std::mt19937& dice) {
  const std::uint64_t power = std::uint64_t{1} << dice() % 64;
  switch (dice() % 6) {
    case 0:
      return power;
    case 1:
      return power - 1;
    case 2:
      return word + power;
    case 3:
      return word - power;
    case 4:
      return word + 8 * (dice() % 9) - 32;
    default:
      return ~word;
  }
}

void change_word(std::span<std::uint8_t> bytes, std::mt19937& dice) {
  if (bytes.size() < sizeof(std::uint64_t)) return;
  const std::size_t at = dice() % (bytes.size() / 4) * 4;
  std::uint64_t word = 0;
  if (at + sizeof word > bytes.size()) return;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  word = word_near(word, dice);
  std::memcpy(bytes.data() + at, &word, dice() % 2 == 0 ? sizeof word : sizeof word / 2);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 dice(seed);
  std::vector<Step> steps;
  if (size > 1) steps = steps_of({data, size});
  if (steps.empty() || dice() % kAnyOneIn == 0) return LLVMFuzzerMutate(data, size, max_size);
  const Step& step = steps[dice() % steps.size()];
  const auto store = [&](const Step& changed) {
    std::memcpy(data + changed.offset, &changed.head, sizeof changed.head);
  };
  Step changed = step;
  switch (dice() % 6) {
    case 0:  // one or more bytes
      if (!step.bytes.empty()) {
        LLVMFuzzerMutate(step.bytes.data(), step.bytes.size(), step.bytes.size());
      }
      break;
    case 1:
      changed.head.when = static_cast<std::uint8_t>(dice() % kLooks);
      store(changed);
      break;
    case 2:
      changed.head.kind = dice() % 4 == 0 ? kTruncate : std::uint8_t{0};
      store(changed);
      break;
    case 3:  // repeats the step later, with another word
      if (size + sizeof(StepHead) + step.bytes.size() <= max_size) {
        changed.offset = size;
        changed.head.bytes = static_cast<std::uint16_t>(step.bytes.size());
        changed.head.when = static_cast<std::uint8_t>(1 + dice() % (kLooks - 1));
        std::memcpy(data + size + sizeof(StepHead), step.bytes.data(), step.bytes.size());
        store(changed);
        size += sizeof(StepHead) + step.bytes.size();
        change_word({data + size - step.bytes.size(), step.bytes.size()}, dice);
      }
      break;
    default:
      change_word(step.bytes, dice);
      if (dice() % 2 == 0) change_word(steps[dice() % steps.size()].bytes, dice);
      break;
  }
  if (dice() % 16 == 0) data[0] ^= kKilled;
  return size;
}
