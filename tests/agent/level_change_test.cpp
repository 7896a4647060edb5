// A tool sets another level while a statement is being registered. The processor runs the
// registration one instruction at a time, so that each moment is tried.

#include <array>
#include <csignal>
#include <cstdint>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/single_steps.hpp"

namespace ringside::test {
namespace {

// Single steps need x86, and a sanitizer multiplies the instructions.
#if defined(RS_TEST_SINGLE_STEPS)

// From the instruction that counts the statement on: its switch is set within these.
// AddressSanitizer has ten times as many, of which some are enough.
constexpr int kMoments = kAddressSanitizer ? 8 : 64;

// Registers one statement after the other, and stops before each and at the end.
void register_statements() {
  static std::array<rs_site, kMoments> sites{};
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  RS_INFO("creates the segment");
  for (rs_site& site : sites) {
    site.state = &rs_initial_switch;
    site.format = "registered while the level changes";
    site.file = __FILE__;
    site.function = __func__;
    site.arguments = "";
    site.level = static_cast<std::uint8_t>(Level::info);
    site.style = RS_STYLE_PRINTF;
    raise(SIGSTOP);
    rs_site* const loaded = &site;
    rs_sites_loaded(&loaded, &loaded + 1);
  }
  raise(SIGSTOP);
}

// Whether the child stopped by itself.
bool runs_to_its_next_stop(pid_t child) {
  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  const int status = wait_for(child);
  return WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
}

// Whether the child ran one instruction, and did not stop by itself.
bool runs_one_instruction(pid_t child) {
  ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
  const int status = wait_for(child);
  return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

// As ringctl does: first the level, then the switches of all statements counted so far.
void set_level_as_a_tool(SegmentReader& segment, Level level) {
  shm::ServiceLine& service = segment.control().service;
  service.level.store(static_cast<std::uint32_t>(level));
  const std::uint32_t count = service.site_count.load();
  for (std::uint32_t id = 1; id <= count; ++id) segment.set_site_switch(id, shm::kSwitchOn);
}

PROCESS_TEST(LevelChange, ReachesAStatementAtAnyMomentOfItsRegistration) {
  const pid_t child = start_child(register_statements);
  ASSERT_TRUE(WIFSTOPPED(wait_for(child)));
  SegmentReader segment(segments_in(shm_dir()).at(0));
  shm::ServiceLine& service = segment.control().service;
  for (int moment = 0; moment < kMoments; ++moment) {
    service.level.store(static_cast<std::uint32_t>(Level::off));
    const std::uint32_t id = service.site_count.load() + 1;
    bool is_inside = true;
    while (is_inside && service.site_count.load() < id) is_inside = runs_one_instruction(child);
    for (int i = 0; is_inside && i < moment; ++i) is_inside = runs_one_instruction(child);
    ASSERT_TRUE(is_inside) << "the registration ended " << moment
                           << " instructions after the count";
    set_level_as_a_tool(segment, Level::trace);
    ASSERT_TRUE(runs_to_its_next_stop(child));
    EXPECT_EQ(segment.site_switch(id), shm::kSwitchOn) << moment;
  }
  kill(child, SIGKILL);
  wait_for(child);
}

#endif

}  // namespace
}  // namespace ringside::test
