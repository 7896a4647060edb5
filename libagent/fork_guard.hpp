#pragma once
// What fork() must not inherit: the parent's rings, its segment's lock, its registrations.

namespace ringside {

// Arranges for it, once. Slow-path lock held.
void watch_forks();

}  // namespace ringside
