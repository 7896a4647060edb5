#include "tools/report/report_page.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/report/page_text.hpp"
#include "tools/report/section_packer.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kDataMark = "<!--report-data-->";

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
  SectionPacker packer;
  for (const ReportSection& section : sections) {
    out += "<script type=\"application/zstd+base64\" id=\"data-" + section.name + "\">";
    append_base64(out, section.packed.empty() ? packer.packed(section.json)
                                              : std::string_view(section.packed));
    out += "</script>\n";
  }
  out += page.substr(mark + kDataMark.size());
  return out;
}

std::size_t most_packed_bytes() {
  constexpr std::size_t kMostPageBytes = 10'000'000;
  // Elements around the sections, of which there are fewer than 64.
  constexpr std::size_t kElementBytes = std::size_t{64} * 128;
  const std::size_t used = page_text().size() + kElementBytes;
  return (kMostPageBytes - std::min(used, kMostPageBytes)) / 4 * 3;
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
