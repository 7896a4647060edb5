// Gates: what passes, and what is counted, in every language.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/gate_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

const gate_statements* const kLanguages[] = {&c11_gates, &cpp17_gates, &cpp20_gates};

std::uint32_t id_of(const gate_statements& g, const char* rest) {
  return own_segment().site(std::string(g.language) + rest).id;
}

std::uint64_t suppressed(std::uint32_t id) {
  return own_segment().executions(id).suppressed;
}

// The value that each record of a statement has, over all rings.
Values recorded(std::uint32_t id) {
  Values all;
  for (std::uint32_t ring = 0; ring < own_segment().rings_used(); ++ring) {
    for (const Record& r : own_segment().data(ring)) {
      if (r.code == id) all.push_back(r.values.at(0));
    }
  }
  return all;
}

PROCESS_TEST(Gate, EveryNRecordsTheFirstOfEachN) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 35; ++i) g->every_ten(i);
    const std::uint32_t id = id_of(*g, " every ten %d");
    EXPECT_EQ(recorded(id), (Values{"i32 0", "i32 10", "i32 20", "i32 30"}));
    EXPECT_EQ(suppressed(id), 31U);
    for (int i = 0; i < 3; ++i) g->every_one(i);
    EXPECT_EQ(recorded(id_of(*g, " every one %d")).size(), 3U);
    EXPECT_EQ(suppressed(id_of(*g, " every one %d")), 0U);
  }
}

PROCESS_TEST(Gate, EveryNCountsInBatches) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    std::uint64_t passed = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      g->every_ten(0);
      if (i % 10 == 0) ++passed;
      const std::uint64_t exact = i + 1 - passed;
      const std::uint64_t counted = suppressed(id_of(*g, " every ten %d"));
      EXPECT_LE(counted, exact);
      EXPECT_LT(exact, counted + RS_GATE_BATCH);
      if (i < RS_GATE_BATCH || i % RS_GATE_BATCH == RS_GATE_BATCH - 1) {
        EXPECT_EQ(counted, exact) << i;
      }
    }
  }
}

PROCESS_TEST(Gate, FirstNRecordsNoMore) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    g->first(0, -1);
    g->first(-5, -1);
    for (int i = 0; i < 10; ++i) g->first(3, i);
    const std::uint32_t id = id_of(*g, " first %d");
    EXPECT_EQ(recorded(id), (Values{"i32 0", "i32 1", "i32 2"}));
    EXPECT_EQ(suppressed(id), 9U);
    for (int i = 0; i < 5; ++i) g->once(i);
    EXPECT_EQ(recorded(id_of(*g, " once %d")), (Values{"i32 0"}));
    EXPECT_EQ(suppressed(id_of(*g, " once %d")), 4U);
  }
}

PROCESS_TEST(Gate, EveryMsRecordsOncePerPeriod) {
  constexpr long long kDayMs = 86'400'000;
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i <= 2 * RS_GATE_BATCH; ++i) g->every_ms(kDayMs, i);
    const std::uint32_t id = id_of(*g, " every ms %d");
    EXPECT_EQ(recorded(id), (Values{"i32 0"}));
    EXPECT_EQ(suppressed(id), 2U * RS_GATE_BATCH);
    for (int i = 0; i < RS_GATE_BATCH - 1; ++i) g->every_ms(kDayMs, i);
    EXPECT_EQ(suppressed(id), 2U * RS_GATE_BATCH) << "in batches";
    for (const long long none : {0LL, -1LL, static_cast<long long>(INT64_MIN)})
      g->every_ms(none, 1);
    EXPECT_EQ(recorded(id).size(), 4U);
  }
}

PROCESS_TEST(Gate, EveryMsRecordsAgainAfterThePeriodAndNotBefore) {
  using Clock = std::chrono::steady_clock;
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    const Clock::time_point start = Clock::now();
    g->every_ms(30, 0);
    const std::uint32_t id = id_of(*g, " every ms %d");
    wait_until([&] {
      g->every_ms(30, 1);
      return recorded(id).size() > 1;
    });
    EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(30));
  }
}

PROCESS_TEST(Gate, EveryMsTakesAnyPeriod) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 3; ++i) g->every_ms(INT64_MAX, i);
    EXPECT_EQ(recorded(id_of(*g, " every ms %d")), (Values{"i32 0"}));
  }
}

PROCESS_TEST(Gate, IfCountsWhatItSuppresses) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 10; ++i) g->if_true(i == 7, i);
    const std::uint32_t id = id_of(*g, " if %d");
    EXPECT_EQ(recorded(id), (Values{"i32 7"}));
    EXPECT_EQ(suppressed(id), 9U);
    EXPECT_EQ(g->counts_evaluations(1), 1);
    EXPECT_EQ(g->counts_evaluations(0), 0) << "arguments of a suppressed execution";
  }
}

PROCESS_TEST(Gate, AGateWithinAGateDecidesAboutWhatTheOuterOnePassed) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 40; ++i) g->nested(i % 2, i);
    const std::uint32_t id = id_of(*g, " nested %d");
    EXPECT_EQ(recorded(id), (Values{"i32 1", "i32 9"}));
    EXPECT_EQ(suppressed(id), 38U);
  }
}

PROCESS_TEST(Gate, IsOneStatementForTheCompiler) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 6; ++i) g->unbraced(i < 2 ? 1 : 0, i);
    EXPECT_EQ(recorded(id_of(*g, " then %d")), (Values{"i32 0"}));
    EXPECT_EQ(recorded(id_of(*g, " else %d")), (Values{"i32 2"}));
  }
}

PROCESS_TEST(Gate, ADisabledStatementAsksNoGate) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    g->if_true(1, 0);
    for (const char* const rest :
         {" every ten %d", " first %d", " once %d", " every ms %d", " if %d"}) {
      own_segment().set_site_switch(id_of(*g, rest), shm::kSwitchOff);
    }
    for (int i = 0; i < 20; ++i) {
      g->every_ten(i);
      g->first(1, i);
      g->once(i);
      g->every_ms(1'000'000, i);
      g->if_true(0, i);
    }
    for (const char* const rest :
         {" every ten %d", " first %d", " once %d", " every ms %d", " if %d"}) {
      const std::uint32_t id = id_of(*g, rest);
      EXPECT_EQ(suppressed(id), 0U) << rest;
      own_segment().set_site_switch(id, shm::kSwitchOn);
    }
    g->every_ten(5);
    g->first(1, 5);
    g->once(5);
    g->every_ms(1'000'000, 5);
    for (const char* const rest : {" every ten %d", " first %d", " once %d", " every ms %d"}) {
      EXPECT_EQ(recorded(id_of(*g, rest)), (Values{"i32 5"})) << rest;
    }
  }
}

PROCESS_TEST(Gate, ACountingStatementAsksNoGate) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    g->if_true(1, 0);
    const std::uint32_t id = id_of(*g, " if %d");
    own_segment().set_site_switch(id, shm::kSwitchCounting);
    for (int i = 0; i < 6; ++i) g->if_true(i % 2, i);
    EXPECT_EQ(own_segment().executions(id).counted, 6U);
    EXPECT_EQ(suppressed(id), 0U);
  }
}

PROCESS_TEST(Gate, NothingIsLostAmongThreads) {
  constexpr int kThreads = 12;
  constexpr int kCalls = 6400;
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([g] {
        for (int i = 0; i < kCalls; ++i) {
          g->every_ten(i);
          g->first(100, i);
          g->once(i);
          g->every_ms(86'400'000, i);
          g->if_true(0, i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    constexpr std::size_t kAll = std::size_t{kThreads} * kCalls;
    const auto expect = [&](const char* rest, std::size_t passed) {
      EXPECT_EQ(recorded(id_of(*g, rest)).size(), passed) << rest;
      EXPECT_EQ(suppressed(id_of(*g, rest)), kAll - passed) << rest;
    };
    expect(" every ten %d", kAll / 10);
    expect(" first %d", 100);
    expect(" once %d", 1);
    EXPECT_EQ(recorded(id_of(*g, " every ms %d")).size(), 1U);
    EXPECT_LE(suppressed(id_of(*g, " every ms %d")), kAll - 1);
    EXPECT_GT(suppressed(id_of(*g, " every ms %d")), kAll - 1 - RS_GATE_BATCH);
    expect(" if %d", 0);
  }
}

PROCESS_TEST(Gate, WorksInSignalHandlers) {
  for (const gate_statements* g : kLanguages) {
    SCOPED_TRACE(g->language);
    for (int i = 0; i < 20; ++i) {
      in_handler([&] {
        g->every_ten(i);
        g->once(i);
        g->every_ms(86'400'000, i);
      });
    }
    EXPECT_EQ(recorded(id_of(*g, " every ten %d")), (Values{"i32 0", "i32 10"}));
    EXPECT_EQ(suppressed(id_of(*g, " every ten %d")), 18U);
    EXPECT_EQ(suppressed(id_of(*g, " once %d")), 19U);
    EXPECT_EQ(suppressed(id_of(*g, " every ms %d")), 19U);
  }
}

template <class T>
void log_template(T value) {
  const auto log = [](auto v) { RS_EVERY_N(2, RS_FMT(INFO, "template {}", v)); };
  log(value);
}

PROCESS_TEST(Gate, TakesStatementsInBraceStyleOfTemplatesAndLambdas) {
  for (int i = 0; i < 4; ++i) log_template(i);
  for (int i = 0; i < 4; ++i) log_template(i + 0.5);
  EXPECT_EQ(own_segment().count_sites("template {}"), 2U);
  Values all;
  for (const Record& r : own_segment().data(0)) all.push_back(r.values.at(0));
  EXPECT_EQ(all, (Values{"i32 0", "i32 2", "f64 0.5", "f64 2.5"}));
}

PROCESS_TEST(Gate, ANameOfAFieldIsTheArgumentsOwn) {
  const int shares = 3;
  RS_ONCE(RS_INFO("names %d %d", shares, EOF));
  const Site& site = own_segment().site("names %d %d");
  EXPECT_EQ(site.fields.at(0).name, "shares");
  EXPECT_EQ(site.fields.at(1).name, "EOF");
}

PROCESS_TEST(Gate, AChildGoesOnWithItsOwnCounts) {
  for (int i = 0; i < 15; ++i) cpp20_gates.every_ten(i);
  EXPECT_EQ(run_child([] {
              for (int i = 15; i < 25; ++i) cpp20_gates.every_ten(i);
              const std::uint32_t id = id_of(cpp20_gates, " every ten %d");
              EXPECT_EQ(recorded(id), (Values{"i32 20"}));
              EXPECT_EQ(suppressed(id), 9U);
            }),
            0);
  EXPECT_EQ(suppressed(id_of(cpp20_gates, " every ten %d")), 13U);
}

}  // namespace
}  // namespace ringside::test
