// Uses the installed library of foreign formats: `read FILE...` prints the records of traces of any
// format, `convert FORMAT OUTPUT FILE...` writes them in another one, `sink FORMAT FILE...` writes
// them to standard output. Ends with a line for each diagnostic: its severity and text.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <ringside-interop/conversion.hpp>
#include <ringside-interop/trace.hpp>

namespace {

namespace interop = ringside::interop;

const char* name_of(interop::Severity severity) {
  switch (severity) {
    case interop::Severity::kNote:
      return "note";
    case interop::Severity::kDamage:
      return "damage";
    case interop::Severity::kError:
      return "error";
  }
  return "";
}

void print(const std::vector<interop::Diagnostic>& diagnostics) {
  for (const interop::Diagnostic& diagnostic : diagnostics) {
    std::cout << name_of(diagnostic.severity) << ' ' << diagnostic.text() << '\n';
  }
}

int read(const std::vector<std::string>& paths) {
  std::vector<interop::Diagnostic> diagnostics;
  auto trace = interop::open_trace(paths, {}, &diagnostics);
  if (trace) {
    ringside::trace::Event event;
    while (trace->next(event)) {
      if (event.kind != ringside::trace::EventKind::kRecord) continue;
      std::cout << event.unix_ns << ' ' << event.record.site->format << '\n';
    }
    std::cout << trace->report().records << " records in " << trace->paths().size() << " files\n";
  }
  print(diagnostics);
  return trace ? 0 : 1;
}

int convert(const std::string& to, const std::string& output,
            const std::vector<std::string>& paths) {
  interop::ConvertOptions options;
  options.to = to;
  options.most_events = 1000;
  options.wanted = [](const ringside::trace::Event& event) {
    return event.kind == ringside::trace::EventKind::kRecord;
  };
  options.sink = [](std::span<const std::byte> bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  };
  const interop::Conversion conversion = interop::convert(paths, output, options);
  std::fflush(stdout);
  std::cout << conversion.events << " events\n";
  print(conversion.diagnostics);
  return conversion.written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto from = [&words](std::size_t first) {
    return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(first),
                                    words.end());
  };
  if (words.size() > 1 && words[0] == "read") return read(from(1));
  if (words.size() > 3 && words[0] == "convert") return convert(words[1], words[2], from(3));
  if (words.size() > 2 && words[0] == "sink") return convert(words[1], "", from(2));
  return 2;
}
