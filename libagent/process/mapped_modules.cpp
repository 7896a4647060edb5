#include "libagent/process/mapped_modules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "libagent/process/checked_read.hpp"

namespace ringside {
namespace {

constexpr std::size_t kMostListBytes = 16 << 20;

// A line: "begin-end perms offset device inode   path".
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  std::uint64_t hexadecimal() {
    std::uint64_t number = 0;
    while (!rest_.empty() && digit(rest_.front()) < 16) {
      number = number << 4 | digit(rest_.front());
      rest_.remove_prefix(1);
    }
    return number;
  }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
  std::string_view word() {
    const std::size_t begin = std::min(rest_.find_first_not_of(' '), rest_.size());
    const std::size_t end = std::min(rest_.find(' ', begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  std::string_view rest() const {
    return rest_.substr(std::min(rest_.find_first_not_of(' '), rest_.size()));
  }

 private:
  static unsigned digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    return 16;
  }

  std::string_view rest_;
};

// The bare system calls, here and below: those of the C library are cancellation points.
long open_list() {
  // That of the process is empty after pthread_exit() of the main thread; that of the thread needs
  // Linux 3.17.
  long file = -1;
  for (const char* const path : {"/proc/thread-self/maps", "/proc/self/maps"}) {
    file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) break;
  }
  return file;
}

}  // namespace

// False: `use` wants no more.
bool MappedModules::take_line(std::string_view line, Use use, void* context) {
  LineReader reader(line);
  module_.begin = reader.hexadecimal();
  reader.skip(1);
  module_.end = reader.hexadecimal();
  const std::string_view permissions = reader.word();
  reader.skip(1);
  module_.offset = reader.hexadecimal();
  reader.word();
  reader.word();
  const std::string_view path = reader.rest().substr(0, MappedModule::kMostPathBytes);
  const std::string_view first(first_path_.data(), first_path_bytes_);
  if (module_.offset == 0 && !path.empty()) {
    first_begin_ = module_.begin;
    first_path_bytes_ = path.copy(first_path_.data(), path.size());
  } else if (path != first) {
    first_path_bytes_ = 0;
  }
  if (permissions.size() < 3 || permissions[2] != 'x') return true;
  module_.base = first_path_bytes_ != 0 ? first_begin_ : 0;
  module_.path_bytes = path.copy(module_.path.data(), path.size());
  module_.build_id_bytes = 0;
  return use(context, module_);
}

bool MappedModules::visit(Use use, void* context) {
  const int error = errno;
  const long file = open_list();
  if (file < 0) {
    errno = error;
    return false;
  }
  first_path_bytes_ = 0;
  std::size_t filled = 0;
  std::size_t total = 0;
  bool goes_on = true;
  while (goes_on && total < kMostListBytes) {
    const long count = syscall(SYS_read, file, text_.data() + filled, text_.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    total += static_cast<std::size_t>(count);
    std::string_view text(text_.data(), filled + static_cast<std::size_t>(count));
    std::size_t end = 0;
    while (goes_on && (end = text.find('\n')) != std::string_view::npos) {
      goes_on = take_line(text.substr(0, end), use, context);
      text.remove_prefix(end + 1);
    }
    // The beginning of a line. One that fills the whole text is longer than any path.
    filled = text.size() < text_.size() ? text.size() : 0;
    std::memmove(text_.data(), text.data(), filled);
  }
  syscall(SYS_close, file);
  errno = error;
  return true;
}

namespace {

constexpr std::size_t kMostProgramHeaders = 64;
constexpr std::size_t kMostNoteBytes = 4096;

// In the notes at [address, address + bytes). True if it is there.
bool find_build_id_note(std::uint64_t address, std::uint64_t bytes, MappedModule& module) {
  const std::uint64_t end = address + std::min<std::uint64_t>(bytes, kMostNoteBytes);
  while (address + sizeof(Elf64_Nhdr) <= end) {
    Elf64_Nhdr note{};
    if (!read_checked(address, &note)) return false;
    const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
    const std::uint64_t name = address + sizeof note;
    const std::uint64_t content = name + padded(note.n_namesz);
    char owner[4] = {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
        note.n_descsz <= MappedModule::kMostBuildIdBytes && read_checked(name, &owner) &&
        std::memcmp(owner, "GNU", sizeof owner) == 0) {
      if (!read_checked(content, module.build_id.data(), note.n_descsz)) return false;
      module.build_id_bytes = note.n_descsz;
      return true;
    }
    address = content + padded(note.n_descsz);
  }
  return false;
}

}  // namespace

void find_build_id(MappedModule& module) {
  Elf64_Ehdr header{};
  if (module.base == 0 || !read_checked(module.base, &header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return;
  }
  const std::size_t count = std::min<std::size_t>(header.e_phnum, kMostProgramHeaders);
  // The address of a segment is relative to that of the first one, which is mapped at the base.
  std::uint64_t first_address = 0;
  bool is_first_known = false;
  for (std::size_t i = 0; i < count; ++i) {
    Elf64_Phdr segment{};
    if (!read_checked(module.base + header.e_phoff + i * sizeof segment, &segment)) return;
    if (segment.p_type == PT_LOAD && !is_first_known) {
      first_address = segment.p_vaddr - segment.p_offset;
      is_first_known = true;
    }
  }
  for (std::size_t i = 0; is_first_known && i < count; ++i) {
    Elf64_Phdr segment{};
    if (!read_checked(module.base + header.e_phoff + i * sizeof segment, &segment)) return;
    if (segment.p_type != PT_NOTE) continue;
    const std::uint64_t notes = module.base + segment.p_vaddr - first_address;
    if (find_build_id_note(notes, segment.p_memsz, module)) return;
  }
}

}  // namespace ringside
