// What `consumerd --text` costs, and how late a line is: text instead of the trace, beside it, and
// the trace alone, in turns, each with a consumerd of its own.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/process_usage.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/trace_directory.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr int kRecords = 1'000'000;
constexpr int kSamples = 200;  // of the delay
constexpr auto kPatience = std::chrono::minutes(2);
constexpr std::array kOutputs{Outputs::trace, Outputs::text, Outputs::both};

constexpr const char* name_of_outputs(Outputs outputs) {
  constexpr const char* kNames[] = {"trace", "text", "both"};
  return kNames[static_cast<int>(outputs)];
}

// Counts the lines of the text file, from its beginning.
class TextFollower {
 public:
  explicit TextFollower(std::string folder) : folder_(std::move(folder)) {}

  std::uint64_t lines() {
    if (!file_.is_open() && !open_file()) return 0;
    for (;;) {
      const ssize_t got = read(file_.get(), buffer_.data(), buffer_.size());
      if (got <= 0) return lines_;
      bytes_ += static_cast<std::uint64_t>(got);
      lines_ +=
          static_cast<std::uint64_t>(std::count(buffer_.begin(), buffer_.begin() + got, '\n'));
    }
  }
  std::uint64_t bytes() const { return bytes_; }

  // Looks without a pause, or every millisecond, which leaves the processor to others.
  bool reaches(std::uint64_t lines, bool pauses) {
    const auto end = Clock::now() + kPatience;
    while (this->lines() < lines) {
      if (Clock::now() > end) {
        std::fprintf(stderr, "%lu lines instead of %lu in %s\n", lines_, lines, folder_.c_str());
        return false;
      }
      if (pauses) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  bool open_file() {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, missing)) {
      if (entry.path().extension() == ".log") {
        file_.reset(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
      }
    }
    return file_.is_open();
  }

  std::string folder_;
  Descriptor file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 20);
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

// Of one run; written by the process that measures.
struct Figures {
  double rate;         // million records a second, until trace and text are complete
  double consumer_ns;  // processor time of consumerd for each record
  double trace_bytes;  // for each record
  double text_bytes;
  double p50_ms;
  double p99_ms;
};

template <Case C>
int measure_rate(TracedRun& run, Outputs outputs, int records, Figures* figures) {
  TextFollower text(text_directory(run.output_dir()));
  const auto complete = [&](int wanted) {
    return ringside::flush(kPatience) &&
           (outputs == Outputs::trace || text.reaches(static_cast<std::uint64_t>(wanted), true));
  };
  RingsideSubject::call<C>(0);  // its description is in the file
  if (!complete(1)) return kExitDoesNotCount;
  const std::uint64_t trace_before = trace_bytes(run.output_dir());
  const std::uint64_t text_before = text.bytes();
  const std::uint64_t cpu_before = all_threads_cpu_ns(run.consumerd_pid());
  const auto begin = Clock::now();
  for (int i = 0; i < records; ++i) RingsideSubject::call<C>(i);
  if (!complete(records + 1)) return kExitDoesNotCount;
  const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
  const std::uint64_t cpu = all_threads_cpu_ns(run.consumerd_pid()) - cpu_before;
  figures->rate = records / took.count();
  figures->consumer_ns = static_cast<double>(cpu) / records;
  figures->trace_bytes =
      static_cast<double>(trace_bytes(run.output_dir()) - trace_before) / records;
  figures->text_bytes = static_cast<double>(text.bytes() - text_before) / records;
  return run.finish();
}

// From a log call until its line is in the text file.
int measure_delay(TracedRun& run, int samples, Figures* figures) {
  TextFollower text(text_directory(run.output_dir()));
  std::vector<double> ms;
  for (int i = 0; i <= samples; ++i) {
    // These intervals must not be in step with consumerd's own.
    std::this_thread::sleep_for(std::chrono::microseconds(1700 + 7919 * i % 30'000));
    const auto called = Clock::now();
    RingsideSubject::call<Case::two_integers>(i);
    if (!text.reaches(static_cast<std::uint64_t>(i) + 1, false)) return kExitDoesNotCount;
    const std::chrono::duration<double, std::milli> took = Clock::now() - called;
    if (i > 0) ms.push_back(took.count());  // the first one creates the file
  }
  std::sort(ms.begin(), ms.end());
  figures->p50_ms = percentile(ms, 5'000);
  figures->p99_ms = percentile(ms, 9'900);
  return run.finish();
}

class Series {
 public:
  Series() {
    shared_ =
        mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared_ == MAP_FAILED) throw std::runtime_error("no shared memory for the figures");
  }
  ~Series() { munmap(shared_, sizeof(Figures)); }
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  // In a process of its own, because each has another consumerd.
  template <class Measure>
  int add(Outputs outputs, Measure&& measure) {
    auto* const figures = static_cast<Figures*>(shared_);
    *figures = {};
    const int status = in_child_process([&] {
      TracedRun run(std::filesystem::temp_directory_path(), {}, outputs);
      return run.ready() == kExitOk ? measure(run, figures) : run.ready();
    });
    if (status == kExitOk) runs_[static_cast<std::size_t>(outputs)].push_back(*figures);
    return status;
  }

  std::vector<double> values(Outputs outputs, double Figures::*figure) const {
    std::vector<double> values;
    for (const Figures& run : runs_[static_cast<std::size_t>(outputs)])
      values.push_back(run.*figure);
    return values;
  }
  Spread spread(Outputs outputs, double Figures::*figure, Better better = Better::lower) const {
    return spread_of(values(outputs, figure), better);
  }
  // Turn by turn, to the trace alone.
  Spread ratio(Outputs outputs, double Figures::*figure, Better better) const {
    const std::vector<double> base = values(Outputs::trace, figure);
    std::vector<double> ratios = values(outputs, figure);
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= base[i];
    Spread spread = spread_of(ratios, better);
    spread.best = spread_of(values(outputs, figure), better).best / spread_of(base, better).best;
    return spread;
  }

 private:
  void* shared_ = nullptr;
  std::array<std::vector<Figures>, kOutputs.size()> runs_;
};

ResultLine line_of(Case message, Outputs outputs) {
  ResultLine line("text_output", RingsideSubject::kName, name_of(message));
  line.with("outputs", name_of_outputs(outputs));
  return line;
}

template <Case C>
int measure_rates(const RunOptions& options) {
  if (!options.wants_case(C)) return kExitOk;
  Series series;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (const Outputs outputs : kOutputs) {
      const int status = series.add(outputs, [&](TracedRun& run, Figures* figures) {
        return measure_rate<C>(run, outputs, options.scaled(kRecords), figures);
      });
      if (status != kExitOk) return status;
    }
  }
  for (const Outputs outputs : kOutputs) {
    const auto line = [outputs] { return line_of(C, outputs); };
    line().print("rate", "M/s", series.spread(outputs, &Figures::rate, Better::higher));
    line().print("consumerd", "ns", series.spread(outputs, &Figures::consumer_ns));
    if (outputs != Outputs::trace) {
      line().print("rate_to_trace", "x", series.ratio(outputs, &Figures::rate, Better::higher));
      line().print("consumerd_to_trace", "x",
                   series.ratio(outputs, &Figures::consumer_ns, Better::lower));
      line().print("text", "bytes", series.spread(outputs, &Figures::text_bytes));
    }
    if (outputs != Outputs::text) {
      line().print("trace", "bytes", series.spread(outputs, &Figures::trace_bytes));
    }
  }
  return kExitOk;
}

int measure_delays(const RunOptions& options) {
  constexpr Case kCase = Case::two_integers;
  if (!options.wants_case(kCase)) return kExitOk;
  Series series;
  constexpr std::array kWithText{Outputs::text, Outputs::both};
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (const Outputs outputs : kWithText) {
      const int status = series.add(outputs, [&](TracedRun& run, Figures* figures) {
        return measure_delay(run, options.scaled(kSamples), figures);
      });
      if (status != kExitOk) return status;
    }
  }
  for (const Outputs outputs : kWithText) {
    line_of(kCase, outputs)
        .with("p", "p50")
        .print("call_to_line", "ms", series.spread(outputs, &Figures::p50_ms));
    line_of(kCase, outputs)
        .with("p", "p99")
        .print("call_to_line", "ms", series.spread(outputs, &Figures::p99_ms));
  }
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row text_output of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const auto measure :
       {measure_rates<Case::static_text>, measure_rates<Case::five_arguments>, measure_delays}) {
    const int status = measure(*options);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
