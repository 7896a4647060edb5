#pragma once
// What is given to ringcat as a trace and is none of Ringside's files, or comes by a pipe, becomes
// one, so that every command reads it.

#include <memory>
#include <string>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/output_file.hpp"

namespace ringside::tool {

class ForeignInputs {
 public:
  // In `paths`, replaces each that is in a foreign format (`from`, or if that is empty, the one
  // that its first bytes tell) by paths that can be read as trace files as long as this object
  // lives.
  // "-" is standard input. Whatever nobody knows stays as it is. False if one cannot be read at
  // all; that has been said then.
  bool take(std::vector<std::string>& paths, const std::string& from);

  // Fills `paths` with what senders send to `address` until a signal, in the format `from`, which
  // can be collected. False if it cannot be listened there; that has been said then.
  bool listen(const std::string& address, const std::string& from, std::vector<std::string>& paths);

  // After the output: says what was odd, damaged and not carried. kExitOk or kExitDamaged.
  int complain() const;

 private:
  bool take_one(const std::string& path, const std::string& from, std::vector<std::string>& taken);
  bool finish(TraceBuilder& builder, std::vector<std::string>& taken);
  bool take_nothing(std::vector<std::string>& taken);
  bool spool(class InputBytes& input, std::vector<std::string>& taken);

  ConversionReport report_;
  std::vector<std::unique_ptr<TraceBuilder>> builders_;
  std::vector<std::unique_ptr<OutputFile>> spooled_;
  std::vector<std::string> notes_;
  bool damaged_ = false;
};

}  // namespace ringside::tool
