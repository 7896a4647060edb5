#include "trace-format/query/scope.hpp"

namespace ringside::trace::query {

RecordScreen::RecordScreen(const Scope& scope) {
  if (scope.record_test) test_ = scope.record_test();
}

void RecordScreen::add_fields(const Site& site, std::vector<std::uint16_t>& fields) {
  if (test_ != nullptr) test_->add_fields(site, fields);
}

bool RecordScreen::test(const RecordView& record, TickClock& clock, const SiteScan& scan) {
  event_.unix_ns = clock.unix_ns(record.tsc);
  event_.stream = &scan.stream();
  event_.segment = &scan.segment();
  static_cast<RecordExtension&>(event_.record) =
      record.extension != nullptr ? *record.extension : RecordExtension{};
  event_.record.context = record.context;
  event_.record.tsc = record.tsc;
  event_.record.stream_id = scan.stream().id;
  event_.record.sequence = record.sequence;
  event_.record.site = record.site;
  event_.record.processor = scan.processor();
  event_.record.args = {record.args, record.site->fields.size()};
  return test_->wanted(event_);
}

}  // namespace ringside::trace::query
