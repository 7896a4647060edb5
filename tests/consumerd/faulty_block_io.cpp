#include "faulty_block_io.hpp"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace ringside::consumer_test {

using consumer::WriteCompletion;
using consumer::WriteRequest;

void FaultyBlockIo::prepare_slot(std::uint32_t slot, std::byte* /*data*/, std::size_t /*bytes*/) {
  ++prepared[slot];
}

bool FaultyBlockIo::submit(const WriteRequest& request) {
  EXPECT_GT(request.bytes, 0U);
  for (const WriteRequest& other : under_way_) {
    EXPECT_NE(other.slot, request.slot) << "two writes of one slot at a time";
  }
  if (chance(refuse)) return false;
  under_way_.push_back(request);
  return true;
}

std::size_t FaultyBlockIo::reap(std::span<WriteCompletion> out, bool wait) {
  if (hold) return 0;
  std::size_t count = 0;
  while (count < out.size() && !under_way_.empty() && (count == 0 || !chance(300))) {
    if (!wait && count == 0 && chance(300)) return 0;
    const std::size_t at = last_first ? under_way_.size() - 1 : random_() % under_way_.size();
    const WriteRequest request = under_way_[at];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(at));
    out[count++] = complete(request);
  }
  return count;
}

WriteCompletion FaultyBlockIo::complete(const WriteRequest& request) {
  if (!errors.empty() && chance(fail)) {
    return {request.slot, -errors[random_() % errors.size()]};
  }
  if (takes_nothing) return {request.slot, 0};
  std::uint32_t bytes = request.bytes;
  if (chance(shorten)) bytes = static_cast<std::uint32_t>(random_() % (bytes + 1));
  std::vector<std::byte>& file = files[request.fd];
  file.resize(std::max<std::size_t>(file.size(), request.offset + bytes));
  std::memcpy(file.data() + request.offset, request.data, bytes);
  return {request.slot, static_cast<std::int32_t>(bytes)};
}

}  // namespace ringside::consumer_test
