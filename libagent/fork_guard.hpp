#pragma once
// What fork() must not inherit: the parent's rings, its segment's lock, its registrations.

namespace ringside {

// Arranges for it, once; done when the library is loaded, and tried again with the segment where
// memory for it was refused. Slow-path lock held.
void watch_forks();

}  // namespace ringside
