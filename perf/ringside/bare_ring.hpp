#pragma once
// What the kernel takes for a thread's ring and for a child's segment, with nothing else done: the
// floor of row first_call.

#include <string>

namespace ringside::perf {

// A sparse file for rings. Negative: it could not be created.
int bare_ring_file(const std::string& path);

// Maps place `index` of the file three times one after another, and gives the first part memory, as
// a thread's first log call does. False if the kernel refuses.
bool map_bare_ring(int file, int index);

// Creates, sizes, maps and partly fills a file as the first log call of a child of fork() does, and
// a ring in it. False if the kernel refuses.
bool create_bare_segment(const std::string& path);

}  // namespace ringside::perf
