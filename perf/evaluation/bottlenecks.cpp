// Figure 9.5 of NanoLog's dissertation: the rate of 1 to 16 threads that log back to back, with the
// parts of the consumer left out that could limit it. The service is a process with the library;
// the consumer is a loop of consumerd's own parts in this process, because consumerd itself has no
// such configurations:
//
//   full         encodes and writes, as consumerd does
//   no_output    encodes; writes go nowhere
//   no_encoder   copies the rings' bytes and writes them
//   neither      copies the rings' bytes; writes go nowhere
//   release      releases the rings without reading them: the limit of the log calls
//
// A JSON line for each run: the rate from the first call until all of it is drained and, as far as
// anything is written, in the file.

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/mman.h>
#include <sys/wait.h>

#include "consumerd/poll/round_pace.hpp"
#include "consumerd/session/consumer_entry.hpp"
#include "consumerd/session/segment_session.hpp"
#include "perf/evaluation/bare_drain.hpp"
#include "perf/evaluation/discarding_io.hpp"
#include "perf/harness/child_process.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr std::array kModes{"full", "no_output", "no_encoder", "neither", "release"};
constexpr std::array kThreads{1U, 2U, 4U, 8U, 16U};
constexpr auto kPatience = std::chrono::minutes(5);

[[noreturn]] void fail(const std::string& why) {
  throw std::runtime_error(why);
}

// Between the service and this process.
struct Shared {
  std::atomic<bool> served;  // this process drains the rings
  std::atomic<bool> logged;  // all log calls have returned
  std::atomic<std::uint64_t> began_ns;
  std::atomic<std::uint64_t> lost;
};

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
          .count());
}

struct Load {
  Case message;
  unsigned threads;
  std::uint64_t records;  // of all threads together
};

template <Case C>
void log_case(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) RingsideSubject::call<C>(0);
}

[[noreturn]] void serve(const Load& load, const std::string& shm_dir, Shared& shared) {
  ringside::Options options;
  options.shm_dir = shm_dir;
  options.service = "bottlenecks";
  options.block_timeout = ringside::forever;  // a busy machine must not lose records
  ringside::init(options);
  std::barrier together(static_cast<std::ptrdiff_t>(load.threads) + 1);
  std::vector<std::thread> threads;
  threads.reserve(load.threads);
  for (unsigned i = 0; i < load.threads; ++i) {
    threads.emplace_back([&] {
      ringside::preallocate();
      together.arrive_and_wait();
      const std::uint64_t records = load.records / load.threads;
      load.message == Case::static_text ? log_case<Case::static_text>(records)
                                        : log_case<Case::five_arguments>(records);
    });
  }
  while (!shared.served) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  shared.began_ns = now_ns();
  together.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  const ringside::Status status = ringside::status();
  shared.lost = status.dropped + status.refused;
  shared.logged = true;
  // What is in the rings is drained while the process lives, as in a service.
  for (;;) pause();
}

class Service {
 public:
  Service(const Load& load, const std::string& shm_dir) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("no shared memory");
    shared_ = new (memory) Shared{};
    pid_ = fork();
    if (pid_ < 0) fail("fork failed");
    if (pid_ == 0) serve(load, shm_dir, *shared_);
  }
  ~Service() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    munmap(shared_, sizeof(Shared));
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Shared& shared() { return *shared_; }

 private:
  Shared* shared_ = nullptr;
  pid_t pid_ = -1;
};

std::unique_ptr<consumer::AttachedSegment> attach(const std::string& shm_dir) {
  const auto end = Clock::now() + kPatience;
  while (Clock::now() < end) {
    for (const auto& entry : std::filesystem::directory_iterator(shm_dir)) {
      const std::string name = entry.path().filename();
      consumer::AttachFailure failure;
      if (!name.starts_with("ringside.")) continue;
      auto segment = consumer::AttachedSegment::attach(shm_dir, name, &failure);
      if (segment != nullptr) return segment;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  fail("the service has no segment");
}

// What all consumers of this program share.
struct Parts {
  consumer::Log log;
  std::unique_ptr<consumer::StagingFile> staging;
  std::unique_ptr<consumer::BlockIo> io;
  std::unique_ptr<consumer::SlotWriter> writer;

  Parts(const std::string& shm_dir, bool discards) {
    std::string why;
    staging = consumer::StagingFile::create(shm_dir, &why);
    if (staging == nullptr) fail(why);
    if (discards) {
      io = std::make_unique<DiscardingIo>();
    } else {
      io = consumer::make_block_io(consumer::IoChoice::kAuto, consumer::kStagingSlots, &why);
    }
    if (io == nullptr) fail(why);
    writer = std::make_unique<consumer::SlotWriter>(*staging, *io, log);
  }
};

// Until the service has logged everything and `poll` finds nothing more.
template <class Poll>
void drain_all(Parts& parts, Shared& shared, Poll&& poll) {
  consumer::RoundPace pace(parts.log);
  const auto end = Clock::now() + kPatience;
  for (;;) {
    const bool logged = shared.logged;  // before the round that finds nothing
    const consumer::RoundResult round = poll();
    parts.writer->poll(round.starved);
    if (round.starved) continue;
    if (logged && round.ring_bytes == 0) return;
    if (Clock::now() > end) fail("the service does not end");
    pace.rest_after(round, {}, consumer::RoundPace::Clock::now());  // naps, and never sleeps
  }
}

struct Result {
  std::uint64_t bytes = 0;
  std::uint64_t ended_ns = 0;
};

Result encode_all(Parts& parts, std::unique_ptr<consumer::AttachedSegment> segment,
                  const std::string& folder, Shared& shared) {
  std::string why;
  const auto session = consumer::SegmentSession::start(std::move(segment), folder, *parts.writer,
                                                       *parts.staging, parts.log, &why);
  if (session == nullptr) fail(why);
  shared.served = true;
  drain_all(parts, shared, [&] { return session->poll(); });
  session->seal();
  while (!parts.writer->idle()) parts.writer->poll(true);
  const Result result{parts.writer->bytes_written(), now_ns()};
  session->begin_end(trace::EndReason::kConsumerEnded);
  while (session->try_end() != consumer::SegmentSession::End::kOver) parts.writer->poll(true);
  session->leave();
  return result;
}

Result copy_all(Parts& parts, consumer::AttachedSegment& segment, const std::string& folder,
                bool copies, Shared& shared) {
  const Descriptor file(open((folder + "/bytes").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) fail("cannot create a file in " + folder);
  consumer::enter_segment(segment, *parts.staging);
  segment.publish_state(shm::ConsumerState::kPolling);
  BareDrain drain(segment, *parts.writer, *parts.staging, file.get(), copies);
  shared.served = true;
  drain_all(parts, shared, [&] { return drain.poll(); });
  drain.seal();
  while (!parts.writer->idle()) parts.writer->poll(true);
  return {drain.bytes(), now_ns()};
}

void measure(const Load& load, std::size_t mode, const std::string& parent) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory folder(parent);
  const std::string name = kModes[mode];
  Service service(load, shm.path());
  Shared& shared = service.shared();
  Parts parts(shm.path(), name != "full" && name != "no_encoder");
  auto segment = attach(shm.path());
  const Result result = name == "full" || name == "no_output"
                            ? encode_all(parts, std::move(segment), folder.path(), shared)
                            : copy_all(parts, *segment, folder.path(), name != "release", shared);
  const double seconds = static_cast<double>(result.ended_ns - shared.began_ns) * 1e-9;
  if (shared.lost != 0) fail(std::to_string(shared.lost) + " records were lost: invalid figures");
  const std::uint64_t records = load.records / load.threads * load.threads;
  std::printf(
      "{\"part\":\"bottlenecks\",\"message\":\"%s\",\"threads\":%u,\"mode\":\"%s\",\"rate\":%.0f,"
      "\"bytes\":%.3f}\n",
      name_of(load.message), load.threads, name.c_str(), static_cast<double>(records) / seconds,
      static_cast<double>(result.bytes) / static_cast<double>(records));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Figure 9.5 of the source: the consumer without its encoder, its output, or both.");
  std::uint64_t records = 16'000'000;
  int repeats = 3;
  std::string folder = std::filesystem::temp_directory_path();
  app.add_option("--records", records, "of all threads together, in each run");
  app.add_option("--repeats", repeats, "of each run, in turns");
  app.add_option("--folder", folder, "where files are written; they are removed");
  bool quick = false;
  app.add_flag("--quick", quick, "few records and threads, to check that it runs");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    records = 20'000;
    repeats = 1;
  }
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const Case message : {Case::static_text, Case::five_arguments}) {
      for (const unsigned threads : kThreads) {
        if (quick && threads > 2) continue;
        for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
          measure({message, threads, records}, mode, folder);
        }
      }
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bottlenecks: %s\n", error.what());
  return 1;
}
