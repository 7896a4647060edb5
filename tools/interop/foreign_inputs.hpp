#pragma once
// Turns inputs that are not Ringside's own files, or that arrive through a pipe, into trace files,
// so that the reader of trace files reads them.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/files/output_file.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/live_publisher.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

class ForeignInputs {
 public:
  // `live` is shown what a single pipe or senders deliver, while more is awaited.
  explicit ForeignInputs(LiveView live = {}) : publisher_(std::move(live)) {}

  // In `paths`, replaces each path in a foreign format (`from`, or if that is empty, the format
  // that its first bytes identify) by paths that can be read as trace files while this object
  // lives. "-" is standard input. Paths of an unknown format remain unchanged. Of a directory,
  // every file of a known format is read, besides Ringside's own; one that cannot be read is
  // damage. Returns false if an input cannot be read at all. Each input stays open, some twice.
  bool take(std::vector<std::string>& paths, const std::string& from);

  // Fills `paths` with what senders send to `address`, "tcp://HOST:PORT" or "udp://HOST:PORT",
  // until a signal arrives, in the format `from`, which must be one that can be collected there.
  // `live` gets what is found out meanwhile. Returns false if it cannot listen there.
  bool listen(const std::string& address, const std::string& from, std::vector<std::string>& paths,
              const DiagnosticSink& live);

  // What was unusual, damaged or not carried; after a failure only the reason.
  std::vector<interop::Diagnostic> diagnostics() const;

 private:
  // Lets the publisher show what arrives in `input`, if that is a pipe.
  void show_arrivals(class InputBytes& input);
  bool take_one(const std::string& path, const std::string& from, std::vector<std::string>& taken);
  bool take_directory(const std::string& path, const struct ForeignFormat* wanted,
                      std::vector<std::string>& taken);
  // Without an input, `name` is a directory. `refusal`: gets the reason if the input cannot be read
  // at all, which is then not a failure; null: it is one.
  bool convert(const std::string& name, const struct ForeignFormat& format, class InputBytes* input,
               std::string* refusal, std::vector<std::string>& taken);
  bool finish(TraceBuilder& builder, std::vector<std::string>& taken);
  bool take_nothing(std::vector<std::string>& taken);
  bool spool(class InputBytes& input, std::vector<std::string>& taken);
  // Returns false, for callers that return it.
  bool fail(std::string why);

  LivePublisher publisher_;
  ConversionReport report_;
  std::vector<std::unique_ptr<TraceBuilder>> builders_;
  std::vector<std::unique_ptr<OutputFile>> spooled_;
  std::vector<interop::Diagnostic> found_;
  bool failed_ = false;
};

}  // namespace ringside::tool
