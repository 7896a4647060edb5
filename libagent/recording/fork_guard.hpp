#pragma once
// Keeps a child of fork() from inheriting the parent's rings, its segment's lock and its
// registrations.

namespace ringside {

// Registers the fork handlers, once, when the library is loaded; tried again with the segment if
// there was no memory. Slow-path lock held.
void watch_forks();

}  // namespace ringside
