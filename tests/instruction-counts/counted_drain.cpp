// consumerd's work on the records of one ring, to be counted under callgrind: a service that never
// had a session, one whose session has ended, and one with a session. Beside it a plain copy of the
// same bytes and the encoder's work on them. Each is dumped for two numbers of records, because the
// difference is the cost of records alone, and several times, because the test takes the least: a
// round may also seal a buffer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <valgrind/callgrind.h>

#include "consumerd/session/segment_session.hpp"
#include "consumerd/sessions/trace_session.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "tests/consumerd/scripted_service.hpp"
#include "tests/consumerd/temporary_directory.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace {

using namespace ringside;

constexpr std::array kRecords{1000U, 4000U};  // the ring and one batch hold them all
constexpr int kRounds = 5;
constexpr int kMostRounds = 1000;

[[noreturn]] void fail(const std::string& why) {
  throw std::runtime_error(why);
}

void dump(const std::string& name, unsigned records) {
  const std::string dumped = name + "_" + std::to_string(records);
  CALLGRIND_DUMP_STATS_AT(dumped.c_str());
}

// Records of site 1 with the same steps of clock and value in every run.
class Records {
 public:
  explicit Records(std::uint64_t start_tsc) : tsc_(start_tsc) {}

  std::vector<std::uint64_t> next(unsigned count) {
    std::vector<std::uint64_t> words;
    for (unsigned i = 0; i < count; ++i) {
      tsc_ += 20 + i % 31;
      words.push_back(shm::make_head(tsc_, 1));
      words.push_back(i);
    }
    return words;
  }

 private:
  std::uint64_t tsc_;
};

void count_encoder() {
  shm::SiteDescription site;
  site.site_id = 1;
  shm::FieldDescription field;
  field.type = shm::FieldType::u64;
  std::vector<std::byte> entry(shm::site_entry_bytes(site, {&field, 1}));
  shm::write_site_entry(site, {&field, 1}, entry.data());
  trace::SiteTable sites;
  sites.add(entry, nullptr);
  trace::ExtentEncoder encoder(sites);
  std::vector<std::byte> copy(consumer_test::ScriptedService::kRingBytes);
  std::vector<std::byte> out(1U << 20);
  Records records(1U << 20);
  trace::StreamCursor cursor;
  cursor.last_tsc = 1U << 20;
  const auto encode = [&](unsigned count) {
    const std::vector<std::uint64_t> words = records.next(count);
    const std::size_t bytes = words.size() * sizeof words[0];
    CALLGRIND_ZERO_STATS;
    std::memcpy(copy.data(), words.data(), bytes);
    const trace::EncodeResult result =
        encoder.encode(std::span(copy).first(bytes), cursor, 0, 0, out);
    dump("drain_copy_and_encode", count);
    if (result.records != count) fail("the encoder left records");
  };
  for (int round = 0; round < kRounds; ++round) {
    for (const unsigned count : kRecords) encode(count);
  }
}

class Drained {
 public:
  Drained(const std::string& shm_dir, const std::string& output_dir)
      : shm_dir_(shm_dir), service_(shm_dir, "svc", 1, 1), records_(service_.header().start_tsc) {
    std::string why;
    staging_ = consumer::StagingFile::create(shm_dir, &why);
    if (staging_ == nullptr) fail(why);
    io_ = consumer::make_pwrite_io();
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_);
    consumer::AttachFailure failure;
    auto attached = consumer::AttachedSegment::attach(shm_dir, service_.name(), &failure);
    if (attached == nullptr) fail("cannot attach the segment");
    session_ = consumer::SegmentSession::start(std::move(attached), output_dir, *writer_, *staging_,
                                               log_, &why);
    if (session_ == nullptr) fail(why);
    session_->set_rules(std::make_shared<consumer::RecordRules>());  // none
  }
  ~Drained() {
    session_->begin_end(trace::EndReason::kConsumerEnded);
    while (session_->try_end() != consumer::SegmentSession::End::kOver) writer_->poll(true);
  }

  void count(const char* name) {
    for (int round = 0; round < kRounds; ++round) {
      for (const unsigned records : kRecords) {
        publish(records);
        CALLGRIND_ZERO_STATS;
        const consumer::RoundResult result = session_->poll();
        dump(name, records);
        check(result, records);
        writer_->poll(false);
      }
    }
  }

  void begin_session(const std::string& output_dir) {
    consumer::SessionSpec spec;
    spec.name = "counted";
    spec.uuid[0] = 7;
    spec.output_dir = output_dir;
    std::string why;
    trace_ = consumer::TraceSession::start(spec, shm_dir_, log_, &why);
    if (trace_ == nullptr || !session_->add_session(*trace_, &why)) fail(why);
    drain(1);
  }

  void end_session() {
    trace_->begin_end("counted");
    for (int round = 0; session_->has_session(*trace_) || !trace_->all_written(); ++round) {
      if (round == kMostRounds) fail("the session does not end");
      drain(1);
      trace_->poll();
      usleep(10'000);
    }
    session_->tend();
    trace_.reset();
  }

 private:
  void publish(unsigned count) {
    const std::vector<std::uint64_t> words = records_.next(count);
    service_.publish_raw(0, words.data(), words.size() * sizeof words[0]);
  }
  void check(const consumer::RoundResult& result, unsigned records) {
    if (result.ring_bytes != records * consumer_test::ScriptedService::kRecordBytes) {
      fail("a round did not drain the ring");
    }
  }
  void drain(unsigned records) {
    publish(records);
    check(session_->poll(), records);
  }

  const std::string shm_dir_;
  const consumer::Log log_;
  consumer_test::ScriptedService service_;
  Records records_;
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::BlockIo> io_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<consumer::TraceSession> trace_;
  std::unique_ptr<consumer::SegmentSession> session_;
};

}  // namespace

int main() try {
  const consumer_test::TemporaryDirectory folder("/dev/shm");
  const std::string output = folder.path() + "/main";
  const std::string session_output = folder.path() + "/session";
  std::filesystem::create_directory(output);
  std::filesystem::create_directory(session_output);
  count_encoder();
  Drained drained(folder.path(), output);
  drained.count("drain_no_session");
  drained.begin_session(session_output);
  drained.count("drain_with_session");
  drained.end_session();
  drained.count("drain_after_session");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "counted_drain: %s\n", error.what());
  return 1;
}
