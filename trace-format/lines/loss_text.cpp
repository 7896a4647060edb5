#include "trace-format/lines/loss_text.hpp"

#include <fmt/format.h>

namespace ringside::trace {
namespace {

std::string_view cause_text(LossCause cause) {
  switch (cause) {
    case LossCause::kRingFull:
      return "the ring was full";
    case LossCause::kNoConsumer:
      return "no consumer ran";
    case LossCause::kSeveral:
      return "the ring was full, partly without a consumer";
    case LossCause::kMissing:
      return "missing in the file";
    case LossCause::kNoRing:
      return "more threads than rings";
    case LossCause::kNoSharedMemory:
      return "no shared memory was left";
    case LossCause::kDictionaryFull:
      return "their statement could not be registered";
    case LossCause::kQuarantined:
      return "the ring was quarantined";
    case LossCause::kOverwritten:
      return "overwritten by newer records";
    case LossCause::kAbandoned:
      return "a signal handler did not return to the log call";
    case LossCause::kUnshipped:
      return "removed before they were shipped";
    case LossCause::kTooLarge:
      return "too large, strings were truncated";
    case LossCause::kLate:
      return "late";
    case LossCause::kSampled:
      return "discarded by sampling";
    case LossCause::kNotSelected:
      return "not selected";
    case LossCause::kUnknown:
      break;
  }
  return "unknown cause";
}

}  // namespace

std::string loss_text(const Event& loss) {
  return fmt::format("{} records: {}", loss.lost, cause_text(loss.cause));
}

std::string_view loss_cause_token(LossCause cause) {
  switch (cause) {
    case LossCause::kRingFull:
      return "ring_full";
    case LossCause::kNoConsumer:
      return "no_consumer";
    case LossCause::kSeveral:
      return "several";
    case LossCause::kMissing:
      return "missing";
    case LossCause::kNoRing:
      return "no_ring";
    case LossCause::kNoSharedMemory:
      return "no_shared_memory";
    case LossCause::kDictionaryFull:
      return "dictionary_full";
    case LossCause::kQuarantined:
      return "quarantined";
    case LossCause::kOverwritten:
      return "overwritten";
    case LossCause::kAbandoned:
      return "abandoned";
    case LossCause::kUnshipped:
      return "unshipped";
    case LossCause::kTooLarge:
      return "too_large";
    case LossCause::kLate:
      return "late";
    case LossCause::kSampled:
      return "sampled";
    case LossCause::kNotSelected:
      return "not_selected";
    case LossCause::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace ringside::trace
