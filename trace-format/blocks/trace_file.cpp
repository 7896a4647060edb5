#include "trace-format/blocks/trace_file.hpp"

#include <algorithm>
#include <cstring>

namespace ringside::trace {
namespace {

class MemoryFile final : public TraceFile {
 public:
  MemoryFile(std::string name, std::vector<std::byte> bytes)
      : TraceFile(std::move(name), bytes.size()), bytes_(std::move(bytes)) {}

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override {
    if (offset >= bytes_.size() || bytes.empty()) return 0;
    const std::size_t got =
        std::min(bytes.size(), bytes_.size() - static_cast<std::size_t>(offset));
    std::memcpy(bytes.data(), bytes_.data() + offset, got);
    count(got);
    return got;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<TraceFile> TraceFile::in_memory(std::string name, std::vector<std::byte> bytes) {
  return std::make_unique<MemoryFile>(std::move(name), std::move(bytes));
}

}  // namespace ringside::trace
