#pragma once
// One section of a trace file as far as it is complete, so that it can be read again with the same
// result.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "shm-layout/loss_cause.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/open_files.hpp"

namespace ringside::consumer {

// Its size ends with a sequence point or with the section. A reader that is shown more only at
// these places delivers the same events in the same order whenever it reads the bytes, however the
// file grew: late extents, which come in the order of the file, would otherwise come at another
// place. Only blocks with a correct checksum count: slots are written in any order.
class CommittedSection final : public trace::TraceFile {
 public:
  using Uuid = std::array<std::uint8_t, 16>;

  // The section of segment `uuid` that begins at `begin`, in a plain or packed file. Null if there
  // is none. `files` must outlive it.
  static std::shared_ptr<CommittedSection> open(trace::OpenFiles& files, const std::string& path,
                                                std::uint64_t begin, const Uuid& uuid);

  // Whether the file begins with a section of another segment.
  static bool is_of_another(trace::OpenFiles& files, const std::string& path, const Uuid& uuid);

  // Shows more of the section, some MiB at most at a time. False if no more is complete.
  bool advance();
  // Nothing will be appended to the section: shows the rest, with damage.
  void finish();

  // Everything is shown.
  bool is_over() const { return over_; }
  // Where the next section of the file begins if there is one. Valid when is_over().
  std::uint64_t next_section() const { return next_; }
  // The reason in its END, if that was shown.
  std::optional<trace::EndReason> end_reason() const { return end_reason_; }
  const std::array<std::uint8_t, 16>& boot_id() const { return boot_id_; }
  // The losses without a stream that its LOSSES blocks report up to here: the highest count by
  // cause.
  const std::map<shm::LossCause, std::uint64_t>& stray_losses() const { return stray_losses_; }

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override;

 private:
  CommittedSection(std::unique_ptr<trace::TraceFile> file, std::uint64_t begin);
  // Of any segment. The texts of `*header` are valid as long as the section.
  static std::shared_ptr<CommittedSection> open_any(trace::OpenFiles& files,
                                                    const std::string& path, std::uint64_t begin,
                                                    trace::SectionHeader* header);
  void take(const trace::Block& block);
  void end_at(std::uint64_t end, std::uint64_t next);

  std::unique_ptr<trace::TraceFile> file_;
  trace::BlockReader blocks_;
  const std::uint64_t begin_;
  std::uint64_t checked_;  // the blocks before it are complete
  std::uint64_t next_ = 0;
  bool over_ = false;
  std::optional<trace::EndReason> end_reason_;
  std::array<std::uint8_t, 16> boot_id_{};
  std::map<shm::LossCause, std::uint64_t> stray_losses_;
};

}  // namespace ringside::consumer
