// ringcat's output for the bytes of a trace file.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/lines/line_format.hpp"

namespace ringside::tool::testing {

inline std::string printed(const trace::testing::Bytes& file, const trace::LineFormat& format,
                           unsigned threads = 1) {
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory("trace", file));
  trace::ReadError error;
  auto set = trace::TraceSet::open(std::move(files), {}, &error);
  EXPECT_TRUE(set) << error.text();
  std::string text;
  if (set) {
    EXPECT_TRUE(write_trace_text(*set, {.utc = true, .threads = threads, .format = &format},
                                 [&](std::string_view piece) {
                                   text += piece;
                                   return true;
                                 }));
  }
  return text;
}

inline std::vector<std::string> printed_lines(const trace::testing::Bytes& file,
                                              const trace::LineFormat& format,
                                              unsigned threads = 1) {
  std::istringstream text(printed(file, format, threads));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace ringside::tool::testing
