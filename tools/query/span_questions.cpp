#include "tools/query/span_questions.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "trace-format/reader/open_spans.hpp"

namespace ringside::tool {
namespace {

using trace::query::MatchedSite;
using trace::query::RecordTest;

class WholeSpans final : public RecordTest {
 public:
  // `other`: a further test; null: there is none.
  explicit WholeSpans(std::unique_ptr<RecordTest> other) : other_(std::move(other)) {}

  void add_fields(const trace::Site& site, std::vector<std::uint16_t>& fields) override {
    if (other_ != nullptr) other_->add_fields(site, fields);
  }
  bool wanted(const trace::Event& record) override {
    if (trace::is_span_begin(*record.record.site, record.record.ext_flags)) return false;
    return other_ == nullptr || other_->wanted(record);
  }

 private:
  std::unique_ptr<RecordTest> other_;
};

}  // namespace

void leave_out_span_begins(const std::vector<MatchedSite>& sites, trace::query::Scope& scope) {
  const bool has_any = std::any_of(sites.begin(), sites.end(), [](const MatchedSite& one) {
    return trace::span_id_field(one.site).has_value();
  });
  if (!has_any) return;
  scope.record_test = [other = std::move(scope.record_test)]() -> std::unique_ptr<RecordTest> {
    return std::make_unique<WholeSpans>(other ? other() : nullptr);
  };
}

}  // namespace ringside::tool
