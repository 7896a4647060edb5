#pragma once
// The C library's syscall(), for a program that replaces it.

#include <cerrno>
#include <dlfcn.h>

#include <linux/openat2.h>
#include <sys/syscall.h>

namespace ringside::consumer_test {

inline long library_syscall(long number, const long (&arguments)[6]) {
  using Real = long (*)(long, ...);
  static const auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "syscall"));
  const long result = real(number, arguments[0], arguments[1], arguments[2], arguments[3],
                           arguments[4], arguments[5]);
  if (number != SYS_openat2 || result >= 0 || errno != ENOSYS) return result;
  // An emulator may not know this call. The program's own files are not links.
  const auto& how = *reinterpret_cast<const open_how*>(arguments[2]);
  return real(SYS_openat, arguments[0], arguments[1], static_cast<long>(how.flags),
              static_cast<long>(how.mode));
}

}  // namespace ringside::consumer_test
