#pragma once
// The layout of --help, common to all tools; man pages and completions are generated from it.

namespace CLI {
class App;
}

namespace ringside::tool {

// Makes `app` print its help in lines of 80 columns: usage, description, options by groups, footer;
// and command-line errors as "ringctl: what; ringctl level --help tells more".
void set_help_format(CLI::App& app);

}  // namespace ringside::tool
