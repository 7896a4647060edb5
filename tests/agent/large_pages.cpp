// Preloaded, it makes a process see a kernel with larger pages (RINGSIDE_TEST_PAGE_BYTES), as on
// AArch64: calls with addresses and offsets that are not multiples of such a page are refused, and
// lengths are rounded up, so that memory is given back by whole pages. Memory itself still comes in
// the machine's pages.

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

namespace {

std::size_t page() {
  static const std::size_t bytes = [] {
    const char* const wanted = getenv("RINGSIDE_TEST_PAGE_BYTES");  // NOLINT(concurrency-mt-unsafe)
    return wanted != nullptr ? strtoul(wanted, nullptr, 10) : std::size_t{4096};
  }();
  return bytes;
}

bool is_aligned(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % page() == 0;
}

std::size_t whole(std::size_t bytes) {
  return (bytes + page() - 1) / page() * page();
}

template <class Result>
Result refuse(Result result) {
  errno = EINVAL;
  return result;
}

void* map(void* place, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, place, bytes, protection, flags, fd, offset));
}

}  // namespace

extern "C" {

int getpagesize() noexcept {
  return static_cast<int>(page());
}

long sysconf(int name) noexcept {
  using Sysconf = long (*)(int);
  static const auto next = reinterpret_cast<Sysconf>(dlsym(RTLD_NEXT, "sysconf"));
  return name == _SC_PAGESIZE ? static_cast<long>(page()) : next(name);
}

// With 64-bit file offsets, as everything here is compiled, its name in the program is mmap64.
void* mmap(void* place, std::size_t bytes, int protection, int flags, int fd,
           off_t offset) noexcept {
  if (static_cast<std::size_t>(offset) % page() != 0) return refuse(MAP_FAILED);
  const std::size_t size = whole(bytes);
  if ((flags & MAP_FIXED) != 0) {
    if (!is_aligned(place)) return refuse(MAP_FAILED);
    return map(place, size, protection, flags, fd, offset);
  }
  // At a multiple of a page, by its address.
  void* const found =
      map(nullptr, size + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return found;
  auto* const begin = static_cast<std::byte*>(found);
  const std::size_t before = (page() - reinterpret_cast<std::uintptr_t>(found) % page()) % page();
  if (before != 0) syscall(SYS_munmap, begin, before);
  syscall(SYS_munmap, begin + before + size, page() - before);
  return map(begin + before, size, protection, flags | MAP_FIXED, fd, offset);
}

int munmap(void* place, std::size_t bytes) noexcept {
  if (!is_aligned(place)) return refuse(-1);
  return static_cast<int>(syscall(SYS_munmap, place, whole(bytes)));
}

int mprotect(void* place, std::size_t bytes, int protection) noexcept {
  if (!is_aligned(place)) return refuse(-1);
  return static_cast<int>(syscall(SYS_mprotect, place, whole(bytes), protection));
}

int madvise(void* place, std::size_t bytes, int advice) noexcept {
  if (!is_aligned(place)) return refuse(-1);
  return static_cast<int>(syscall(SYS_madvise, place, whole(bytes), advice));
}

void* mremap(void* old_place, std::size_t old_bytes, std::size_t bytes, int flags, ...) noexcept {
  va_list more;
  va_start(more, flags);
  void* const place = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (!is_aligned(old_place) || !is_aligned(place)) return refuse(MAP_FAILED);
  return reinterpret_cast<void*>(
      syscall(SYS_mremap, old_place, whole(old_bytes), whole(bytes), flags, place));
}

}  // extern "C"
