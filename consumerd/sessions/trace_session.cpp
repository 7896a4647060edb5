#include "consumerd/sessions/trace_session.hpp"

#include <algorithm>
#include <utility>

#include "consumerd/write/thread_io.hpp"

namespace ringside::consumer {
namespace {

// A file needs one slot that is filled while another is written.
constexpr std::uint64_t kFewestSlots = 2;

std::uint32_t slots_for(std::uint64_t buffer_bytes) {
  if (buffer_bytes == 0) return kStagingSlots;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(buffer_bytes / kStagingSlotBytes, kFewestSlots, kStagingSlots));
}

}  // namespace

std::unique_ptr<TraceSession> TraceSession::start(SessionSpec spec, const std::string& shm_dir,
                                                  const Log& log, std::string* why) {
  std::unique_ptr<TraceSession> session(new TraceSession(std::move(spec), shm_dir));
  session->staging_ = StagingFile::create(shm_dir, why);
  if (session->staging_ == nullptr) return nullptr;
  session->io_ = make_thread_io();
  if (session->io_ == nullptr) {
    *why = "cannot start a thread for the session; raise the limit on processes (ulimit -u)";
    return nullptr;
  }
  session->writer_ = std::make_unique<SlotWriter>(
      *session->staging_, *session->io_, log,
      WriterRole{
          .most_slots = slots_for(session->spec_.buffer_bytes),
          .consequence =
              "only a session is affected: records that its buffers cannot hold are lost for "
              "it, and counted"});
  return session;
}

void TraceSession::leave(std::unique_ptr<TraceFile> file, std::unique_ptr<SessionCursors> cursors) {
  leaving_.push_back({std::move(file), std::move(cursors)});
}

void TraceSession::poll() {
  writer_->poll(false);
  std::erase_if(leaving_, [](Leaving& leaving) {
    if (!leaving.file->advance() || !leaving.file->all_written()) return false;
    if (leaving.cursors != nullptr) leaving.cursors->remove();
    return true;
  });
}

}  // namespace ringside::consumer
