#pragma once
// The layout of --help, one for all tools: what man pages and completions are made from.

namespace CLI {
class App;
}

namespace ringside::tool {

// Has `app` print its help in lines of 80 columns: usage, description, options by groups, footer;
// and what is wrong with its command line as "ringctl: what; ringctl level --help tells more".
void set_help_format(CLI::App& app);

}  // namespace ringside::tool
