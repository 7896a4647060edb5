#include "tools/report/report_page.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <zstd.h>

#include "tools/report/page_text.hpp"

namespace ringside::tool {
namespace {

// A fifth more bytes than level 9, in an eighth of the time (perf/report/README.md).
constexpr int kCompressionLevel = 1;
constexpr std::string_view kDataMark = "<!--report-data-->";

// Sections share the memory that packing needs.
class Packer {
 public:
  // Valid until the next call.
  std::string_view packed(std::string_view text) {
    if (context_ == nullptr) throw std::bad_alloc();
    if (out_.size() < ZSTD_compressBound(text.size())) out_.resize(ZSTD_compressBound(text.size()));
    const std::size_t bytes = ZSTD_compressCCtx(context_.get(), out_.data(), out_.size(),
                                                text.data(), text.size(), kCompressionLevel);
    if (ZSTD_isError(bytes) != 0)
      throw std::runtime_error("the data of the report cannot be packed: no memory is left");
    return {out_.data(), bytes};
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
  std::string out_;
};

// RFC 4648, with padding.
void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < group.size() ? static_cast<std::uint8_t>(group[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
}

}  // namespace

std::string report_as_page(const std::vector<ReportSection>& sections) {
  const std::string_view page = page_text();
  const std::size_t mark = page.find(kDataMark);
  std::string out(page.substr(0, mark));
  Packer packer;
  for (const ReportSection& section : sections) {
    out += "<script type=\"application/zstd+base64\" id=\"data-" + section.name + "\">";
    append_base64(out, packer.packed(section.json));
    out += "</script>\n";
  }
  out += page.substr(mark + kDataMark.size());
  return out;
}

std::string report_as_json(const std::vector<ReportSection>& sections) {
  std::string out = "{";
  for (const ReportSection& section : sections) {
    if (out.size() > 1) out += ",\n";
    out += "\"" + section.name + "\":" + section.json;
  }
  return out + "}\n";
}

}  // namespace ringside::tool
