// When PollLoop logs that it continues with a new staging file.

#include <array>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/poll/poll_loop.hpp"
#include "consumerd/write/staging_file.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

constexpr const char* kMessage = "using a new one";
constexpr const char* kStagingFile = "ringside-staging.";
// Calls of the loop: more than it needs to log a message that it logs too early.
constexpr int kCallsOnHold = 100;

// The disk, which the loop calls. It removes the staging file while the first write is under way,
// and ends no write until the next staging file exists for a while.
class DiskOnHold final : public consumer::BlockIo {
 public:
  DiskOnHold(const TemporaryDirectory& shm, ScriptedService& service, std::string log_path,
             std::atomic<bool>& stop)
      : shm_(shm), service_(service), log_path_(std::move(log_path)), stop_(stop) {}

  void prepare_slot(std::uint32_t, std::byte*, std::size_t) override {}

  bool submit(const consumer::WriteRequest& request) override {
    under_way_.push_back(request);
    return true;
  }

  std::size_t reap(std::span<consumer::WriteCompletion> out, bool) override {
    step();
    if (on_hold_) return 0;
    std::size_t done = 0;
    while (done < out.size() && !under_way_.empty()) {
      const consumer::WriteRequest request = under_way_.back();
      under_way_.pop_back();
      const ssize_t written =
          pwrite(request.fd, request.data, request.bytes, static_cast<off_t>(request.offset));
      out[done++] = {request.slot, static_cast<std::int32_t>(written)};
    }
    return done;
  }

  const char* name() const override { return "on hold"; }

  bool has_seen_message() const { return seen_message_; }

 private:
  void step() {
    if (seen_message_) return;
    service_.publish(0, 1);  // so that the loop always has something to write
    const std::vector<std::string> files = shm_.names_with(kStagingFile);
    if (first_.empty() && !under_way_.empty()) {
      ASSERT_EQ(files.size(), 1U);
      first_ = files.front();
      unlink(shm_.file(first_).c_str());
    } else if (on_hold_ && !first_.empty() && !files.empty()) {
      EXPECT_FALSE(is_logged()) << "the loop still uses the old file";
      on_hold_ = ++calls_on_hold_ < kCallsOnHold;
    } else if (!on_hold_ && is_logged()) {
      seen_message_ = true;
      std::array<std::uint8_t, 16> named{};
      std::memcpy(named.data(), service_.control().consumer.staging_uuid, named.size());
      EXPECT_EQ(files, std::vector<std::string>{consumer::staging_name(named)});
      stop_ = true;
    }
  }

  bool is_logged() const {
    std::ifstream in(log_path_);
    return std::string(std::istreambuf_iterator<char>(in), {}).find(kMessage) != std::string::npos;
  }

  const TemporaryDirectory& shm_;
  ScriptedService& service_;
  const std::string log_path_;
  std::atomic<bool>& stop_;
  std::vector<consumer::WriteRequest> under_way_;
  std::string first_;
  bool on_hold_ = true;
  int calls_on_hold_ = 0;
  bool seen_message_ = false;
};

TEST(StagingChange, IsLoggedAfterItHasHappened) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  const TemporaryDirectory logs;
  ScriptedService service(shm.path(), "svc", 1, 1);
  consumer::Options options;
  options.shm_dir = shm.path();
  options.output_dir = out.path();
  options.sandbox = consumer::SandboxChoice::kOff;
  std::atomic<bool> stop{false};
  std::atomic<bool> rotate{false};
  auto disk = std::make_unique<DiskOnHold>(shm, service, logs.file("log"), stop);
  const DiskOnHold& seen = *disk;
  const consumer::UniqueFd log_file(
      open(logs.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const consumer::Log log(false, consumer::LogFormat::kText, log_file.get());
  consumer::PollLoop loop(options, log, stop, rotate, std::move(disk));
  EXPECT_EQ(loop.run(), consumer::kExitOk);
  EXPECT_TRUE(seen.has_seen_message());
}

}  // namespace
}  // namespace ringside::consumer_test
