#pragma once
// A disk backend that writes from a thread of its own: a disk that answers slowly, or never, holds
// up neither the caller nor other disks. For sessions: inside the sandbox no further io_uring can
// be created.

#include <memory>

#include "consumerd/write/block_io.hpp"

namespace ringside::consumer {

// Null if no thread can be started. Its destructor waits for the write under way at most one
// second; a write that takes longer is left to the thread, which then ends with the process. The
// slots and descriptors of such a write must not be reused.
std::unique_ptr<BlockIo> make_thread_io();

}  // namespace ringside::consumer
