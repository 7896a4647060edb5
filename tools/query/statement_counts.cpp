#include "tools/query/statement_counts.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "shm-layout/field_type_name.hpp"
#include "trace-format/query/visit.hpp"
#include "trace-format/reader/site_scan.hpp"

namespace ringside::tool {
namespace {

// Source files that include one header by different paths name it differently.
std::string source_path(const std::string& file) {
  return std::filesystem::path(file).lexically_normal().string();
}

std::vector<ListedField> listed_fields(const trace::Site& site) {
  std::vector<ListedField> fields;
  for (const trace::Field& field : site.fields) {
    fields.push_back({field.name, shm::name(field.is_array ? shm::array_of(field.type)  //
                                                           : field.type)});
  }
  return fields;
}

bool same_names(const std::vector<ListedField>& a, const std::vector<ListedField>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ListedField& x, const ListedField& y) { return x.name == y.name; });
}

// Variants whose fields have the same names, as one text.
std::string variants_text(const std::vector<const std::vector<ListedField>*>& variants) {
  std::string text;
  const std::vector<ListedField>& first = *variants.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<std::string_view> types;
    for (const auto* fields : variants) {
      const std::string_view type = (*fields)[i].type;
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    }
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", first[i].name, fmt::join(types, "|"));
  }
  return text;
}

}  // namespace

std::set<std::uint32_t> CountedStatement::ids() const {
  std::set<std::uint32_t> all;
  for (const auto& [fields, variant] : variants) all.insert(variant.ids.begin(), variant.ids.end());
  return all;
}

std::uint64_t CountedStatement::records() const {
  std::uint64_t sum = 0;
  for (const auto& [fields, variant] : variants) sum += variant.records;
  return sum;
}

std::string CountedStatement::fields_text() const {
  std::vector<std::vector<const std::vector<ListedField>*>> groups;
  for (const auto& [fields, variant] : variants) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&all = fields](const auto& one) {
      return same_names(*one.front(), all);
    });
    if (group == groups.end()) {
      groups.push_back({&fields});
    } else {
      group->push_back(&fields);
    }
  }
  std::string text;
  for (const auto& group : groups) {
    const std::string one = variants_text(group);
    text += (text.empty() ? "" : " or ") + (one.empty() ? "none" : one);
  }
  return groups.size() == 1 && text == "none" ? std::string() : text;
}

StatementVariant& StatementCounts::variant_of(const trace::Site& site,
                                              const trace::SegmentInfo& segment) {
  const auto [at, is_new] =
      statements_.try_emplace(SourceStatement{segment.service, source_path(site.file), site.line,
                                              site.level, site.name, site.category, site.format});
  CountedStatement& statement = at->second;
  if (is_new) {
    statement.function = site.function;
    statement.keywords = site.keywords;
    statement.style = site.style;
  }
  const trace::CollectedSegment* const collected =
      history_ == nullptr ? nullptr : history_->find(segment.uuid);
  if (collected != nullptr) statement.collection.add(*collected, site);
  StatementVariant& variant = statement.variants[listed_fields(site)];
  variant.ids.insert(site.id);
  return variant;
}

bool StatementCounts::add(const std::string& file, const trace::query::Scope& scope,
                          trace::ReadError* error) {
  std::optional<trace::SiteScan> scan = trace::SiteScan::open(file, error);
  if (!scan) return false;
  // By id in the present section, whose chosen sites are all set before its first record.
  std::vector<StatementVariant*> chosen;
  scan->run(
      [&](const trace::Site& site, trace::SiteChoice& choice) {
        if (!scope.wants_site(site, scan->segment())) return;
        chosen.resize(std::max<std::size_t>(chosen.size(), std::size_t{site.id} + 1));
        chosen[site.id] = &variant_of(site, scan->segment());
        choice.add(site, {});
      },
      [&](const trace::RecordView& record, trace::TickClock&) {
        ++chosen[record.site->id]->records;
      });
  trace::query::add_report(report_, scan->report());
  return true;
}

}  // namespace ringside::tool
