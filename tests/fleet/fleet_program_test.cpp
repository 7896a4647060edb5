#include "tools/fleet/fleet_program.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::fleet {
namespace {

namespace fs = std::filesystem;

class FleetProgram : public ::testing::Test {
 protected:
  FleetProgram() {
    fs::create_directories(directory_.path() + "/bin/fleet");
    std::ofstream(file_) << "#!/bin/sh\n";
    fs::permissions(file_, fs::perms::owner_all);
  }

  const trace::testing::TemporaryDirectory directory_;
  const std::string file_ = directory_.path() + "/bin/fleet/fleet-test";
};

TEST_F(FleetProgram, IsFoundBesideTheOtherPrograms) {
  EXPECT_EQ(fleet_program_path("fleet-test", directory_.path() + "/bin/ringcat"), file_);
  EXPECT_EQ(fleet_program_path("fleet-other", directory_.path() + "/bin/ringcat"), "");
  fs::permissions(file_, fs::perms::owner_read);
  EXPECT_EQ(fleet_program_path("fleet-test", directory_.path() + "/bin/ringcat"), "");
}

// As without /proc.
TEST_F(FleetProgram, IsNotTakenFromTheCurrentDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(directory_.path() + "/bin");
  EXPECT_EQ(fleet_program_path("fleet-test", ""), "");
  EXPECT_EQ(fleet_program_path("fleet-test", "ringcat"), "");
  fs::current_path(before);
}

}  // namespace
}  // namespace ringside::fleet
