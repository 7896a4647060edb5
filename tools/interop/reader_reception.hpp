#pragma once
// Gives what a sender sends to a reader of files, piece by piece.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <thread>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/sender_collector.hpp"

namespace ringside::tool {

// Memory that the readers of all senders may use together for what has arrived.
class ReceptionBudget {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  bool has_room() const { return used_ <= kMostBytes; }
  void change(std::size_t before, std::size_t now) { used_ += now - before; }

 private:
  std::size_t used_ = 0;
};

// The reader runs in a thread of its own, because it waits for bytes wherever it needs them. The
// thread works only while take() or end() waits for it, so that nothing works at the same time as
// anything else. `budget` must outlive this object.
class ReaderReception final : public Reception {
 public:
  using Read = std::function<ReadOutcome(InputBytes& input)>;
  // Gets the outcome once, in the thread of the collector.
  using Done = std::function<void(const ReadOutcome& outcome)>;

  ReaderReception(std::string name, Read read, Done done, ReceptionBudget& budget);
  ~ReaderReception() override;

  std::size_t take(std::span<const std::byte> bytes) override;
  std::string fault() const override { return fault_; }
  std::string end(std::size_t left) override;

 private:
  std::ptrdiff_t supply(std::span<std::byte> room);
  void run();
  void resume();

  std::string name_;
  Read read_;
  Done done_;
  ReceptionBudget& budget_;
  std::unique_ptr<InputBytes> input_;
  std::span<const std::byte> offered_;
  std::uint64_t supplied_ = 0;  // bytes
  std::size_t held_ = 0;        // bytes that the reader has not skipped yet
  bool ended_ = false;          // nothing more comes
  bool returned_ = false;       // the reader has
  bool finished_ = false;       // end() has been called
  ReadOutcome outcome_;
  std::string fault_;
  std::binary_semaphore turn_of_reader_{0};
  std::binary_semaphore turn_of_collector_{0};
  std::thread thread_;
};

}  // namespace ringside::tool
