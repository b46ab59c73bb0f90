#include "payments.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "decode_payments.hpp"
#include "encode_payments.hpp"
#include "gateway/base/json_text.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/call/services.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

/// Limits the time of a list with few matches: each query covers some of the merchants.
constexpr int most_list_questions = 32;

save_audit note_about(const call& c, const entity_key& about, std::string_view action, std::string_view why) {
  auto subject = about.id;
  if (!why.empty()) subject.append(": ").append(why);
  return note_of_operator(c, action, subject, about.merchant, about.env);
}

response problem_for_operator(const entity_key& about, problem why) {
  switch (why) {
    case problem::payment_not_found: return error_response(no_such("payment", about.id));
    case problem::nothing_to_settle:
      return error_response(error_code::conflict,
                            "No operation of the payment has an unknown outcome, and its time to "
                            "pay is not over: there is nothing to settle.");
    case problem::refund_already_recorded:
      return error_response(error_code::conflict, "The payment has a refund of this reference already.");
    case problem::impossible_at_provider:
      return error_response(error_code::conflict,
                            "No provider could do this to the payment as it is now, or the "
                            "payment is not at a sandbox.");
    case problem::payment_outcome_pending:
      return error_response(error_code::payment_outcome_pending,
                            "An operation of the payment has an unknown outcome. "
                            "Refresh the payment, or settle it, first.");
    case problem::refund_exceeds_captured:
      return error_response(error_code::conflict, "The amount is more than what remains to be refunded.");
    case problem::provider_unavailable:
      return error_response(error_code::provider_unavailable,
                            "The provider did not say what the payment is there. The payment is as it was: repeat the "
                            "command later.");
    case problem::overloaded:
      return error_response(error_code::overloaded, "The gateway is busy; nothing was changed. Repeat the command.");
    case problem::store_unavailable:
      return error_response(error_code::store_unavailable,
                            "The command may or may not have taken effect: look, then repeat it.");
    default: return error_response(code_of(why));
  }
}

/// Sends the payment a command, and answers with the payment after it.
boost::asio::awaitable<response> ask_payment(call& c, entity_request wanted) {
  const auto about = wanted.key;
  auto op = ask(c, std::move(wanted));
  const auto reply = co_await std::move(op);
  if (!reply)
    co_return error_response(code_of(reply.error()),
                             "The command may or may not have taken effect: look, then repeat it.");
  if (const auto* why = std::get_if<problem>(&reply->what)) co_return problem_for_operator(about, *why);
  const auto* row = std::get_if<entity_row>(&reply->what);
  const auto* shown = row ? std::get_if<payment_ptr>(row) : nullptr;
  if (!shown) co_return error_response(error_code::internal_error);
  co_return answer_with(encode_payment_for_operator(**shown, c.here.shared.config.hosted_expiry));
}

/// Executes a command whose commit includes its audit entry.
boost::asio::awaitable<response> change_with_note(call& c, entity_key key, payment_command what,
                                                  std::string_view action, std::string_view why) {
  auto note = std::make_shared<const save_audit>(note_about(c, key, action, why));
  entity_request wanted{std::move(key), std::nullopt, std::move(what)};
  wanted.note = std::move(note);
  auto op = ask_payment(c, std::move(wanted));
  co_return co_await std::move(op);
}

/// Lists the oldest first.
boost::asio::awaitable<response> list_unknown_payments(call& c, payment_filter filter) {
  const auto expiry = c.here.shared.config.hosted_expiry;
  find_unknown_payments query{filter.merchant, filter.env};
  auto op = ask(c.here, std::move(query));
  auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  auto& all = found->payments;
  const auto since = [expiry](const payment_ptr& p) { return unknown_since(*p, expiry).value_or(p->created_at); };
  const auto now = c.here.shared.clock.now();
  std::erase_if(all, [&](const payment_ptr& p) {
    return (filter.state && p->state != *filter.state) || (filter.older_than && since(p) > now - *filter.older_than);
  });
  std::ranges::stable_sort(all, {}, since);
  const auto left_out = all.size() - std::min<std::size_t>(all.size(), filter.limit);
  all.resize(all.size() - left_out);
  std::string rest;
  if (left_out > 0) rest = R"(,"left_out":)" + std::to_string(left_out);
  co_return answer_with(encode_listed_payments(all, expiry, rest));
}

boost::asio::awaitable<response> list_payments_by_age(call& c, payment_filter filter) {
  find_payments_of_merchants query{filter.merchant, filter.env, filter.state};
  if (filter.older_than) query.until = c.here.shared.clock.now() - *filter.older_than;
  query.after = std::move(filter.after);
  std::vector<payment_ptr> all;
  for (int asked = 0; asked < most_list_questions; ++asked) {
    query.limit = filter.limit - static_cast<std::uint32_t>(all.size());
    auto page = query;
    auto op = ask(c.here, std::move(page));
    const auto found = co_await std::move(op);
    if (!found) co_return error_response(code_of(found.error()));
    all.insert(all.end(), found->payments.begin(), found->payments.end());
    query.after = found->next;
    if (!query.after || all.size() >= filter.limit) break;
  }
  std::string rest;
  if (query.after) {
    rest = R"(,"next":)";
    append_json_string(rest, list_cursor(*query.after));
  }
  co_return answer_with(encode_listed_payments(all, c.here.shared.config.hosted_expiry, rest));
}

}  // namespace

boost::asio::awaitable<response> list_payments_for_operator(call& c) {
  auto body = decode_list_payments(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& filter = std::get<payment_filter>(body);
  if (!filter.merchant.empty()) {
    auto making = make_known(c.here, filter.merchant);
    if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
    if (!c.here.shared.merchants.find_merchant(filter.merchant))
      co_return error_response(no_such("merchant", filter.merchant.value));
  }
  const bool unknown = filter.unknown;
  auto op = unknown ? list_unknown_payments(c, std::move(filter)) : list_payments_by_age(c, std::move(filter));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> show_payment_for_operator(call& c) {
  auto body = decode_named_payment(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto op = ask_payment(c, {std::get<named_payment>(std::move(body)).key, std::nullopt, view_entity{}});
  co_return co_await std::move(op);
}

/// The audit entry is committed before the provider is asked: the commits that follow record only the provider's state.
boost::asio::awaitable<response> refresh_payment(call& c) {
  auto body = decode_named_payment(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& key = std::get<named_payment>(body).key;
  auto looking = ask(c, entity_request{key, std::nullopt, view_entity{}});
  const auto seen = co_await std::move(looking);
  const auto* row = seen ? std::get_if<entity_row>(&seen->what) : nullptr;
  const auto* why = seen ? std::get_if<problem>(&seen->what) : nullptr;
  if (why) co_return problem_for_operator(key, *why);
  if (!row) co_return error_response(seen ? error_code::internal_error : code_of(seen.error()));
  auto noting = commit_note(c, note_about(c, key, "refresh payment", {}));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask_payment(c, {key, std::nullopt, payment_command{ask_provider{}}});
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> settle_payment_outcome(call& c) {
  auto body = decode_settle_payment(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<settled_payment>(body);
  const auto why = wanted.how.reason;
  const auto* action = wanted.how.approved ? "settle payment as approved" : "settle payment as declined";
  auto op = change_with_note(c, std::move(wanted.key), std::move(wanted.how), action, why);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> record_outside_refund(call& c) {
  auto body = decode_record_refund(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<recorded_refund>(body);
  const auto why = std::to_string(wanted.what.amount) + ' ' + wanted.what.reference + ": " + wanted.what.reason;
  auto op = change_with_note(c, std::move(wanted.key), std::move(wanted.what), "record refund", why);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> act_on_sandbox_payment(call& c) {
  auto body = decode_act_in_sandbox(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<acted_payment>(body);
  const auto why = std::string{to_string(wanted.what.what)};
  auto op = change_with_note(c, std::move(wanted.key), act_in_sandbox{std::move(wanted.what)}, "act in sandbox", why);
  co_return co_await std::move(op);
}

}  // namespace gateway::http
