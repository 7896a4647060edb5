#include "tools/loss_text.hpp"

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
      return "they are missing from the file";
    case trace::LossCause::kUnknown:
      break;
  }
  return "the cause is unknown";
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
    case trace::LossCause::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace ringside::tool
