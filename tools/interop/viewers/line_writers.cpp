#include "tools/interop/viewers/line_writers.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "tools/text/csv_lines.hpp"
#include "tools/text/json_lines.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kCsvColumns =
    "unix_ns,utc,level,category,service,pid,host,thread_id,thread,seq,site,file,line,function,msg,"
    "kind,keywords,duration_ns,substream,activity,related,stack_id,processor,cut,context,fields";

class LineWriter final : public TraceWriter {
 public:
  LineWriter(std::unique_ptr<const trace::LineFormat> format, OutputBytes& output,
             ConversionReport& report, std::initializer_list<Fact> uncarried, bool has_raw_texts)
      : format_(std::move(format)),
        output_(output),
        uncarried_(report, uncarried),
        has_raw_texts_(has_raw_texts),
        texts_(*format_) {
    output_.put(format_->header());
  }

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    uncarried_.look(event);
    if (event.kind == trace::EventKind::kRecord) uncarried_.look_at_texts(event);
    line_.clear();
    texts_.of(event)->append(line_, trace::LineEvent::of(event), clocks_);
    // Without the line end, which is not printable.
    if (!has_raw_texts_ || is_valid_utf8(line_.text().substr(0, line_.size() - 1))) [[likely]]
      return output_.put(line_.text());
    output_.put(valid_utf8(line_.text()));
  }

  void end() override { uncarried_.tell(); }

 private:
  std::unique_ptr<const trace::LineFormat> format_;
  OutputBytes& output_;
  UncarriedFacts uncarried_;
  bool has_raw_texts_;  // that may contain invalid UTF-8
  trace::LineTexts texts_;
  trace::LineClocks clocks_{true};
  trace::TextSink line_;
};

}  // namespace

std::unique_ptr<TraceWriter> write_ndjson(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<LineWriter>(std::make_unique<JsonLines>(), output, report,
                                      std::initializer_list<Fact>{}, false);
}

std::unique_ptr<TraceWriter> write_csv(OutputBytes& output, ConversionReport& report) {
  std::string why;
  return std::make_unique<LineWriter>(CsvLines::make(kCsvColumns, false, &why), output, report,
                                      std::initializer_list<Fact>{}, true);
}

}  // namespace ringside::tool
