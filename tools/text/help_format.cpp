#include "tools/text/help_format.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTextColumn = 26;

// Wraps the words of `text`, which begins in column `at`, and indents each further line by `indent`
// blanks.
std::string filled(const std::string& text, std::size_t at, std::size_t indent) {
  std::string result;
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && at + 1 + word.size() > kColumns) {
      result += '\n' + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      result += ' ';
      ++at;
    }
    result += word;
    at += word.size();
  }
  return result + '\n';
}

void append_note(std::string& notes, const std::string& note) {
  notes += notes.empty() ? note : "; " + note;
}

// "TEXT:{a,b}" is the type "a|b", "UINT:UINT in [1 - 9]" is "N" with the note "1 to 9".
std::string readable_type(const std::string& type, std::string& notes) {
  const std::size_t colon = std::min(type.find(':'), type.size());
  const std::string check = type.substr(std::min(colon + 1, type.size()));
  if (check.starts_with('{') && check.ends_with('}')) {
    return CLI::detail::find_and_replace(check.substr(1, check.size() - 2), ",", "|");
  }
  if (const std::size_t range = check.find(" in ["); range != std::string::npos) {
    append_note(notes, CLI::detail::find_and_replace(
                           check.substr(range + 5, check.size() - range - 6), " - ", " to "));
  }
  const std::string name = type.substr(0, colon);
  return name == "UINT" || name == "INT" || name == "FLOAT" ? "N" : name;
}

// In the form of all other messages: program, what is wrong, where to find more.
std::string fault_text(const CLI::App* app, const CLI::Error& error) {
  const std::string& command = app->get_name();
  std::string text = CLI::detail::find_and_replace(error.what(), ".000000", "");
  const std::string kNoNumber = "Could not convert: ";
  if (text.starts_with(kNoNumber)) {
    text = CLI::detail::find_and_replace(text.substr(kNoNumber.size()), " = ", " ") +
           ": invalid number";
  }
  constexpr std::string_view kOnce = ": At Most 1 required but received ";
  if (const std::size_t at = text.find(kOnce); at != std::string::npos) {
    text.replace(at, kOnce.size(), " can be given only once: ");
  }
  return command.substr(0, command.find(' ')) + ": " + trace::visible(text) + "; " + command +
         " --help shows the usage\n";
}

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode /*mode*/) const override {
    std::string text = make_usage(app, std::move(name)) + filled(app->get_description(), 0, 0) +
                       make_positionals(app);
    for (const std::string& group : app->get_groups()) {
      const auto options = app->get_options([&group](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional();
      });
      if (!options.empty()) text += make_group(group, false, options);
    }
    return text + '\n' + filled_footer(app->get_footer());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string notes;
    std::string head = "  ";
    if (is_positional) {
      head += positional(option);
    } else {
      const std::vector<std::string>& short_names = option->get_snames();
      head += short_names.empty() ? "    " : "-" + short_names.front() + ", ";
      head += "--" + option->get_lnames().front();
      head += value(option, notes);
    }
    for (const CLI::Option* other : option->get_needs()) {
      append_note(notes, "only with " + other->get_name());
    }
    for (const CLI::Option* other : option->get_excludes()) {
      append_note(notes, "not with " + other->get_name());
    }
    head.resize(std::max(head.size() + 2, kTextColumn), ' ');
    if (head.size() > kTextColumn) {
      head.resize(head.size() - 2);
      head += '\n' + std::string(kTextColumn, ' ');
    }
    const std::string text = option->get_description() + (notes.empty() ? "" : " (" + notes + ")");
    return head + filled(text, kTextColumn, kTextColumn);
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    const bool bracketed = !option->get_required() && option->get_option_text().empty();
    return bracketed ? '[' + positional(option) + ']' : positional(option);
  }

 private:
  // Indented lines, such as examples and lists, keep their width.
  static std::string filled_footer(const std::string& footer) {
    std::istringstream lines(footer);
    std::string text;
    std::string prose;
    const auto end_prose = [&] {
      if (!prose.empty()) text += filled(prose, 0, 0);
      prose.clear();
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.front() == ' ') {
        end_prose();
        text += line + '\n';
      } else {
        prose += line + '\n';
      }
    }
    end_prose();
    return text;
  }

  static bool takes_many(const CLI::Option* option) {
    return option->get_expected_max() >= CLI::detail::expected_max_vector_size;
  }

  static std::string positional(const CLI::Option* option) {
    if (!option->get_option_text().empty()) return option->get_option_text();
    return option->get_name(true, false) + (takes_many(option) ? "..." : "");
  }

  // " VALUE", empty for a flag.
  static std::string value(const CLI::Option* option, std::string& notes) {
    if (option->get_type_size() == 0) return {};
    const std::string& text = option->get_option_text();
    const std::string type = text.empty() ? readable_type(option->get_type_name(), notes) : text;
    if (!option->get_default_str().empty()) {
      append_note(notes, "default " + option->get_default_str());
    }
    if (takes_many(option)) append_note(notes, "repeatable");
    if (option->get_required()) append_note(notes, "required");
    return ' ' + type;
  }
};

}  // namespace

void set_help_format(CLI::App& app) {
  app.failure_message(fault_text);
  app.formatter(std::make_shared<HelpFormat>());
  app.get_help_ptr()->description("show this text");
  if (CLI::Option* const version = app.get_option_no_throw("--version"); version != nullptr) {
    version->description("show the version");
  }
}

}  // namespace ringside::tool
