#pragma once
// The executable mappings of this process, as /proc/thread-self/maps has them, and the build ids of
// the files there. Read in a signal handler: no allocation, no lock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside {

struct MappedModule {
  static constexpr std::size_t kMostPathBytes = 1024;
  static constexpr std::size_t kMostBuildIdBytes = 32;

  std::uint64_t begin = 0;   // of the executable mapping
  std::uint64_t end = 0;     // of it
  std::uint64_t offset = 0;  // of `begin` in the file
  std::uint64_t base = 0;    // where the file's first byte is mapped; 0: not found
  std::array<char, kMostPathBytes> path{};
  std::size_t path_bytes = 0;
  std::array<std::uint8_t, kMostBuildIdBytes> build_id{};
  std::size_t build_id_bytes = 0;  // 0: none

  bool contains(std::uint64_t address) const { return address >= begin && address < end; }
  std::string_view path_text() const { return {path.data(), path_bytes}; }
};

// The list, with the memory to read it. Static storage, because a handler's stack has no room for
// it; not for two threads at once.
class MappedModules {
 public:
  using Use = bool (*)(void* context, MappedModule& module);

  // Calls `use(context, module)` for each executable mapping, in the order of addresses, until it
  // returns false. The module is valid during the call. False if the list cannot be read. Reads at
  // most 16 MiB of it.
  bool visit(Use use, void* context);

 private:
  bool take_line(std::string_view line, Use use, void* context);

  MappedModule module_{};
  // The last mapping of offset 0: the first bytes of the file at first_path_.
  std::uint64_t first_begin_ = 0;
  std::array<char, MappedModule::kMostPathBytes> first_path_{};
  std::size_t first_path_bytes_ = 0;
  std::array<char, 8192> text_{};
};

// Reads the build id from the notes at the module's base, if it has one.
void find_build_id(MappedModule& module);

}  // namespace ringside
