#include "tools/interop/nanolog/nanolog_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nanolog {
namespace {

enum class Entry : std::uint8_t { kPadding = 0, kDictionary = 1, kExtent = 2, kCheckpoint = 3 };

constexpr std::size_t kCheckpointBytes = 33;  // packed: 1 byte of type, then 8, 8, 8, 4 and 4
constexpr std::size_t kFragmentBytes = 8;
constexpr std::size_t kStatementBytes = 9;
constexpr std::size_t kPieceBytes = 3;
constexpr std::size_t kExtentBytes = 5;
constexpr std::size_t kMostExtentBytes = std::size_t{64} << 20;
constexpr std::size_t kMostStatements = 1'000'000;
constexpr std::size_t kMostDictionaryBytes = std::size_t{256}
                                             << 20;  // of texts, since a checkpoint

Entry entry_of(std::byte first) {
  return static_cast<Entry>(static_cast<std::uint8_t>(first) & 3);
}

// Sizes of the dictionary's texts include their NUL.
std::string text_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

class File {
 public:
  File(InputBytes& input, Visitor& visitor) : input_(input), visitor_(visitor) {}

  ReadOutcome read() {
    if (!is_checkpoint(input_.peek(kCheckpointBytes))) {
      return ReadOutcome::refused(0, "not a checkpoint of a NanoLog file");
    }
    while (ok_) {
      const auto here = input_.peek(1);
      if (here.empty()) break;
      switch (entry_of(here[0])) {
        case Entry::kPadding:
          input_.skip(1);
          break;
        case Entry::kCheckpoint:
          checkpoint();
          break;
        case Entry::kDictionary:
          fragment();
          break;
        case Entry::kExtent:
          extent();
          break;
      }
    }
    return std::move(outcome_);
  }

 private:
  void damaged(std::uint64_t offset, std::string why) {
    ok_ = false;
    outcome_ = offset == 0 ? ReadOutcome::refused(offset, std::move(why))
                           : ReadOutcome::damaged(offset, std::move(why));
  }

  void checkpoint() {
    const std::uint64_t offset = input_.offset();
    const auto bytes = input_.peek(kCheckpointBytes);
    if (bytes.size() < kCheckpointBytes)
      return damaged(offset, "the file ends within this checkpoint");
    Checkpoint checkpoint;
    checkpoint.cycles = trace::load<std::uint64_t>(&bytes[1]);
    checkpoint.unix_s = static_cast<std::int64_t>(trace::load<std::uint64_t>(&bytes[9]));
    std::memcpy(&checkpoint.cycles_per_second, &bytes[17], 8);
    if (!std::isfinite(checkpoint.cycles_per_second) || checkpoint.cycles_per_second < 1) {
      return damaged(offset, "a checkpoint has a clock frequency of 0");
    }
    const auto dictionary_bytes = trace::load<std::uint32_t>(&bytes[25]);
    const auto dictionary_statements = trace::load<std::uint32_t>(&bytes[29]);
    input_.skip(kCheckpointBytes);
    statements_.clear();
    plans_.clear();
    text_bytes_ = 0;
    visitor_.checkpoint(offset, checkpoint);
    if (dictionary_bytes != 0) generated_dictionary(dictionary_bytes, dictionary_statements);
  }

  // The whole dictionary of a program, as NanoLog's preprocessor generates it.
  void generated_dictionary(std::uint64_t left, std::uint32_t count) {
    const std::uint64_t offset = input_.offset();
    while (left != 0 && generated_statement(left)) {
    }
    input_.skip(std::exchange(used_, 0));
    announce(offset, 0);
    if (ok_ && statements_.size() != count) {
      damaged(offset, fmt::format("a dictionary has {} statements; its checkpoint announces {}",
                                  statements_.size(), count));
    }
  }

  // Its format is cut into pieces, each with one conversion at most.
  bool generated_statement(std::uint64_t& left) {
    const std::uint64_t offset = input_.offset();
    auto bytes = dictionary_bytes(kStatementBytes, left);
    if (bytes.empty()) return false;
    const auto numbers = static_cast<std::uint32_t>(bytes[0]);
    const auto pieces = static_cast<unsigned>(bytes[1]);
    const auto severity = static_cast<std::uint8_t>(bytes[2]);
    const auto line = trace::load<std::uint32_t>(&bytes[3]);
    bytes = dictionary_bytes(trace::load<std::uint16_t>(&bytes[7]), left);
    if (!ok_) return false;
    Statement& statement = statements_.emplace_back();
    statement.severity = severity;
    statement.line = line;
    statement.file = text_of(bytes);
    for (unsigned i = 0; i < pieces; ++i) {
      bytes = dictionary_bytes(kPieceBytes, left);
      if (!bytes.empty()) bytes = dictionary_bytes(trace::load<std::uint16_t>(&bytes[1]), left);
      if (!ok_) break;
      statement.format += text_of(bytes);
    }
    if (!ok_ || !complete_statement(offset)) {
      statements_.resize(plans_.size());
      return false;
    }
    // The program counted its numbers at compile time: if they differ, it read the format
    // otherwise.
    plans_.back().is_sound &= plans_.back().nibble_bytes == (numbers + 1) / 2;
    return true;
  }

  // The next bytes of a dictionary with `left` bytes, valid until the next call. If there are not
  // so many, damage is reported and the result is empty.
  std::span<const std::byte> dictionary_bytes(std::size_t count, std::uint64_t& left) {
    input_.skip(std::exchange(used_, 0));
    const auto fail = [&](const char* why) {
      damaged(input_.offset(), why);
      return std::span<const std::byte>();
    };
    if (count > left) return fail("a statement is longer than its dictionary");
    const auto bytes = input_.peek(count);
    if (bytes.size() < count) return fail("the file ends within this dictionary");
    used_ = count;
    left -= count;
    return bytes.first(count);
  }

  void announce(std::uint64_t offset, std::size_t first) {
    const std::vector<Statement> more(statements_.begin() + static_cast<std::ptrdiff_t>(first),
                                      statements_.end());
    visitor_.statements(offset, static_cast<std::uint32_t>(first), more);
  }

  void fragment() {
    const std::uint64_t offset = input_.offset();
    auto bytes = input_.peek(kFragmentBytes);
    if (bytes.size() < kFragmentBytes)
      return damaged(offset, "the file ends within this dictionary");
    std::uint64_t left = trace::load<std::uint32_t>(bytes.data()) >> 2;
    if (left < kFragmentBytes) return damaged(offset, "a dictionary is shorter than its header");
    input_.skip(kFragmentBytes);
    left -= kFragmentBytes;
    const std::size_t first = statements_.size();
    while (left != 0 && statement(left)) {
    }
    announce(offset, first);
  }

  bool statement(std::uint64_t& left) {
    const std::uint64_t offset = input_.offset();
    const auto fail = [&](const char* why) {
      damaged(offset, why);
      return false;
    };
    auto bytes = input_.peek(kStatementBytes);
    if (bytes.size() < kStatementBytes) return fail("the file ends within this dictionary");
    const std::size_t file_bytes = trace::load<std::uint16_t>(&bytes[5]);
    const std::size_t format_bytes = trace::load<std::uint16_t>(&bytes[7]);
    const std::size_t all = kStatementBytes + file_bytes + format_bytes;
    if (all > left) return fail("a statement is longer than its dictionary");
    bytes = input_.peek(all);
    if (bytes.size() < all) return fail("the file ends within this statement");
    Statement& statement = statements_.emplace_back();
    statement.severity = static_cast<std::uint8_t>(bytes[0]);
    statement.line = trace::load<std::uint32_t>(&bytes[1]);
    statement.file = text_of(bytes.subspan(kStatementBytes, file_bytes));
    statement.format = text_of(bytes.subspan(kStatementBytes + file_bytes, format_bytes));
    if (!complete_statement(offset)) {
      statements_.pop_back();
      return false;
    }
    input_.skip(all);
    left -= all;
    return true;
  }

  // The last of statements_ has its texts now. False, with damage, if they are too many.
  bool complete_statement(std::uint64_t offset) {
    Statement& statement = statements_.back();
    text_bytes_ += statement.file.size() + statement.format.size();
    const bool is_last = statements_.size() > kMostStatements;
    if (is_last || text_bytes_ > kMostDictionaryBytes) {
      damaged(offset, is_last ? "more than a million statements"
                              : "the texts of the dictionary exceed 256 MiB");
      return false;
    }
    statement.fields = shm::printf_fields(statement.format);
    plans_.emplace_back(statement.fields);
    return true;
  }

  void extent() {
    Extent extent;
    extent.offset = input_.offset();
    auto bytes = input_.peek(kExtentBytes);
    if (bytes.size() < kExtentBytes)
      return damaged(extent.offset, "the file ends within this extent");
    const auto head = static_cast<std::uint8_t>(bytes[0]);
    extent.bytes = trace::load<std::uint32_t>(&bytes[1]);
    extent.ends_round = (head & 4) != 0;
    if (extent.bytes < kExtentBytes || extent.bytes > kMostExtentBytes) {
      return damaged(extent.offset,
                     fmt::format("an extent has an invalid size of {} bytes", extent.bytes));
    }
    bytes = input_.peek(extent.bytes);
    const bool whole = bytes.size() >= extent.bytes;
    Packed packed(bytes.first(std::min<std::size_t>(bytes.size(), extent.bytes)));
    packed.pass(kExtentBytes);
    std::uint64_t thread = head >> 4;
    if ((head & 8) == 0 && !packed.integer(head >> 4, thread)) {
      return damaged(extent.offset, "the thread of an extent is missing");
    }
    extent.thread = static_cast<std::uint32_t>(thread);
    visitor_.extent(extent);
    records(packed, extent);
    visitor_.extent_end();
    if (!ok_) return;
    if (!whole) return damaged(extent.offset + bytes.size(), "the file ends within this extent");
    input_.skip(extent.bytes);
  }

  void records(Packed& packed, const Extent& extent) {
    std::uint64_t cycles = 0;
    while (!packed.at_end()) {
      const std::uint64_t offset = extent.offset + packed.position();
      const std::uint8_t head = packed.byte();
      std::uint64_t id = 0;
      std::uint64_t delta = 0;
      if (entry_of(static_cast<std::byte>(head)) != Entry::kDictionary) {
        return damaged(offset, "invalid record");
      }
      if (!packed.integer(((head >> 2) & 3) + 1U, id) || !packed.integer(head >> 4, delta)) {
        return damaged(offset, "the extent ends within this record");
      }
      cycles += delta;
      if (id >= plans_.size()) {
        return damaged(
            offset, fmt::format("the statement {} of a record is missing in the dictionary", id));
      }
      const ArgumentPlan& plan = plans_[static_cast<std::size_t>(id)];
      if (!plan.is_sound) {
        return damaged(offset, "the format string of a record is invalid: " +
                                   statements_[static_cast<std::size_t>(id)].format);
      }
      if (!arguments_.read(plan, packed))
        return damaged(offset, "the extent ends within this record");
      visitor_.record(static_cast<std::uint32_t>(id), cycles, arguments_);
    }
  }

  InputBytes& input_;
  Visitor& visitor_;
  std::deque<Statement> statements_;
  std::vector<ArgumentPlan> plans_;  // of the statements
  std::size_t text_bytes_ = 0;
  std::size_t used_ = 0;  // bytes of the input, by dictionary_bytes()
  Arguments arguments_;
  ReadOutcome outcome_;
  bool ok_ = true;
};

}  // namespace

std::uint64_t Clock::to_second_of(std::uint64_t cycles) {
  __extension__ using Wide = __int128;
  constexpr Wide kBillion = 1'000'000'000;
  const double frequency = checkpoint_.cycles_per_second;
  const double seconds = std::floor(since(cycles) / frequency);
  const auto unix_s = static_cast<double>(checkpoint_.unix_s);
  cycles_of_second_ = 0;
  if (std::abs(seconds) > 1e11 || std::abs(unix_s) > 1e11) return 0;
  const Wide ns = (Wide{checkpoint_.unix_s} + static_cast<std::int64_t>(seconds)) * kBillion;
  // A second that is not entirely after 1970 and before 2262 has no times.
  if (ns < 0 || ns > INT64_MAX - kBillion) return 0;
  second_cycles_ = seconds * frequency;
  second_ns_ = static_cast<std::uint64_t>(ns);
  cycles_of_second_ = frequency;
  ns_per_cycle_ = 1e9 / frequency;
  return second_ns_ + rounded(std::max(0.0, since(cycles) - second_cycles_) * ns_per_cycle_);
}

bool is_checkpoint(std::span<const std::byte> first_bytes) {
  if (first_bytes.size() < kCheckpointBytes) return false;
  double cycles_per_second = 0;
  std::memcpy(&cycles_per_second, &first_bytes[17], 8);
  const auto unix_s = trace::load<std::uint64_t>(&first_bytes[9]);
  // The bits after the type in its byte come from uninitialised memory of the runtime.
  return entry_of(first_bytes[0]) == Entry::kCheckpoint && unix_s < (std::uint64_t{1} << 36) &&
         cycles_per_second > 1e6 && cycles_per_second < 1e11;
}

ReadOutcome read_file(InputBytes& input, Visitor& visitor) {
  return File(input, visitor).read();
}

}  // namespace ringside::tool::nanolog
