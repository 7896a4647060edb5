#include "libagent/examples/kvd/commands.hpp"

#include <cinttypes>
#include <cstddef>
#include <string>

#include <ringside/ringside.hpp>
#include <ringside/span.hpp>

#include "libagent/examples/kvd/command_handler.hpp"
#include "libagent/examples/kvd/command_replies.hpp"
#include "libagent/examples/kvd/command_table.hpp"
#include "libagent/examples/kvd/trace_text.hpp"

namespace kvd {
namespace {

bool arity_fits(int arity, std::size_t count) {
  return arity >= 0 ? count == static_cast<std::size_t>(arity)
                    : count >= static_cast<std::size_t>(-arity);
}

void reply_unknown(RequestContext& context, commands::Arguments arguments) {
  std::string quoted;
  for (const std::string_view argument : arguments.subspan(1)) {
    if (quoted.size() >= commands::kQuotedBytes) break;
    const std::string_view shown = argument.substr(0, commands::kQuotedBytes - quoted.size());
    quoted.append("'").append(shown).append("' ");
  }
  context.reply.error("ERR unknown command '" +
                      std::string(arguments[0].substr(0, commands::kQuotedBytes)) +
                      "', with args beginning with: " + quoted);
}

}  // namespace

AfterReply execute(RequestContext& context, std::span<const std::string_view> arguments) {
  const commands::Command* const found = commands::find_command(arguments[0]);
  if (found == nullptr) {
    RS_WARNING("conn %" PRIu64 " request %" PRIu64 ": unknown command '%.*s'", context.connection,
               context.request, traced_length(arguments[0]), arguments[0].data());
    reply_unknown(context, arguments);
    return AfterReply::kGoOn;
  }
  if (!arity_fits(found->arity, arguments.size())) {
    RS_WARNING("conn %" PRIu64 " request %" PRIu64 ": wrong number of arguments (%zu) for '%s'",
               context.connection, context.request, arguments.size(), found->name);
    commands::reply_arity_error(context, found->name);
    return AfterReply::kGoOn;
  }
  const std::string_view first = arguments.size() > 1 ? arguments[1] : std::string_view("");
  RS_INFO("conn %" PRIu64 " request %" PRIu64 ": command %s '%.*s'", context.connection,
          context.request, found->name, traced_length(first), first.data());
  RS_SPAN("kvd.execute", RS_NAMED("name", found->name), RS_NAMED("conn", context.connection),
          RS_NAMED("request", context.request));
  return found->handler(context, arguments);
}

}  // namespace kvd
