#include "trace-format/reader/open_spans.hpp"

#include <vector>

#include "shm-layout/span_id_field.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::trace {

std::optional<std::uint16_t> span_id_field(const Site& site) {
  if (site.kind != shm::SiteKind::kSpan) return {};
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const Field& field = site.fields[i];
    const bool is_id = field.type == shm::FieldType::u64 && !field.is_array && !field.is_constant();
    if (is_id && field.name == shm::kSpanIdField) return static_cast<std::uint16_t>(i);
  }
  return {};
}

std::optional<std::uint64_t> span_id(const Event& event) {
  if (event.kind != EventKind::kRecord || event.record.site == nullptr) return {};
  const auto field = span_id_field(*event.record.site);
  if (!field || *field >= event.record.args.size()) return {};
  return event.record.args[*field].u64;
}

bool OpenSpans::add(std::span<const std::string> paths, ReadError* error) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!expand_trace_path(path, files, error)) return false;
  }
  bool is_complete = true;
  for (const std::string& file : files) {
    std::optional<SiteScan> scan = SiteScan::open(file, error);
    is_complete = is_complete && scan;
    if (scan) add(*scan);
  }
  return is_complete;
}

void OpenSpans::add(SiteScan& scan) {
  const Site* last = nullptr;
  std::uint16_t field = 0;
  scan.run(
      [&](const Site& site, SiteChoice& choice) {
        last = nullptr;  // a new section's site may have the address of an old one
        const auto id = span_id_field(site);
        if (id) choice.add(site, std::span(&*id, 1));
      },
      [&](const RecordView& record, TickClock& /*clock*/) {
        if (record.site != last) {
          last = record.site;
          field = span_id_field(*last).value_or(0);
        }
        Key key{scan.segment().uuid, record.args[field].u64};
        const std::uint32_t flags = record.extension != nullptr ? record.extension->ext_flags : 0;
        const bool is_begin = (flags & shm::kExtDuration) == 0;
        // The second of the two takes what the first has left.
        if ((is_begin ? ended_ : begun_).erase(key) != 0) return;
        (is_begin ? begun_ : ended_).insert(std::move(key));
      });
}

bool OpenSpans::contains(const Event& begin) const {
  const auto id = span_id(begin);
  return id && begun_.contains({begin.segment->uuid, *id});
}

}  // namespace ringside::trace
