// A forged notification costs one signature check: it is neither stored nor logged. If the store does not take a
// notification, the answer makes the provider send it again.
#include "notifications.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <simdjson.h>

#include "http/call/reply.hpp"
#include "http/codec/header_lines.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

/// The limits of the store's columns.
constexpr std::size_t most_notification_id = 255;
constexpr std::size_t most_notification_type = 128;
constexpr std::size_t most_notification_account = 255;

/// The provider and environment of a notification address, if the gateway accepts any there.
struct notified_provider {
  provider_kind kind = provider_kind::sandbox;
  environment env = environment::test;
  const provider_adapter* adapter = nullptr;
  std::shared_ptr<const provider_settings> with;
};

std::optional<notified_provider> provider_at(const services& shared, const path_variables& path) {
  const auto kind = parse_provider_kind(path.id);
  const auto env = parse_environment(path.mode);
  if (!kind || !env || !shared.adapters) return std::nullopt;
  const auto* adapter = (*shared.adapters)[static_cast<std::size_t>(*kind)].get();
  auto with = shared.merchants.find_provider(*kind, *env);
  if (!adapter || !with) return std::nullopt;
  return notified_provider{*kind, *env, adapter, std::move(with)};
}

std::variant<receive_notification, notification_fault> verified(const call& c, const notified_provider& from) {
  const auto head = c.in.head;
  const incoming_notification in{c.in.body, [head](std::string_view name) { return first_header(head, name); },
                                 c.in.content_type.value_or(std::string_view{})};
  return from.adapter->verify(in, *from.with, from.env, c.here.shared.clock.now());
}

bool is_text(std::string_view text, std::size_t most) {
  return text.size() <= most && text.find('\0') == text.npos && simdjson::validate_utf8(text.data(), text.size());
}

/// A notification that exceeds the limits would never get a 200, and the provider would resend it for days: it is
/// rejected as unreadable.
bool can_be_stored(const receive_notification& what, const entity_key& key) {
  return !what.event_id.empty() && is_text(key.id, most_notification_id) &&
         is_text(what.type, most_notification_type) && is_text(what.account, most_notification_account) &&
         is_text(what.body, most_notification_bytes);
}

response rejected(notification_fault why) {
  const auto words =
      why == notification_fault::unsigned_ ? "The signature of the notification is missing or wrong."
      : why == notification_fault::stale
          ? "The signature of the notification is of a time too far from the gateway's clock, before or after it."
          : "The notification is signed, but what it says makes no sense.";
  return error_response(error_code::invalid_request, words);
}

std::string_view result_of(notification_fault why) noexcept {
  return why == notification_fault::unsigned_ ? "forged" : why == notification_fault::stale ? "stale" : "unreadable";
}

/// If it is unknown whether the notification is stored, the provider must resend it.
response not_stored(const caf::expected<entity_reply>& reply) {
  if (!reply) return error_response(code_of(reply.error()));
  const auto* why = std::get_if<problem>(&reply->what);
  return error_response(why ? code_of(*why) : error_code::internal_error);
}

}  // namespace

bool is_notification(const services& shared, const request& in) {
  constexpr std::string_view start = "/v1/public/providers/", end = "/notifications";
  auto path = in.path;
  if (in.method != "POST" || path.size() < start.size() + end.size() || !path.starts_with(start) ||
      !path.ends_with(end))
    return false;
  path.remove_prefix(start.size());
  path.remove_suffix(end.size());
  const auto slash = std::min(path.find('/'), path.size());
  path_variables named;
  named.id = path.substr(0, slash);
  named.mode = path.substr(std::min(slash + 1, path.size()));
  return provider_at(shared, named).has_value();
}

boost::asio::awaitable<response> take_notification(call& c) {
  auto& shared = c.here.shared;
  const auto from = provider_at(shared, c.path);
  if (!from) co_return error_response(error_code::not_found);
  if (c.in.body.size() > most_notification_bytes) co_return error_response(error_code::body_too_large);
  const auto count = [&](std::string_view result) {
    shared.meters.provider_notifications(to_string(from->kind), to_string(from->env), result).Increment();
  };
  auto said = verified(c, *from);
  const auto key = std::holds_alternative<receive_notification>(said)
                       ? notification_key(from->kind, from->env, std::get<receive_notification>(said).event_id)
                       : entity_key{};
  if (const auto* what = std::get_if<receive_notification>(&said); what && !can_be_stored(*what, key))
    said = notification_fault::unreadable;
  if (const auto* fault = std::get_if<notification_fault>(&said)) {
    count(result_of(*fault));
    co_return rejected(*fault);
  }
  auto& what = std::get<receive_notification>(said);
  what.provider = from->kind;
  entity_request wanted{key, std::nullopt, notification_command{std::move(what)}};
  auto op = ask(c, std::move(wanted));
  const auto reply = co_await std::move(op);
  if (!reply || !std::holds_alternative<entity_row>(reply->what)) {
    count("unavailable");
    co_return not_stored(reply);
  }
  count("accepted");
  co_return answer_with("{}");
}

}  // namespace gateway::http
