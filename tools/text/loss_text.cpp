#include "tools/text/loss_text.hpp"

#include <fmt/format.h>

namespace ringside::tool {
namespace {

std::string_view cause_text(trace::LossCause cause) {
  switch (cause) {
    case trace::LossCause::kRingFull:
      return "the ring was full";
    case trace::LossCause::kNoConsumer:
      return "no consumer ran";
    case trace::LossCause::kSeveral:
      return "the ring was full, partly without a consumer";
    case trace::LossCause::kMissing:
      return "missing in the file";
    case trace::LossCause::kNoRing:
      return "more threads than rings";
    case trace::LossCause::kNoSharedMemory:
      return "no shared memory was left";
    case trace::LossCause::kDictionaryFull:
      return "their statement could not be registered";
    case trace::LossCause::kQuarantined:
      return "the ring was quarantined";
    case trace::LossCause::kOverwritten:
      return "overwritten by newer records";
    case trace::LossCause::kAbandoned:
      return "a signal handler did not return to the log call";
    case trace::LossCause::kTooLarge:
      return "too large, strings were truncated";
    case trace::LossCause::kLate:
      return "late";
    case trace::LossCause::kSampled:
      return "discarded by sampling";
    case trace::LossCause::kUnknown:
      break;
  }
  return "unknown cause";
}

}  // namespace

std::string loss_text(const trace::Event& loss) {
  return fmt::format("{} records: {}", loss.lost, cause_text(loss.cause));
}

std::string_view loss_cause_token(trace::LossCause cause) {
  switch (cause) {
    case trace::LossCause::kRingFull:
      return "ring_full";
    case trace::LossCause::kNoConsumer:
      return "no_consumer";
    case trace::LossCause::kSeveral:
      return "several";
    case trace::LossCause::kMissing:
      return "missing";
    case trace::LossCause::kNoRing:
      return "no_ring";
    case trace::LossCause::kNoSharedMemory:
      return "no_shared_memory";
    case trace::LossCause::kDictionaryFull:
      return "dictionary_full";
    case trace::LossCause::kQuarantined:
      return "quarantined";
    case trace::LossCause::kOverwritten:
      return "overwritten";
    case trace::LossCause::kAbandoned:
      return "abandoned";
    case trace::LossCause::kTooLarge:
      return "too_large";
    case trace::LossCause::kLate:
      return "late";
    case trace::LossCause::kSampled:
      return "sampled";
    case trace::LossCause::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace ringside::tool
