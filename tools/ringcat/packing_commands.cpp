#include "tools/ringcat/packing_commands.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/files/trace_packing.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

using Work = bool (*)(const std::string&, const PackingOptions&, std::string*);

int run(CLI::App& app, int argc, char** argv, PackingOptions& options, Work work) {
  std::vector<std::string> files;
  app.add_option("FILE", files, "trace files")->required();
  app.add_flag("--keep", options.keep, "keep FILE");
  app.add_flag("--force", options.force, "replace existing files");
  app.footer("Exit status: 0 success, 2 invalid usage, 3 a file could not be read or written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  int exit_code = kExitOk;
  for (const std::string& file : files) {
    std::string why;
    if (work(file, options, &why)) continue;
    complain(why);
    exit_code = kExitUnreadable;
  }
  return exit_code;
}

}  // namespace

int run_pack(int argc, char** argv) {
  PackingOptions options;
  CLI::App app(
      "Packs trace files: replaces FILE by FILE.zst. ringcat reads it like FILE; ringcat unpack "
      "restores FILE. Refuses files that are still being written.",
      "ringcat pack");
  app.add_option("--level", options.level, "compression level of zstd; higher is slower")
      ->check(CLI::Range(1, 19))
      ->capture_default_str();
  app.add_flag("--bytes", options.bytes,
               "no columns: larger, but `zstd -d` and readers before format 1.4 can restore FILE");
  return run(app, argc, argv, options, pack_file);
}

int run_unpack(int argc, char** argv) {
  PackingOptions options;
  CLI::App app("Unpacks trace files: replaces FILE.zst by FILE.", "ringcat unpack");
  return run(app, argc, argv, options, unpack_file);
}

}  // namespace ringside::tool
