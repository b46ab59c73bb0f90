#include "gateway/domain/platform.hpp"
#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

/// The options of create, which requires most of them, and of set.
void add_description(const call_command& to, bool required) {
  const auto not_empty = [](const std::string& value) {
    return value.empty() ? std::string{"the value is missing"} : std::string{};
  };
  to.optional_text("--name", "name", "Shown to merchants when they are asked for consent")
      .required(required)
      .check(not_empty)
      .type_name("NAME");
  to.optional_text("--contact", "contact", "E-mail address for matters of security")
      .required(required)
      .check(not_empty)
      .type_name("EMAIL");
  to.repeated_text("--redirect-uri", "redirect_uris", "Where browsers may go after consent; any number")
      .required(required)
      .type_name("URI");
  to.repeated_text("--return-origin", "return_origins",
                   "Where browsers may go after a reconnect, as https://app.example; any number; '' for none")
      .type_name("ORIGIN");
}

void add_status(const command_group& platform, const char* name, const char* help, const char* status) {
  const auto command = platform.call(name, help, "/operator/platforms/status");
  command.text("platform", "platform_id", "plat_…").type_name("PLATFORM");
  command.constant("status", status);
}

}  // namespace

void add_platform_commands(const command_group& program) {
  const auto platform = program.group("platform", "Platforms that act for merchants, and their keys");

  const auto create = platform.call("create", "Register a platform", "/operator/platforms");
  create.text("--slug", "slug", "Its client_id, for good: lower-case letters, digits, dashes").type_name("SLUG");
  add_description(create, true);

  const auto set =
      platform.call("set", "Change a platform: what is given replaces what is there", "/operator/platforms/set");
  add_platform(set);
  add_description(set, false);

  platform.call("list", "Show platforms", "/operator/platforms/list");
  add_status(platform, "suspend", "Refuse its requests from the answer on; its webhooks wait", "suspended");
  add_status(platform, "resume", "Accept its requests again, and send the webhooks that waited", "active");

  const auto mint = platform.group("key", "API keys of a platform")
                        .call("mint", "Make an API key; its secret is shown this once", "/operator/platform-keys");
  add_platform(mint);
  mint.optional_text("--scopes", "scopes", "Space-separated [" + std::string{default_platform_scopes} + "]")
      .type_name("SCOPES");
  add_key_name(mint);
}

}  // namespace gateway::ctl
