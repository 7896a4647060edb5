// Threads with nested spans of one and of two records, and the service's own account of them in a
// shared file, which survives a SIGKILL. usage: FILE THREADS SPANS SEED [handover] [paced]; SPANS:
// of each thread; handover: some spans end on another thread; paced: few spans per second.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/ringside.hpp>
#include <ringside/span.hpp>
#include <sys/mman.h>

namespace {

enum class Kind : std::uint8_t { plain, open, handed_over };
// In the order of time. kBegins: the macro has not returned; kEnds: the end has begun.
enum class Phase : std::uint8_t { none, begins, begun, ends, ended };

// The test reads this layout.
struct Entry {
  std::uint32_t parent;
  std::uint32_t depth;
  Kind kind;
  std::atomic<Phase> phase;
  std::uint8_t has_status;
  std::uint8_t unused[5];
};
static_assert(sizeof(Entry) == 16);

Entry* map_account(const char* path, std::size_t entries) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::size_t bytes = entries * sizeof(Entry);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return place == MAP_FAILED ? nullptr : static_cast<Entry*>(place);
}

// Ends spans that other threads have begun.
class Ender {
 public:
  void add(std::function<void()> end) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(std::move(end));
  }
  void run() {
    while (!is_over_.load() || !is_empty()) {
      std::vector<std::function<void()>> ends;
      {
        const std::lock_guard lock(mutex_);
        ends.swap(ends_);
      }
      for (const auto& end : ends) end();
      if (ends.empty()) std::this_thread::yield();
    }
  }
  void finish() { is_over_.store(true); }

 private:
  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return ends_.empty();
  }
  std::mutex mutex_;
  std::vector<std::function<void()>> ends_;
  std::atomic<bool> is_over_{false};
};

Ender ender;
bool is_paced = false;

class Worker {
 public:
  Worker(unsigned number, unsigned spans, std::uint64_t seed, bool hands_over, Entry* account)
      : number_(number), left_(spans), hands_over_(hands_over), account_(account) {
    random_.seed(seed * 1000 + number);
  }

  void run() {
    while (left_ != 0) nest(0, 0);
  }

 private:
  void nest(unsigned parent, unsigned depth) {
    if (is_paced) std::this_thread::sleep_for(std::chrono::microseconds(50));
    --left_;
    const unsigned n = ++last_;
    Entry& entry = account_[n - 1];
    const unsigned dice = random_() % 8;
    const bool has_status = dice % 2 != 0;
    entry.parent = parent;
    entry.depth = depth;
    entry.has_status = has_status ? 1 : 0;
    entry.kind =
        dice < 3 ? Kind::plain : (dice == 7 && hands_over_ ? Kind::handed_over : Kind::open);
    entry.phase.store(Phase::begins);
    switch (entry.kind) {
      case Kind::plain: {
        RS_NAMED_SPAN(INFO, span, "work", RS_NAMED("thread", number_), RS_ARG(n), RS_ARG(parent),
                      RS_ARG(depth));
        entry.phase.store(Phase::begun);
        run_inner(n, depth);
        if (has_status) RS_SPAN_SET(span, RS_NAMED("status", n * 7));
        entry.phase.store(Phase::ends);
        break;
      }
      case Kind::open: {
        RS_NAMED_OPEN_SPAN(INFO, span, "work", RS_NAMED("thread", number_), RS_ARG(n),
                           RS_ARG(parent), RS_ARG(depth));
        entry.phase.store(Phase::begun);
        run_inner(n, depth);
        if (has_status) RS_SPAN_SET(span, RS_NAMED("status", n * 7));
        entry.phase.store(Phase::ends);
        break;
      }
      case Kind::handed_over: {
        RS_NAMED_OPEN_SPAN(INFO, span, "work", RS_NAMED("thread", number_), RS_ARG(n),
                           RS_ARG(parent), RS_ARG(depth));
        entry.phase.store(Phase::begun);
        auto moved = std::make_shared<decltype(span)>(std::move(span));
        ender.add([moved, n, has_status, &entry] {
          if (has_status) RS_SPAN_SET(*moved, RS_NAMED("status", n * 7));
          entry.phase.store(Phase::ends);
          moved->end();
          entry.phase.store(Phase::ended);
        });
        return;
      }
    }
    entry.phase.store(Phase::ended);
  }

  void run_inner(unsigned n, unsigned depth) {
    while (left_ != 0 && depth < 6 && random_() % 3 != 0) nest(n, depth + 1);
  }

  unsigned number_;
  unsigned left_;
  bool hands_over_;
  Entry* account_;
  unsigned last_ = 0;
  std::minstd_rand random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const auto threads = static_cast<unsigned>(std::atoi(argv[2]));
  const auto spans = static_cast<unsigned>(std::atoi(argv[3]));
  const std::uint64_t seed = std::strtoull(argv[4], nullptr, 10);
  bool hands_over = false;
  for (int i = 5; i < argc; ++i) {
    hands_over = hands_over || std::string_view(argv[i]) == "handover";
    is_paced = is_paced || std::string_view(argv[i]) == "paced";
  }
  Entry* const account = map_account(argv[1], std::size_t{threads} * spans);
  if (account == nullptr) return 2;
  std::thread ends([] { ender.run(); });
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back(
        [=] { Worker(i + 1, spans, seed, hands_over, account + std::size_t{i} * spans).run(); });
  }
  for (std::thread& thread : running) thread.join();
  ender.finish();
  ends.join();
  return 0;
}
