#include "consumerd/poll/session_text.hpp"

#include <ctime>
#include <utility>

#include "consumerd/text/text_marks.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

std::string service_of(const SegmentSession& session) {
  return std::string(shm::service_of_segment_name(session.name()));
}

}  // namespace

std::vector<std::string> SessionText::directories(const Options& options) {
  std::vector<std::string> working = working_directories(options);
  if (options.text.dir.empty()) return working;
  tzset();
  working.push_back(options.text.dir);
  return working;
}

void SessionText::open(const Options& options) {
  if (options.text.dir.empty()) return;
  output_dir_ = options.output_dir;
  writer_ = std::make_unique<TextWriter>(options, log_);
}

void SessionText::follow_policy(const Options& options) {
  if (writer_ != nullptr) writer_->set_policy(options.text);
}

void SessionText::adopt(const SegmentSession& session) {
  if (writer_ == nullptr) return;
  SegmentPosition at;
  at.uuid = session.uuid();
  at.stem = session.file().stem();
  at.file_sequence = session.file().sequence();
  at.section_offset = session.file().first_offset();
  const std::string service = service_of(session);
  std::string why;
  if (!make_text_mark(output_dir_, service, at, &why)) {
    log_.error(why + "; lines of its text will be missing if consumerd is killed",
               {{"segment", session.name()}});
  }
  writer_->adopt(service, at);
}

void SessionText::rotate_all() {
  if (writer_ != nullptr) writer_->request_rotation({});
}

std::optional<TextCounts> SessionText::counts() const {
  if (writer_ == nullptr) return {};
  const TextFigures& of = writer_->figures();
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return TextCounts{of.bytes.load(kRelaxed), of.lines.load(kRelaxed), of.failures.load(kRelaxed),
                    of.failing_services.load(kRelaxed)};
}

void SessionText::notify(const Sessions& sessions, std::uint64_t slots_written) {
  if (writer_ == nullptr) return;
  for (const auto& session : sessions) {
    if (session->take_asked_rotation()) writer_->request_rotation(service_of(*session));
  }
  writer_->notify(std::exchange(slots_written_, slots_written) != slots_written);
}

}  // namespace ringside::consumer
