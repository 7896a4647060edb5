#include "tools/interop/reader_reception.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

// Of each sender's buffer.
constexpr std::size_t kReceptionReadBytes = std::size_t{16} << 10;

}  // namespace

ReaderReception::ReaderReception(std::string name, Read read, Done done, ReceptionBudget& budget)
    : name_(std::move(name)),
      read_(std::move(read)),
      done_(std::move(done)),
      budget_(budget),
      input_(InputBytes::of(
          name_, [this](std::span<std::byte> room) { return supply(room); }, kReceptionReadBytes)) {
  input_->before_reading([this](bool may_pause) {
    const bool pauses = may_pause && offered_.empty() && !ended_;
    return pauses ? InputBytes::Wait::kPause : InputBytes::Wait::kRead;
  });
}

ReaderReception::~ReaderReception() {
  if (!finished_) end(0);
}

std::size_t ReaderReception::take(std::span<const std::byte> bytes) {
  if (!fault_.empty() || bytes.empty()) return bytes.size();
  offered_ = bytes;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      fault_ = std::string("cannot start a thread for it: ") + error.what();
      returned_ = true;
      return bytes.size();
    }
  }
  resume();
  if (returned_) {
    fault_ = outcome_.end == ReadEnd::kWhole
                 ? "sent data after the end of its trace"
                 : fmt::format("at byte {}: {}", outcome_.offset, outcome_.message);
  } else if (!budget_.has_room()) {
    fault_ = fmt::format("what has arrived of all senders exceeds {} MiB",
                         ReceptionBudget::kMostBytes >> 20);
  }
  return bytes.size();
}

std::string ReaderReception::end(std::size_t /*left*/) {
  finished_ = true;
  ended_ = true;
  const bool was_fault = !fault_.empty();
  if (thread_.joinable()) {
    if (!returned_) resume();
    thread_.join();
    budget_.change(held_, 0);
    held_ = 0;
    done_(outcome_);
  }
  if (was_fault || outcome_.end == ReadEnd::kWhole) return {};
  return fmt::format("at byte {}: {}", outcome_.offset, outcome_.message);
}

// In the reader's thread.
std::ptrdiff_t ReaderReception::supply(std::span<std::byte> room) {
  if (offered_.empty() && !ended_) {
    turn_of_collector_.release();
    turn_of_reader_.acquire();
  }
  const std::size_t bytes = std::min(offered_.size(), room.size());
  if (bytes != 0) std::memcpy(room.data(), offered_.data(), bytes);
  offered_ = offered_.subspan(bytes);
  supplied_ += bytes;
  return static_cast<std::ptrdiff_t>(bytes);
}

void ReaderReception::run() {
  turn_of_reader_.acquire();
  try {
    outcome_ = read_(*input_);
  } catch (const std::exception& error) {
    outcome_ = ReadOutcome::damaged(input_->offset(), error.what());
  }
  returned_ = true;
  turn_of_collector_.release();
}

void ReaderReception::resume() {
  turn_of_reader_.release();
  turn_of_collector_.acquire();
  const auto held = static_cast<std::size_t>(supplied_ - input_->offset());
  budget_.change(held_, held);
  held_ = held;
}

}  // namespace ringside::tool
