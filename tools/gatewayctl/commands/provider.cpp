#include <boost/json/parse.hpp>

#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

/// Reads all input as one JSON object. The fault does not quote the input, which contains secrets.
boost::json::value settings_from(std::istream& input) {
  constexpr std::size_t most_bytes = 256 * 1024;
  std::string text(most_bytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.empty()) throw bad_input("no settings on standard input");
  if (text.size() > most_bytes) throw bad_input("the settings on standard input are longer than 256 KiB");
  boost::system::error_code failure;
  auto parsed = boost::json::parse(text, failure);
  if (failure || !parsed.is_object())
    throw bad_input(R"(standard input: expected one JSON object of texts, as {"name":"value"})");
  return parsed;
}

void add_kind_and_mode(const call_command& to) {
  to.text("KIND", "provider", provider_help()).one_of(provider_names(",")).type_name("");
  add_mode(to);
}

void add_provider_and_mode(const call_command& to) {
  add_provider(to);
  add_mode(to);
}

}  // namespace

void add_provider_commands(const command_group& program) {
  const auto provider = program.group("provider", "Keys and secrets of providers, one set in each mode");

  const auto set =
      provider.call("set", "Set all settings of a provider; what there was is replaced", "/operator/providers");
  add_provider_and_mode(set);
  set.from_input("--settings-stdin", "settings",
                 R"(Read the settings from standard input: a JSON object, {"name":"value"})", settings_from);

  const auto remove = provider.call("remove", "Remove a provider's settings: from the answer on it is not called",
                                    "/operator/providers/remove");
  add_provider_and_mode(remove);

  provider.call("list", "Show them, without secrets, and where each sends its notifications",
                "/operator/providers/list");

  const auto check = provider.call("check", "Ask a provider how its notifications to this gateway are registered",
                                   "/operator/providers/check");
  add_kind_and_mode(check);

  const auto endpoint = provider.call("register-notifications",
                                      "Register this gateway's address for notifications at a provider, and store its "
                                      "secret; repeating it makes no other",
                                      "/operator/providers/register-notifications");
  add_kind_and_mode(endpoint);

  const auto backfill =
      provider.call("backfill", "Read a provider's list of events now", "/operator/providers/backfill");
  add_kind_and_mode(backfill);
  backfill.optional_text("--from", "from", "From this time on, as 2026-11-20T09:30:00Z [the last event seen]")
      .type_name("TIME");
}

}  // namespace gateway::ctl
