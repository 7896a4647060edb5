#include "trace-format/lines/loss_text.hpp"

#include <array>

#include <fmt/format.h>

namespace ringside::trace {
namespace {

constexpr auto kTexts = std::to_array<LossCauseText>({
    {LossCause::kUnknown, "unknown", "unknown", "unknown cause",
     "The file does not state the cause, or states one that this program does not know.",
     "Read the trace with a newer ringcat."},
    {LossCause::kRingFull, "ring_full", "ring full", "the ring was full",
     "A ring had no space, although a consumer ran: the consumer was too slow for this rate,"
     " or the ring is too small for its bursts.",
     "Make the rings larger (RINGSIDE_RING_BYTES; ringstat recommends a size), reduce the records "
     "by levels or sampling, or give consumerd more time on a processor."},
    {LossCause::kNoConsumer, "no_consumer", "no consumer", "no consumer ran",
     "A ring became full while no consumer read it.",
     "Start consumerd, and keep it running; ringctl doctor says what prevents it."},
    {LossCause::kSeveral, "several", "several causes",
     "the ring was full, partly without a consumer",
     "A ring was full, partly because no consumer ran. The writer is older than format 1.1 "
     "and does not state the shares.",
     "As for ring_full and no_consumer."},
    {LossCause::kMissing, "missing", "missing", "missing in the file",
     "The service recorded them, but the files that were read do not have them: a file is "
     "absent, or a part of one is damaged.",
     "Read all files of the process together; ringcat verify names damage."},
    {LossCause::kNoRing, "no_ring", "no ring", "more threads than rings",
     "A thread had no ring, because more threads logged at a time than the segment has "
     "rings.",
     "Set RINGSIDE_MAX_THREADS of the service to a larger number."},
    {LossCause::kNoSharedMemory, "no_shared_memory", "no shared memory",
     "no shared memory was left",
     "The shared-memory file system refused memory for a segment, a ring or the dictionary, "
     "or its file was truncated or removed.",
     "Make the file system of the segments larger, or remove segments of processes that have"
     " ended."},
    {LossCause::kDictionaryFull, "dictionary_full", "dictionary full",
     "their statement could not be registered",
     "The statement could not be registered: too many statements, or one that is too large "
     "or unreadable.",
     "Use statements with constant formats, and fewer that are made while the service runs."},
    {LossCause::kQuarantined, "quarantined", "quarantined", "the ring was quarantined",
     "The consumer found an invalid record and no longer reads this ring. The service "
     "probably overwrote it by a stray write.",
     "Look for memory errors in the service, for example with AddressSanitizer; the thread "
     "gets a new ring after a restart."},
    {LossCause::kOverwritten, "overwritten", "overwritten", "overwritten by newer records",
     "A flight recorder replaced them by newer records, as intended.",
     "None is needed. Larger rings keep a longer past."},
    {LossCause::kTooLarge, "too_large", "too large", "too large, strings were truncated",
     "Not lost: the record is present, but its texts were truncated, because it exceeds the "
     "largest record of its ring.",
     "Record shorter texts, or make the rings larger."},
    {LossCause::kLate, "late", "late", "late",
     "Not lost: the record is present, but came after newer ones.",
     "None is needed. Several hosts or a slow consumer can cause it."},
    {LossCause::kSampled, "sampled", "sampled", "discarded by sampling",
     "Not lost: a sampling rule of consumerd discarded them, as configured.",
     "Change the rule, if they are needed."},
    {LossCause::kAbandoned, "abandoned", "abandoned",
     "a signal handler did not return to the log call",
     "A signal handler that interrupted the log call did not return to it (siglongjmp).",
     "Return from signal handlers, or block the signal during log calls."},
    {LossCause::kUnshipped, "unshipped", "not shipped", "removed before they were shipped",
     "The retention of consumerd removed them before ringship had shipped them from the "
     "host.",
     "Give the host a faster way to the fleet, or increase --keep-unshipped-bytes."},
    {LossCause::kNotSelected, "not_selected", "not selected", "not selected",
     "Not lost: the selection of ringship left them out of this trace. They are on their "
     "host.",
     "Change the selection, or read the trace on the host."},
});

constexpr bool has_all_texts_of_each_cause() {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    const LossCauseText& one = kTexts[i];
    if (static_cast<std::size_t>(one.cause) != i) return false;
    for (const std::string_view text : {one.token, one.name, one.text, one.meaning, one.remedy}) {
      if (text.empty()) return false;
    }
  }
  return kTexts.size() == static_cast<std::size_t>(shm::kLastLossCause) + 1;
}
static_assert(has_all_texts_of_each_cause());

}  // namespace

std::span<const LossCauseText> loss_cause_texts() {
  return kTexts;
}

const LossCauseText& loss_cause_text(LossCause cause) {
  const auto number = static_cast<std::size_t>(cause);
  return kTexts[number < kTexts.size() ? number : 0];
}

std::string loss_text(const Event& loss) {
  return fmt::format("{} records: {}", loss.lost, loss_cause_text(loss.cause).text);
}

}  // namespace ringside::trace
