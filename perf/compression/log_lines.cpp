#include "perf/compression/log_lines.hpp"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ringside::perf {
namespace {

using shm::FieldType;

struct Line {
  std::uint64_t ticks = 0;
  std::string form;
  std::vector<std::string> arguments;
};

template <class T>
bool parse(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end;
}

// Whether the number gives the text again: "007" and "1e3" stay texts.
bool is_integer(const std::string& text) {
  std::int64_t value = 0;
  return parse(text, value) && std::to_string(value) == text;
}
bool is_real(const std::string& text) {
  double value = 0;
  return text.find_first_of("eEnN") == std::string::npos && parse(text, value);
}

std::vector<Line> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    std::istringstream parts(text);
    Line line;
    std::string part;
    if (!std::getline(parts, part, '\t') || !parse(part, line.ticks) ||
        !std::getline(parts, line.form, '\t')) {
      throw std::runtime_error(path + ": invalid line '" + text + "'");
    }
    while (std::getline(parts, part, '\t')) line.arguments.push_back(part);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

void add_log_lines(TraceMaker& trace, const std::string& path) {
  const std::vector<Line> lines = read_lines(path);
  struct Statement {
    std::vector<FieldType> types;
    std::uint32_t id = 0;
  };
  std::map<std::pair<std::string, std::size_t>, Statement> statements;
  for (const Line& line : lines) {
    Statement& statement = statements[{line.form, line.arguments.size()}];
    statement.types.resize(line.arguments.size(), FieldType::i64);
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
      FieldType& type = statement.types[i];
      if (type == FieldType::i64 && !is_integer(line.arguments[i])) type = FieldType::f64;
      if (type == FieldType::f64 && !is_real(line.arguments[i])) type = FieldType::string;
    }
  }
  for (auto& [form, statement] : statements) {
    statement.id = trace.add_site(form.first, statement.types);
  }
  for (const Line& line : lines) {
    const Statement& statement = statements[{line.form, line.arguments.size()}];
    trace.begin(line.ticks, statement.id);
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
      const std::string& argument = line.arguments[i];
      if (statement.types[i] == FieldType::i64) {
        std::int64_t value = 0;
        parse(argument, value);
        trace.number(value);
      } else if (statement.types[i] == FieldType::f64) {
        double value = 0;
        parse(argument, value);
        trace.number(value);
      } else {
        trace.text(argument);
      }
    }
  }
}

}  // namespace ringside::perf
