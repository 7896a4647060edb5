#pragma once
// A disk without a limit: each write is complete at once, and goes nowhere.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "consumerd/write/block_io.hpp"

namespace ringside::perf {

class DiscardingIo final : public consumer::BlockIo {
 public:
  void prepare_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {}

  bool submit(const consumer::WriteRequest& request) override {
    done_.push_back({request.slot, static_cast<std::int32_t>(request.bytes)});
    return true;
  }

  std::size_t reap(std::span<consumer::WriteCompletion> out, bool /*wait*/) override {
    std::size_t count = 0;
    while (count < out.size() && !done_.empty()) {
      out[count++] = done_.back();
      done_.pop_back();
    }
    return count;
  }

  const char* name() const override { return "discard"; }

 private:
  std::vector<consumer::WriteCompletion> done_;
};

}  // namespace ringside::perf
