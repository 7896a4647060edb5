// Reads ringcat's output for workloads' traces from standard input, and compares every line with
// snprintf's text of the same record. Prints its counts, one "key=value" per line:
//
//     thread.<number>.records, .lost   lines, and records that LOST lines in their place stand for
//     records, lost, cut               sums
//
// Each thread's records must come in order; only a LOST line can explain a gap. Times must never
// decrease. Otherwise prints the first wrong lines on standard error and exits with status 1.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/end-to-end/predicted_records.hpp"

namespace {

using namespace ringside::end_to_end;

constexpr std::size_t kTimeBytes = 29;  // 2026-11-20 21:35:16.554575617
constexpr unsigned kMaxComplaints = 10;

struct ThreadCount {
  std::uint64_t next = 0;
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  std::string identity;  // the text in brackets of its lines
};

class Checker {
 public:
  void take(std::string_view line) {
    ++lines_;
    if (line.size() <= kTimeBytes) return complain(line, "too short");
    const std::string_view time = line.substr(0, kTimeBytes);
    if (time < std::string_view(last_time_)) complain(line, "older than the line before");
    last_time_.assign(time);
    // " file:line LEVEL [identity] message"
    const std::size_t open = line.find('[', kTimeBytes);
    const std::size_t close = open == std::string_view::npos ? open : line.find("] ", open);
    if (close == std::string_view::npos) return complain(line, "no [thread]");
    const std::string_view identity = line.substr(open + 1, close - open - 1);
    const std::string_view message = line.substr(close + 2);
    if (line.substr(0, open).ends_with(" LOST ")) {
      take_loss(line, identity, message);
    } else {
      take_record(line, identity, message);
    }
  }

  int finish() {
    std::uint64_t records = 0;
    std::uint64_t lost = 0;
    for (const auto& [number, thread] : threads_) {
      std::printf("thread.%u.records=%" PRIu64 "\nthread.%u.lost=%" PRIu64 "\n", number,
                  thread.records, number, thread.lost);
      records += thread.records;
      lost += thread.lost;
    }
    std::printf("records=%" PRIu64 "\nlost=%" PRIu64 "\ncut=%" PRIu64
                "\nlost_without_thread=%" PRIu64 "\n",
                records, lost, cut_, lost_without_thread_);
    if (complaints_ > 0) {
      std::fprintf(stderr, "check_output: %u of %" PRIu64 " lines are wrong\n", complaints_,
                   lines_);
    }
    return complaints_ == 0 ? 0 : 1;
  }

 private:
  // "4711 w3": a workload's thread names contain their numbers.
  static bool thread_of(std::string_view identity, unsigned* number) {
    const std::size_t at = identity.find(" w");
    if (at == std::string_view::npos) return false;
    char* end = nullptr;
    const std::string digits(identity.substr(at + 2));
    *number = static_cast<unsigned>(std::strtoul(digits.c_str(), &end, 10));
    return !digits.empty() && *end == '\0';
  }

  void take_loss(std::string_view line, std::string_view identity, std::string_view message) {
    const std::uint64_t count = std::strtoull(std::string(message).c_str(), nullptr, 10);
    if (count == 0 || message.find(" records: ") == std::string_view::npos) {
      return complain(line, "a loss without a count");
    }
    if (identity == "-") {
      lost_without_thread_ += count;
      return;
    }
    unsigned number = 0;
    if (!thread_of(identity, &number)) return complain(line, "a loss of an unknown thread");
    ThreadCount& thread = threads_[number];
    thread.next += count;
    thread.lost += count;
  }

  void take_record(std::string_view line, std::string_view identity, std::string_view message) {
    unsigned number = 0;
    if (!thread_of(identity, &number)) return complain(line, "not a thread of a workload");
    ThreadCount& thread = threads_[number];
    if (thread.identity.empty()) thread.identity.assign(identity);
    if (identity != thread.identity) complain(line, "another thread than " + thread.identity);
    unsigned told_thread = 0;
    std::uint64_t told = 0;
    const std::string front(message.substr(0, 40));
    if (std::sscanf(front.c_str(), "%u/%" SCNu64 " ", &told_thread, &told) != 2 ||
        told_thread != number) {
      return complain(line, "not a message of this thread");
    }
    if (told != thread.next) {
      complain(line, std::string(told < thread.next ? "again or too late" : "a gap before it") +
                         ": expected number " + std::to_string(thread.next));
    }
    thread.next = told + 1;
    ++thread.records;
    const std::string_view expected = expect(number, told);
    constexpr std::string_view kCutMark = " [cut]";
    if (message.ends_with(kCutMark) && message != expected) {
      ++cut_;
      message.remove_suffix(kCutMark.size());
      if (!expected.starts_with(message)) complain(line, "cut, but not a prefix of the message");
      return;
    }
    if (message != expected) complain(line, "expected: " + std::string(expected));
  }

  std::string_view expect(unsigned thread, std::uint64_t number) {
    const PredictedRecord r = predict(thread, number);
    int length = 0;
    switch (r.kind) {
#define RECORD(...) length = std::snprintf(expected_, sizeof expected_, __VA_ARGS__)
#include "tests/end-to-end/record_cases.inc"
#undef RECORD
      default:
        break;
    }
    return {expected_, static_cast<std::size_t>(length)};
  }

  void complain(std::string_view line, const std::string& what) {
    if (++complaints_ > kMaxComplaints) return;
    std::fprintf(stderr, "check_output: line %" PRIu64 ": %s\n  %.*s\n", lines_, what.c_str(),
                 static_cast<int>(line.size()), line.data());
  }

  std::map<unsigned, ThreadCount> threads_;
  std::string last_time_;
  std::uint64_t lines_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t lost_without_thread_ = 0;
  unsigned complaints_ = 0;
  char expected_[4096] = {};
};

}  // namespace

int main() {
  Checker checker;
  char* line = nullptr;
  std::size_t capacity = 0;
  ssize_t length = 0;
  static std::vector<char> buffer(1U << 20);
  std::setvbuf(stdin, buffer.data(), _IOFBF, buffer.size());
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    if (line[length - 1] == '\n') --length;
    checker.take({line, static_cast<std::size_t>(length)});
  }
  std::free(line);
  return checker.finish();
}
