#include "tools/live/statement_list.hpp"

#include <span>

#include <fmt/format.h>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/stacked_site.hpp"
#include "tools/live/segment_image.hpp"

namespace ringside::tool {

std::string ListedStatement::place() const {
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
}

std::vector<ListedStatement> list_statements(const SegmentImage& image, std::string* why) {
  std::vector<ListedStatement> statements;
  const std::uint64_t committed = image.control().dictionary_bytes;
  const std::vector<std::byte> bytes = image.dictionary(committed);
  std::span<const std::byte> rest(bytes);
  while (!rest.empty()) {
    const std::uint32_t entry_bytes = shm::entry_bytes(rest);
    if (entry_bytes == 0) break;
    const auto entry = rest.first(entry_bytes);
    if (shm::is_site_entry(shm::entry_kind(entry))) {
      const auto view = shm::SiteEntryView::parse(entry);
      if (!view) break;
      const shm::SiteDescription& site = view->site();
      rest = rest.subspan(entry_bytes);
      if ((site.flags & shm::kSiteWithStack) != 0) continue;
      statements.push_back({site.site_id, site.level, (site.flags & shm::kSiteConsumerClock) != 0,
                            site.line, site.keywords, std::string(site.name),
                            std::string(site.category), std::string(site.format),
                            std::string(site.file), std::string(site.function), site.kind});
      continue;
    }
    rest = rest.subspan(entry_bytes);
  }
  if (!rest.empty() || bytes.size() != committed) {
    *why = fmt::format("only {} of {} bytes of the dictionary are intact",
                       bytes.size() - rest.size(), committed);
  }
  return statements;
}

}  // namespace ringside::tool
