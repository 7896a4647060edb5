#include "tools/interop/conversion_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

void add_from_option(CLI::App& app, std::string& from) {
  app.add_option("--from", from,
                 "the format of the files; else their first bytes tell: " + names_of_read_formats())
      ->type_name("FORMAT")
      ->check([](const std::string& name) {
        return find_foreign_format(name) != nullptr
                   ? std::string()
                   : "there is no format " + name + "; there are " + names_of_read_formats();
      });
}

void add_conversion_options(CLI::App& app, ConversionOptions& options) {
  app.add_option("--to", options.format,
                 "writes the records in another format: " + names_of_written_formats())
      ->type_name("FORMAT")
      ->check([](const std::string& name) {
        const ForeignFormat* const format = find_foreign_format(name);
        return format != nullptr && (format->write != nullptr || format->write_directory != nullptr)
                   ? std::string()
                   : "no format " + name + " is written; there are " + names_of_written_formats();
      });
  app.add_option(
         "-o,--output", options.output,
         "where --to writes to: a file, or tcp://HOST:PORT, where somebody listens; else standard "
         "output")
      ->type_name("FILE");
  app.add_flag("--force", options.force, "replaces the file of -o if it is there already");
}

void check_conversion(const ConversionOptions& options, bool unfit) {
  if (options.format.empty()) {
    if (!options.output.empty()) {
      throw CLI::ValidationError("-o", "is of conversions; name a format with --to");
    }
    if (options.force) {
      throw CLI::ValidationError("--force", "is of conversions; name a format with --to");
    }
    return;
  }
  if (unfit) throw CLI::ValidationError("--to", "goes neither with --follow nor with --tail");
  const bool is_directory = find_foreign_format(options.format)->write_directory != nullptr;
  if (is_directory && (options.output.empty() || options.output == "-")) {
    throw CLI::ValidationError("--to", options.format + " is a directory; name one with -o");
  }
}

}  // namespace ringside::tool
