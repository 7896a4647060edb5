#include "tools/interop/uncarried_facts.hpp"

#include <string_view>

#include "shm-layout/record_head.hpp"
#include "tools/interop/valid_utf8.hpp"

namespace ringside::tool {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Fact::kCount)> kTexts{
    "whether they are logs, events, spans or counters is left out",
    "levels are left out",
    "keywords are left out",
    "places in the source are left out",
    "categories are left out",
    "sequence numbers are left out",
    "fields are left out",
    "substreams are left out",
    "activity ids are left out",
    "related activity ids are left out",
    "stack ids are left out",
    "processors are left out",
    "the mark of truncated texts is left out",
    "notes of lost records are left out",
    "records without a duration are left out",
    "bytes that are not UTF-8 became U+FFFD",
    "numbers became the nearest of the format",
    "spans that outlast the span around them end with it",
    "characters of names that are reserved in the format became _",
};

}  // namespace

UncarriedFacts::UncarriedFacts(ConversionReport& report, std::initializer_list<Fact> uncarried)
    : report_(report) {
  for (const Fact fact : uncarried) uncarried_[static_cast<std::size_t>(fact)] = true;
}

void UncarriedFacts::look(const trace::Event& event) {
  if (event.kind != trace::EventKind::kRecord) return count_if(Fact::kLosses, true);
  const trace::Site& site = *event.record.site;
  count_if(Fact::kKind, site.kind != shm::SiteKind::kLog);
  count_if(Fact::kLevel, site.level != shm::Level::kNone);
  count_if(Fact::kKeywords, site.keywords != 0);
  count_if(Fact::kSource, !site.file.empty() || !site.function.empty());
  count_if(Fact::kCategory, !site.category.empty());
  count_if(Fact::kSequence, true);
  count_if(Fact::kFields, !site.fields.empty());
  count_if(Fact::kProcessor, event.record.processor != 0);
  const std::uint32_t flags = event.record.ext_flags;
  count_if(Fact::kPoints, (flags & shm::kExtDuration) == 0);
  if (flags == 0 && !event.record.cut) return;
  count_if(Fact::kSubstream, (flags & shm::kExtSubstream) != 0);
  count_if(Fact::kActivity, (flags & shm::kExtActivity) != 0);
  count_if(Fact::kRelated, (flags & shm::kExtRelatedActivity) != 0);
  count_if(Fact::kStack, (flags & shm::kExtStack) != 0);
  count_if(Fact::kCut, event.record.cut);
}

void UncarriedFacts::look_at_texts(const trace::Event& event) {
  for (const trace::Value& value : event.record.args) {
    if (value.type == shm::FieldType::string && !is_valid_utf8(value.text)) {
      return count(Fact::kText);
    }
  }
}

void UncarriedFacts::tell() {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) report_.lost(kTexts[i], counts_[i]);
  }
  counts_ = {};
}

}  // namespace ringside::tool
