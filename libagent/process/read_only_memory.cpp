#include "libagent/process/read_only_memory.hpp"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <span>

namespace ringside {

bool is_read_only_data(const void* elf_header, const void* begin, std::size_t bytes) noexcept {
  if (elf_header == nullptr) return false;
  const auto* const base = static_cast<const unsigned char*>(elf_header);
  ElfW(Ehdr) header;
  std::memcpy(&header, base, sizeof header);
  const std::span segments(reinterpret_cast<const ElfW(Phdr)*>(base + header.e_phoff),
                           header.e_phnum);
  const auto base_address = reinterpret_cast<std::uintptr_t>(base);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  // What the loader has added to the addresses in the file.
  std::uintptr_t moved_by = base_address;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type == PT_LOAD && segment.p_offset == 0) {
      moved_by = base_address - segment.p_vaddr;
      break;
    }
  }
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t offset = address - (moved_by + segment.p_vaddr);
    if (offset < segment.p_memsz && bytes <= segment.p_memsz - offset) return true;
  }
  return false;
}

}  // namespace ringside
