#pragma once
// Packs sections for a page.

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace ringside::tool {

// Sections share the memory that packing needs. Not thread-safe.
class SectionPacker {
 public:
  SectionPacker();
  ~SectionPacker();
  SectionPacker(const SectionPacker&) = delete;
  SectionPacker& operator=(const SectionPacker&) = delete;

  // One zstd frame, valid until the next call.
  std::string_view packed(std::string_view text);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::string out_;
};

}  // namespace ringside::tool
