// The whole consumerd above a disk that fails by a seed: segments are drained, files are rotated,
// slots are recovered, processes end at any point. At the end every record is in the files, once,
// in order. Meanwhile memory is bounded and a failing disk is logged and shown in the metrics. When
// the disk works again, everything is written without a restart.
//
// RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of histories.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <new>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "consumerd/poll/poll_loop.hpp"
#include "scripted_service.hpp"
#include "simulated_disk.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr std::uint32_t kServices = 3;
constexpr std::uint32_t kRings = 2;
constexpr std::uint64_t kRecordsOfRing = 40'000;
constexpr int kKilled = 42;
constexpr int kWrong = 99;
// More steps are a hang: everything takes thousands of times fewer.
constexpr std::uint64_t kPatienceSteps = 3'000'000;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Counted over all processes.
struct Totals {
  FaultCounts faults;
  std::uint64_t lives, kills, steps, outages, records;
};

Totals& totals() {
  static Totals* const shared =
      new (mmap(nullptr, sizeof(Totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Totals{};
  return *shared;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// One history: services, a disk, and consumerd processes one after the other.
class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t i = 0; i < kServices; ++i) {
      services_.push_back(
          std::make_unique<ScriptedService>(shm_.path(), name_of(i), i + 1, kRings));
    }
    options_.output_dir = out_.path();
    options_.shm_dir = shm_.path();
    options_.rotation.bytes = 16U << 10;
  }

  static std::string name_of(std::uint32_t service) { return "svc" + std::to_string(service); }

  // Runs consumerd in its own process until it ends or is killed. Returns the exit status.
  int live(bool last) {
    const std::uint64_t seed = random_();
    ++totals().lives;
    if (last) {
      for (const auto& service : services_) service->die();
    }
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
      const int log = ::open(log_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(log, STDERR_FILENO);
      _exit(life(seed, last));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string log_path() const { return logs_.file("log"); }

  std::uint64_t published() const {
    std::uint64_t sum = 0;
    for (const auto& service : services_) {
      for (std::uint32_t ring = 0; ring < kRings; ++ring) sum += service->published(ring);
    }
    return sum;
  }

  void check_all() const {
    for (std::uint32_t i = 0; i < kServices; ++i) {
      const TraceContent content = read_traces(out_.path(), name_of(i));
      for (const std::string& fault : content.faults) ADD_FAILURE() << fault;
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        EXPECT_TRUE(counts_up_to(content, ring + 1, services_[i]->published(ring)))
            << name_of(i) << " stream " << ring + 1;
        totals().records += services_[i]->published(ring);
      }
      EXPECT_EQ(content.dropped, 0U);
    }
    EXPECT_TRUE(shm_.names_with("ringside").empty()) << "segment and staging files are removed";
    EXPECT_TRUE(out_.names_with(".new").empty());
    EXPECT_TRUE(out_.names_with(".recovered").empty());
  }

 private:
  int life(std::uint64_t seed, bool last) {
    random_.seed(seed);
    heap_ = mallinfo2().uordblks;
    // How it ends: killed at some step, stopped at some step, or after everything is written.
    const std::uint64_t kind = last ? 3 : random_() % 4;
    if (kind <= 1) kill_at_ = 1 + random_() % (random_() % 4 == 0 ? 60 : 4000);
    if (kind == 2) stop_at_ = 1 + random_() % 3000;
    healthy_ = last;
    SimulatedDisk::set_up(random_(), out_.path(), &totals().faults, [this] { step(); });
    options_.once = last;
    const consumer::Log log(true);
    consumer::PollLoop loop(
        options_, log, stop_, rotate_,
        consumer::make_queued_io(SimulatedDisk::make_queue(), consumer::kStagingSlots));
    const int status = loop.run();
    if (testing::Test::HasFailure()) return kWrong;
    return status;
  }

  [[noreturn]] static void wrong(const std::string& what) {
    const std::string line = "WRONG: " + what + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    _exit(kWrong);
  }

  void step() {
    ++totals().steps;
    if (++step_ == kill_at_) {
      ++totals().kills;
      _exit(kKilled);
    }
    if (step_ == stop_at_) stop_ = true;
    if (step_ > kPatienceSteps) wrong("no end");
    if (healthy_) return finish_in_health();
    publish();
    if (random_() % 500 == 0) rotate_ = true;
    check_bounds();
    check_outage();
    if (step_ >= next_change_) change_disk();
    // A process that is neither killed nor stopped ends with a disk that works.
    if (kill_at_ == 0 && stop_at_ == 0 && step_ > 4000) {
      SimulatedDisk::state() = {};
      healthy_ = true;
    }
  }

  void publish() {
    if (random_() % 2 == 0) return;
    const std::uint64_t ring = random_() % kRings;
    ScriptedService& service = *services_[random_() % kServices];
    const auto index = static_cast<std::uint32_t>(ring);
    if (service.published(index) < kRecordsOfRing) service.publish(index, random_() % 100);
  }

  // Everything is written without a restart.
  void finish_in_health() {
    if (options_.once) return;
    if (!is_written(0, kServices)) return;
    for (std::uint32_t i = 0; i < kServices; ++i) {
      if (state_of(i) == shm::ConsumerState::kStalled)
        return;  // until the next round of this segment
    }
    stop_ = true;
  }

  bool is_written(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        const shm::RingMetadata& line = services_[i]->ring(ring);
        if (line.consumer.written_pos.load() != line.producer.producer_pos.load()) return false;
      }
    }
    return true;
  }

  void check_bounds() {
    for (const auto& service : services_) {
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        const shm::RingMetadata& line = service->ring(ring);
        const std::uint64_t consumed = line.consumer.consumer_pos.load();
        if (consumed > line.producer.producer_pos.load())
          wrong("drained records that do not exist");
        if (line.consumer.written_pos.load() > consumed)
          wrong("wrote records that were not drained");
      }
    }
    constexpr std::size_t kMostHeap = std::size_t{32} << 20;
    if (step_ % 256 == 0 && mallinfo2().uordblks > heap_ + kMostHeap) wrong("the heap grows");
  }

  shm::ConsumerState state_of(std::uint32_t service) {
    return static_cast<shm::ConsumerState>(services_[service]->control().consumer.state.load());
  }

  // While the disk fails for long, the failure is logged and shown in the metrics, and affects only
  // segments that cannot be written.
  void check_outage() {
    if (lasting_ == 0) return;
    if (SimulatedDisk::lasting_failures() != 0 && failing_since_ == 0) failing_since_ = step_;
    constexpr std::uint64_t kSoon = 300;
    if (failing_since_ == 0 || step_ < failing_since_ + kSoon) return;
    if (!outage_counted_) ++totals().outages;
    outage_counted_ = true;
    if (victim_ < kServices) {
      if (state_of(victim_) != shm::ConsumerState::kStalled)
        wrong("the state does not show the failure");
    } else {
      bool told = false;
      for (std::uint32_t i = 0; i < kServices; ++i) {
        told = told || state_of(i) == shm::ConsumerState::kStalled;
      }
      if (!told) wrong("no state tells");
    }
    if (!log_checked_) {
      const std::string log = text_of(log_path());
      log_checked_ = log.find("cannot write") != std::string::npos ||
                     log.find("cannot finish") != std::string::npos;
      if (!log_checked_) wrong("the log does not report the failure");
    }
  }

  // Notes what other segments had published when one file began to fail.
  void remember_others() {
    for (std::uint32_t i = 0; i < kServices; ++i) {
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        published_[i][ring] = services_[i]->ring(ring).producer.producer_pos.load();
      }
    }
  }
  void check_others() {
    for (std::uint32_t i = 0; i < kServices; ++i) {
      for (std::uint32_t ring = 0; i != victim_ && ring < kRings; ++ring) {
        if (services_[i]->ring(ring).consumer.written_pos.load() < published_[i][ring]) {
          wrong("a file that fails stops another");
        }
      }
    }
  }

  void change_disk() {
    // More than a service waits if its recovery failed together with the disk: recovery is retried
    // every 5 s.
    constexpr auto kOthersInTime = std::chrono::seconds(6);
    if (victim_ < kServices && failing_since_ != 0 &&
        std::chrono::steady_clock::now() - changed_ > kOthersInTime) {
      check_others();
    }
    changed_ = std::chrono::steady_clock::now();
    DiskState state;
    victim_ = kServices;
    lasting_ = 0;
    failing_since_ = 0;
    outage_counted_ = false;
    constexpr std::array<int, 3> kErrors = {ENOSPC, EIO, EROFS};
    switch (random_() % 6) {
      case 0:
        break;
      case 1:
      case 2:
        state.flaky_permille = 50 + static_cast<unsigned>(random_() % 500);
        break;
      case 3:
        state.error = lasting_ = kErrors[random_() % kErrors.size()];
        break;
      case 4:
        state.error = lasting_ = EIO;
        victim_ = static_cast<std::uint32_t>(random_() % kServices);
        state.only_files_of = name_of(victim_) + ".";
        remember_others();
        break;
      default:
        state.answers = false;
        break;
    }
    SimulatedDisk::state() = state;
    next_change_ = step_ + 50 + random_() % 2000;
  }

  std::mt19937_64 random_;
  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  TemporaryDirectory logs_;
  consumer::Options options_;
  std::vector<std::unique_ptr<ScriptedService>> services_;
  // set at the step where this process stops
  std::atomic<bool> stop_{false};
  std::atomic<bool> rotate_{false};
  std::uint64_t step_ = 0;
  std::uint64_t kill_at_ = 0;
  std::uint64_t stop_at_ = 0;
  std::uint64_t next_change_ = 0;
  std::uint64_t failing_since_ = 0;
  std::chrono::steady_clock::time_point changed_;  // when the disk changed, by the disk's clock
  std::size_t heap_ = 0;
  int lasting_ = 0;
  std::uint32_t victim_ = kServices;
  bool outage_counted_ = false;
  bool log_checked_ = false;
  bool healthy_ = false;
  std::uint64_t published_[kServices][kRings] = {};
};

TEST(StorageFaults, LoseNothingWhateverTheirHistory) {
  const std::uint64_t first = number_from("RINGSIDE_TEST_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("RINGSIDE_TEST_ROUNDS", 12);
  std::cout << "RINGSIDE_TEST_SEED=" << first << std::endl;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    SCOPED_TRACE("RINGSIDE_TEST_SEED=" + std::to_string(seed) + " RINGSIDE_TEST_ROUNDS=1");
    History history(seed);
    for (int i = 0; i < 8; ++i) {
      const int status = history.live(false);
      ASSERT_TRUE(status == consumer::kExitOk || status == consumer::kExitFailure ||
                  status == kKilled)
          << "status " << status << " in life " << i << ", which said\n"
          << text_of(history.log_path());
    }
    ASSERT_EQ(history.live(true), consumer::kExitOk) << text_of(history.log_path());
    history.check_all();
    if (HasFailure()) return;
  }
  const Totals& sum = totals();
  std::cout << "lives of consumerd: " << sum.lives << " (killed: " << sum.kills
            << "), steps: " << sum.steps << ", outages: " << sum.outages
            << ", records: " << sum.records << "\nfaults injected:";
  for (std::size_t i = 0; i < sum.faults.size(); ++i) {
    std::cout << (i == 0 ? " " : ", ") << kFaultNames[i] << " " << sum.faults[i];
  }
  std::cout << std::endl;
  for (std::size_t i = 0; rounds >= 12 && i < sum.faults.size(); ++i) {
    EXPECT_GT(sum.faults[i], 0U) << kFaultNames[i] << " never happened";
  }
}

}  // namespace
}  // namespace ringside::consumer_test
