#include <algorithm>
#include <memory>
#include <sstream>

#include "access.hpp"
#include "commands.hpp"
#include "gateway/domain/url.hpp"
#include "gateway/domain/webhook.hpp"
#include "http/outbound/destination_url.hpp"

namespace gateway::cli {

namespace {

void add_feed_options(const options::command& to, feed_options& into) {
  to.add("--types", into.types, "Of these types only, with commas between").type_name("A,B");
  to.add("--from", into.from, "From this time on, such as 2026-11-20T09:30:00Z [from now on]").type_name("TIME");
}

void add_events_list(const command_adder& to) {
  const auto command = to.app.add_command("list", "List events, oldest first");
  const auto wanted = std::make_shared<list_request>();
  *wanted = {"/v1/events", "events", {{"types", {}}, {"from", {}}}};
  command.add("--types", wanted->filters[0].second, "Of these types only, with commas between").type_name("A,B");
  command.add("--from", wanted->filters[1].second, "From this time on [the oldest that is kept]").type_name("TIME");
  add_page_options(command, *wanted);
  command.on_parsed([wanted, &result = to.result] {
    if (!wanted->after.empty() && !wanted->filters[1].second.empty())
      throw bad_usage("--after and --from exclude one another");
    result.what = action::list;
    result.list = *wanted;
  });
}

}  // namespace

void add_event_commands(const command_adder& to) {
  const auto events = to.noun("events", "Events");
  add_events_list(events);
  const auto tail = events.app.add_command("tail", "Print each new event until interrupted");
  add_feed_options(tail, to.result.feed);
  tail.on_parsed([&result = to.result] { result.what = action::tail; });

  const auto show = events.app.add_command("show", "Show an event");
  const auto id = std::make_shared<std::string>();
  show.add("ID", *id, "The event").required();
  show.on_parsed([id, &result = to.result] {
    result.what = action::send;
    result.request = {http_method::get, "/v1/events/" + percent_encoded(*id)};
  });
}

void add_webhook_commands(const command_adder& to) {
  auto& result = to.result;
  const auto listen = to.app.add_command("listen", "Post each new event to a URL, signed as webhooks are");
  listen.add("--forward-to", result.forward_to, "https, or http on this machine").type_name("URL").required();
  add_feed_options(listen, result.feed);
  listen.on_parsed([&result] {
    const auto url = http::read_destination_url(result.forward_to, true).url;
    if (!url || (!url->tls && url->literal && !url->literal->is_loopback()))
      throw bad_usage("--forward-to: " + result.forward_to +
                      " is neither an https URL nor an http URL of this machine");
    result.what = action::listen;
  });

  const auto verify = to.app.add_command("verify", "Say whether a webhook is genuine, and if not, why");
  verify.add("--secret", result.verify.secret, "The destination's signing secret").type_name("S").required();
  verify.add("--signature", result.verify.header, "The header X-Service-Signature").type_name("HEADER").required();
  const auto body = std::make_shared<std::string>("-");
  verify.add("--body", *body, "The body as it was received [-: standard input]").type_name("FILE");
  verify
      .add(
          "--tolerance",
          [&result](const std::string& text) {
            constexpr std::int64_t most_s = 1'000'000'000;
            const auto seconds = parse_whole(text, 0, most_s);
            if (!seconds) throw bad_usage("--tolerance: " + text + " is not a number of seconds");
            result.verify.tolerance_s = *seconds;
          },
          "How far its time may be from now, in seconds [300]")
      .type_name("N");
  verify.on_parsed([&result, body] {
    result.what = action::verify;
    result.body_file = *body;
  });
}

void add_trigger_command(const command_adder& to) {
  auto& result = to.result;
  const auto command = to.app.add_command("trigger", "Make in test mode what causes an event");
  std::string types;
  for (const auto& each : event_catalogue) types.append(types.empty() ? "" : ", ").append(each.name);
  const auto type = std::make_shared<std::string>();
  command.add("TYPE", *type, types).required();
  constexpr std::int64_t usual_amount = 1'000;
  const auto amount = std::make_shared<std::int64_t>(usual_amount);
  const auto currency = std::make_shared<std::string>("USD");
  command.add("--amount", *amount, "Of the payment, in minor units [1000]").type_name("N");
  command.add("--currency", *currency, "Of the payment [USD]").type_name("C");
  command.on_parsed([&result, type, amount, currency] {
    const auto stored = stored_event_type(*type);
    if (*type == test_event_type)
      throw failure{
          "webhook.test is sent to one destination, by the button `test` of its page in the portal: made nothing"};
    if (!stored) throw bad_usage("'" + *type + "' is no type of event");
    result.what = action::trigger;
    result.trigger.type = *parse_event_type(*stored);
    result.trigger.name = *type;
    result.trigger.amount = *amount;
    result.trigger.currency = *currency;
  });
}

}  // namespace gateway::cli
