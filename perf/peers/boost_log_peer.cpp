// Boost.Log: an asynchronous text sink with a bounded queue that blocks when full. The caller
// composes the message, and the sink's thread composes the rest of the line. The logger is the
// single-threaded one.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iomanip>

#include <boost/log/attributes.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/support/date_time.hpp>
#include <boost/log/trivial.hpp>
#include <boost/log/utility/setup/common_attributes.hpp>
#include <boost/make_shared.hpp>

#include "perf/peers/peer_rows.hpp"

namespace {

using namespace ringside::perf;
namespace logging = boost::log;
using logging::trivial::info;

struct BoostLogPeer {
  static constexpr const char* kName = "boost_log";
  static constexpr int kRecords = 100'000;
  static constexpr std::size_t kQueueRecords = 32768;  // never full in a burst or a paced block

  using Sink = logging::sinks::asynchronous_sink<
      logging::sinks::text_ostream_backend,
      logging::sinks::bounded_fifo_queue<kQueueRecords, logging::sinks::block_on_overflow>>;

  static inline boost::shared_ptr<Sink> sink;
  static inline logging::sources::severity_logger<logging::trivial::severity_level> log;

  static RecordCostPlan plan() {
    RecordCostPlan plan;
    plan.bursts.pairs = 30;
    return plan;
  }

  static void open(const std::string& folder, Processors processors) {
    namespace expr = logging::expressions;
    auto backend = boost::make_shared<logging::sinks::text_ostream_backend>();
    backend->add_stream(boost::make_shared<std::ofstream>(folder + "/log"));
    pin_to(processors.consumer);  // the sink's thread inherits it
    sink = boost::make_shared<Sink>(backend);
    pin_to(processors.measured);
    sink->set_formatter(expr::stream << '['
                                     << expr::format_date_time<boost::posix_time::ptime>(
                                            "TimeStamp", "%Y-%m-%d %H:%M:%S.%f")
                                     << "] [" << logging::trivial::severity << "] "
                                     << expr::smessage);
    logging::core::get()->add_sink(sink);
  }
  static Written close() {
    logging::core::get()->remove_sink(sink);
    sink->stop();
    sink->flush();
    sink.reset();
    return {__builtin_ia32_rdtsc()};
  }
  static std::uint64_t missing(const std::string& folder, std::uint64_t logged) {
    return missing_lines(folder, logged);
  }
  static void settle() { sink->flush(); }

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      BOOST_LOG_SEV(log, info) << "Starting backup replica garbage collector thread";
    } else if constexpr (C == Case::string39) {
      BOOST_LOG_SEV(log, info) << "Opened session with coordinator at " << string39();
    } else if constexpr (C == Case::integer) {
      BOOST_LOG_SEV(log, info) << "Backup storage speeds (min): " << integer() << " MB/s read";
    } else if constexpr (C == Case::two_integers) {
      BOOST_LOG_SEV(log, info) << "Buffer has consumed " << two_integers_first()
                               << " bytes of extra storage, current allocation: "
                               << two_integers_second() << " bytes";
    } else if constexpr (C == Case::floating) {
      BOOST_LOG_SEV(log, info) << "Using tombstone ratio balancer with ratio = " << std::fixed
                               << std::setprecision(6) << floating();
    } else {
      BOOST_LOG_SEV(log, info) << "Initialized InfUdDriver buffers: " << five_first()
                               << " receive buffers (" << five_second() << " MB), " << five_third()
                               << " transmit buffers (" << five_fourth() << " MB), took "
                               << std::fixed << std::setprecision(1) << five_fifth() << " ms";
    }
  }
};

}  // namespace

int main(int argc, char** argv) try {
  logging::add_common_attributes();
  return run_peer<BoostLogPeer>(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
} catch (...) {  // Boost's exceptions are not all derived from std::exception
  std::fprintf(stderr, "boost_log: unknown exception\n");
  return ringside::perf::kExitDoesNotCount;
}
