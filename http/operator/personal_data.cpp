#include "personal_data.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/domain/erasure.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/call/services.hpp"
#include "http/checkout/subscription.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"
#include "personal_record.hpp"

namespace gateway::http {
namespace {

/// How often an entity is read again if it changes during its erasure.
constexpr int most_erasure_attempts = 5;
/// Few per commit, because notifications are large.
constexpr std::size_t bodies_in_a_unit = 20;
constexpr std::string_view repeat_erasure =
    " The erasure is not complete; what was erased stays erased. Repeat the command.";

response still_needed(const entity_key& of, erasure_obstacle why, std::string_view state) {
  auto text = std::string{to_string(of.kind)}.append(" ").append(of.id);
  if (why == erasure_obstacle::open_operation)
    text += " has an operation under way, or one whose outcome is unknown: refresh or settle it first.";
  else
    text.append(" is ").append(state).append(": it needs its data until it was paid, has failed or was cancelled.");
  return error_response(error_code::conflict, text + " Nothing was erased.");
}

/// Why the data of this row are still needed; nullopt if they are not.
std::optional<response> erasure_refusal(const entity_row& row) {
  if (const auto* of = std::get_if<payment_ptr>(&row)) {
    const auto why = obstacle_to_erasure(**of);
    if (why != erasure_obstacle::none) return still_needed((*of)->key, why, to_string((*of)->state));
  }
  if (const auto* of = std::get_if<subscription_ptr>(&row)) {
    const auto why = obstacle_to_erasure(**of);
    if (why != erasure_obstacle::none) return still_needed((*of)->key, why, to_string((*of)->state.status));
  }
  return std::nullopt;
}

std::optional<response> erasure_refusal(const std::vector<notification_ptr>& all) {
  for (const auto& each : all)
    if (each->state == notification_state::waiting)
      return error_response(error_code::conflict, "The notification " + each->key.id +
                                                      " has not been applied yet, and needs its content. Nothing more "
                                                      "was erased.");
  return std::nullopt;
}

response incomplete_erasure(error_code code, std::string_view why) {
  return error_response(code, std::string{why}.append(repeat_erasure));
}

struct erased_count {
  std::size_t payments = 0;
  std::size_t subscriptions = 0;
  std::size_t notifications = 0;
};

/// Commits the erasure through the entity's actor. The actor refuses if the entity has changed since it was read; then
/// the entity is read again.
boost::asio::awaitable<std::optional<response>> erase_entity(call& c, entity_key of,
                                                             std::vector<notification_ptr>& notifications) {
  for (int attempt = 0; attempt < most_erasure_attempts; ++attempt) {
    auto reading = read_record(c, of);
    auto read = co_await std::move(reading);
    if (auto* failed = std::get_if<response>(&read)) co_return std::move(*failed);
    auto& record = std::get<personal_record>(read);
    if (auto refused = erasure_refusal(record.row)) co_return refused;
    if (auto refused = erasure_refusal(record.texts.notifications)) co_return refused;
    auto made = erasure_of(record);
    const auto pending = pending_after(made);
    entity_request wanted{of, std::nullopt, view_entity{}};
    if (of.kind == entity_kind::payment)
      wanted.what = payment_command{erase_payment_data{std::move(made)}};
    else
      wanted.what = subscription_command{erase_subscription_data{std::move(made)}};
    auto op = ask(c, std::move(wanted));
    const auto reply = co_await std::move(op);
    if (!reply) co_return incomplete_erasure(code_of(reply.error()), "The gateway did not answer in time.");
    if (const auto* why = std::get_if<problem>(&reply->what)) {
      if (*why == problem::request_in_progress || *why == problem::overloaded) continue;
      co_return incomplete_erasure(code_of(*why), of.id + " could not be erased.");
    }
    fresh_deliveries changed;
    for (const auto& each : pending) changed.jobs.push_back({each, {}});
    if (!changed.jobs.empty()) send_to_dispatcher(c.here, std::move(changed));
    auto& bodies = record.texts.notifications;
    notifications.insert(notifications.end(), bodies.begin(), bodies.end());
    co_return std::nullopt;
  }
  co_return incomplete_erasure(error_code::overloaded, of.id + " changes too often.");
}

/// Erases the sandbox's data about the subscription, if the sandbox is its provider.
boost::asio::awaitable<std::optional<response>> erase_at_sandbox(call& c, entity_key of) {
  auto looking = read_entity_row(c, of);
  const auto looked = co_await std::move(looking);
  const auto* row = std::get_if<entity_row>(&looked);
  const auto* found = row ? std::get_if<subscription_ptr>(row) : nullptr;
  if (!found || !traits_of((*found)->provider).sandbox || (*found)->checkout_session_id.empty()) co_return std::nullopt;
  auto key = enrollment_of(of, (*found)->checkout_session_id);
  auto op = ask(c, entity_request{std::move(key), std::nullopt, enrollment_command{erase_enrollment_data{}}});
  const auto reply = co_await std::move(op);
  if (!reply) co_return incomplete_erasure(code_of(reply.error()), "The sandbox did not answer in time.");
  const auto* why = std::get_if<problem>(&reply->what);
  if (why && *why != problem::subscription_not_found)
    co_return incomplete_erasure(code_of(*why), "The sandbox's side of " + of.id + " could not be erased.");
  co_return std::nullopt;
}

boost::asio::awaitable<std::optional<response>> erase_bodies(call& c, std::vector<notification_ptr> all,
                                                             erased_count& count) {
  std::ranges::sort(all, {}, [](const notification_ptr& each) { return each->key.id; });
  const auto repeated = std::ranges::unique(all, {}, [](const notification_ptr& each) { return each->key.id; });
  all.erase(repeated.begin(), repeated.end());
  for (std::size_t at = 0; at < all.size();) {
    unit_of_work unit;
    for (const auto until = std::min(all.size(), at + bodies_in_a_unit); at < until; ++at) {
      auto body = post_without_personal_data(all[at]->body);
      if (body == all[at]->body) continue;
      unit.claims.emplace_back(
          replace_text{erased_column::notification_body, all[at]->key, 0, {}, {}, std::move(body)});
      ++count.notifications;
    }
    if (unit.claims.empty()) continue;
    auto op = commit(c.here, std::move(unit));
    const auto outcome = co_await std::move(op);
    if (!outcome || *outcome != commit_outcome::committed)
      co_return incomplete_erasure(error_code::store_unavailable, "The database did not take it.");
  }
  co_return std::nullopt;
}

/// Checks everything before anything is erased.
boost::asio::awaitable<std::optional<response>> check_all(call& c, subject_entities of) {
  auto keys = of.payments;
  keys.insert(keys.end(), of.subscriptions.begin(), of.subscriptions.end());
  for (const auto& key : keys) {
    auto looking = read_entity_row(c, key);
    auto looked = co_await std::move(looking);
    if (auto* failed = std::get_if<response>(&looked)) co_return std::move(*failed);
    if (auto refused = erasure_refusal(std::get<entity_row>(looked))) co_return refused;
  }
  co_return std::nullopt;
}

boost::asio::awaitable<std::optional<response>> erase_all(call& c, subject_entities of, erased_count& count) {
  auto about_customer = read_customer_notifications(c, of.customer);
  auto read = co_await std::move(about_customer);
  if (auto* failed = std::get_if<response>(&read)) co_return std::move(*failed);
  auto& notifications = std::get<std::vector<notification_ptr>>(read);
  if (auto refused = erasure_refusal(notifications)) co_return refused;
  // The sandbox first, and subscriptions before payments, because a subscription copies its metadata to its next
  // payment.
  for (const auto& key : of.subscriptions) {
    auto there = erase_at_sandbox(c, key);
    if (auto failed = co_await std::move(there)) co_return failed;
    auto op = erase_entity(c, key, notifications);
    if (auto failed = co_await std::move(op)) co_return failed;
    ++count.subscriptions;
  }
  for (const auto& key : of.payments) {
    auto op = erase_entity(c, key, notifications);
    if (auto failed = co_await std::move(op)) co_return failed;
    ++count.payments;
  }
  auto bodies = erase_bodies(c, notifications, count);
  co_return co_await std::move(bodies);
}

save_audit note_of_erasure(const call& c, const data_subject& of, std::string_view action) {
  const auto subject = of.payment_id.empty() ? of.platform.value + ' ' + of.customer_ref : of.payment_id;
  return note_of_operator(c, action, subject, of.merchant, of.env);
}

}  // namespace

boost::asio::awaitable<response> export_personal_data(call& c) {
  auto body = decode_data_subject(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto of = std::get<data_subject>(std::move(body));
  auto finding = find_entities(c, of);
  auto found = co_await std::move(finding);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  const auto& entities = std::get<subject_entities>(found);
  std::vector<personal_record> payments, subscriptions;
  for (const auto* keys : {&entities.payments, &entities.subscriptions})
    for (const auto& key : *keys) {
      auto reading = read_record(c, key);
      auto read = co_await std::move(reading);
      if (auto* failed = std::get_if<response>(&read)) co_return std::move(*failed);
      auto& to = keys == &entities.payments ? payments : subscriptions;
      to.push_back(std::get<personal_record>(std::move(read)));
    }
  auto about_customer = read_customer_notifications(c, entities.customer);
  const auto read = co_await std::move(about_customer);
  if (const auto* failed = std::get_if<response>(&read)) co_return *failed;
  auto noting = commit_note(c, note_of_erasure(c, of, "export personal data"));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  co_return answer_with(
      encode_personal_data(payments, subscriptions, entities.customer, std::get<std::vector<notification_ptr>>(read)));
}

boost::asio::awaitable<response> erase_personal_data(call& c) {
  auto body = decode_data_subject(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto of = std::get<data_subject>(std::move(body));
  auto finding = find_entities(c, of);
  auto found = co_await std::move(finding);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  const auto entities = std::get<subject_entities>(std::move(found));
  auto checking = check_all(c, entities);
  if (auto refused = co_await std::move(checking)) co_return *std::move(refused);
  // The audit entry is committed first, because the erasure takes several commits.
  auto noting = commit_note(c, note_of_erasure(c, of, "erase personal data"));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  erased_count count;
  auto erasing = erase_all(c, entities, count);
  if (auto failed = co_await std::move(erasing)) co_return *std::move(failed);
  auto clearing = ask(c.here, clear_free_pages{});
  const auto files = co_await std::move(clearing);
  if (!files || (files->embedded && !files->cleared))
    co_return incomplete_erasure(error_code::store_unavailable, "The database's files still hold the erased data.");
  std::string out;
  {
    json_object answer{out};
    answer.number("payments", static_cast<std::int64_t>(count.payments));
    answer.number("subscriptions", static_cast<std::int64_t>(count.subscriptions));
    answer.number("notifications", static_cast<std::int64_t>(count.notifications));
    answer.text("free_pages", files->cleared ? "cleared" : "left to the database");
  }
  co_return answer_with(std::move(out));
}

}  // namespace gateway::http
