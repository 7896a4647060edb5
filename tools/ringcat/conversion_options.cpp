#include "tools/ringcat/conversion_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/interop/format_registry.hpp"
#include "tools/interop/trace_forwarding.hpp"

namespace ringside::tool {

void add_from_option(CLI::App& app, std::string& from) {
  app.add_option(
         "--from", from,
         "format of the files; default: detected by their first bytes: " + names_of_read_formats())
      ->type_name("FORMAT")
      ->check([](const std::string& name) {
        return find_foreign_format(name) != nullptr
                   ? std::string()
                   : "unknown format " + name + "; use one of " + names_of_read_formats();
      });
}

void add_conversion_options(CLI::App& app, ConversionOptions& options) {
  app.add_option("--to", options.format,
                 "write the records in another format: " + names_of_written_formats())
      ->type_name("FORMAT")
      ->check([](const std::string& name) {
        const ForeignFormat* const format = find_foreign_format(name);
        return format != nullptr && (format->write != nullptr || format->write_directory != nullptr)
                   ? std::string()
                   : "cannot write format " + name + "; use one of " + names_of_written_formats();
      });
  app.add_option(
         "-o,--output", options.output,
         "output of --to: a file, tcp://HOST:PORT of a receiver that listens, or, for heph, "
         "udp://HOST:PORT; default: standard output")
      ->type_name("FILE");
  app.add_flag("--force", options.force, "replace the file of -o if it exists");
}

void check_conversion(const ConversionOptions& options, bool follow, bool tail) {
  if (options.format.empty()) {
    if (!options.output.empty()) {
      throw CLI::ValidationError("-o", "requires a conversion; give a format with --to");
    }
    if (options.force) {
      throw CLI::ValidationError("--force", "requires a conversion; give a format with --to");
    }
    return;
  }
  if (tail) throw CLI::ValidationError("--to", "cannot be used with --tail");
  std::string why;
  if (follow && !can_forward(options, &why)) throw CLI::ValidationError("--to", why);
  const bool is_directory = find_foreign_format(options.format)->write_directory != nullptr;
  if (is_directory && (options.output.empty() || options.output == "-")) {
    throw CLI::ValidationError("--to", options.format + " is a directory; name one with -o");
  }
  why = fault_of_address(options);
  // An address that is not well-formed is reported when it is used.
  if (!why.empty()) throw CLI::ValidationError("-o", why);
}

}  // namespace ringside::tool
