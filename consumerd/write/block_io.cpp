#include "consumerd/write/block_io.hpp"

namespace ringside::consumer {

std::unique_ptr<BlockIo> make_block_io(IoChoice choice, std::uint32_t slots, std::string* why) {
  why->clear();
  if (choice == IoChoice::kPwrite) return make_pwrite_io();
  std::unique_ptr<BlockIo> uring = make_uring_io(slots, why);
  if (uring != nullptr || choice == IoChoice::kUring) return uring;
  *why += "; writing with pwrite instead";
  return make_pwrite_io();
}

}  // namespace ringside::consumer
