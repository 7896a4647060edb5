// Flight recorder: the newest records of each thread stay in its ring, nothing is written, and no
// log call waits. Here the service is killed; its last records survive in shared memory.
#include <csignal>
#include <cstdint>

#include <ringside/ringside.hpp>

int main() {
  ringside::Options options;
  options.overflow = ringside::Overflow::overwrite;
  options.ring_bytes = std::uint64_t{64} << 10;  // holds several thousand records
  ringside::init(options);

  for (std::uint32_t request = 1; request <= 100'000; ++request) {
    RS_DEBUG("request %u: %u bytes", request, request % 1000);
  }
  RS_ERROR("request %u: checksum mismatch", 100'000U);
  std::raise(SIGKILL);  // No handler runs and nothing is flushed.
  return 0;
}
