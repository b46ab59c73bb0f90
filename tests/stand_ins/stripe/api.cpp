#include "api.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <memory>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

constexpr std::string_view accounts_path = "/v1/accounts/";

/// `/v1/payment_intents/pi_1/capture` split: payment_intents, pi_1, capture.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  path.remove_prefix(std::min<std::size_t>(path.size(), 4));
  while (!path.empty()) {
    parts.emplace_back(path.substr(0, path.find('/')));
    path.remove_prefix(std::min(path.size(), parts.back().size() + 1));
  }
  return parts;
}

bool is_id(std::string_view part) {
  return part.find('_') != part.npos && std::ranges::any_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

std::string without_ids(const request& asked) {
  auto name = asked.method + " /v1";
  for (const auto& part : parts_of(asked.path)) name += '/' + (is_id(part) ? std::string{"{id}"} : part);
  return name;
}

answer unauthorized(std::string_view message) {
  return error_answer(401, {{"message", message}, {"type", "invalid_request_error"}});
}

answer not_found(const request& asked) {
  return error_answer(404, {{"message", "Unrecognized request URL (" + asked.method + ": " + asked.path + ")."},
                            {"type", "invalid_request_error"}});
}

std::string place_of(const caller& who) { return who.account + (who.live ? "/live/" : "/test/") + who.idempotency_key; }

bool is_of_platform(std::string_view path) {
  constexpr std::string_view endpoints = "/v1/webhook_endpoints";
  return path == "/v1/accounts" || path == "/v1/account_links" || path == "/v1/events" || path == endpoints ||
         path.starts_with(std::string{endpoints} + '/');
}

bool is_version(std::string_view text) {
  static constexpr std::string_view form = "dddd-dd-dd";
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  return text.size() == form.size() || text[form.size()] == '.';
}

}  // namespace

std::optional<answer> api::fault_of_caller(const request& asked, caller& who) const {
  const auto* authorization = asked.header("Authorization");
  constexpr std::string_view bearer = "Bearer ";
  if (!authorization || !authorization->starts_with(bearer))
    return unauthorized("You did not provide an API key in the Authorization header, as Bearer YOUR_SECRET_KEY.");
  const auto key = authorization->substr(bearer.size());
  who.live = key.starts_with("sk_live_");
  if ((!who.live && !key.starts_with("sk_test_")) || key.size() < 12) return unauthorized("Invalid API Key provided");
  const auto* version = asked.header("Stripe-Version");
  if (!version || !is_version(*version))
    return invalid("The stand-in wants a Stripe-Version header, pinned to a date.");
  who.version = *version;
  if (const auto* account = asked.header("Stripe-Account")) who.account = *account;
  // The platform itself makes its accounts, and may retrieve them.
  auto subject = who.account;
  // It has endpoints and a list of events of its own, too.
  if (subject.empty() && is_of_platform(asked.path)) return std::nullopt;
  if (subject.empty() && asked.path.starts_with(accounts_path)) subject = asked.path.substr(accounts_path.size());
  if (state_of(subject).value_or(account_state::gone) == account_state::gone)
    return error_answer(403, {{"code", "account_invalid"},
                              {"message", "The provided key does not have access to account '" + subject +
                                              "' (or that account does not exist). Application access may have been "
                                              "revoked."},
                              {"type", "invalid_request_error"}});
  return std::nullopt;
}

std::optional<account_state> api::state_of(const std::string& account) const {
  if (const auto known = accounts.find(account); known != accounts.end()) return known->second;
  const auto* made = all_.find_anyones("account", account);
  if (!made) return std::nullopt;
  return made->at("charges_enabled").as_bool() ? account_state::active : account_state::restricted;
}

void api::serve(const request& asked, std::function<void(answer)> done) {
  ++counts[without_ids(asked)];
  if (const auto* trace = asked.header("traceparent")) {
    traceparents.push_back(*trace);
    if (traceparents.size() > 100) traceparents.pop_front();
  }
  auto one = std::make_shared<call>();
  one->asked = asked;
  one->done = std::move(done);
  one->who.request_id = random_id("req_").substr(0, 18);
  one->goes_wrong = faults.next_for(asked.method, asked.path);
  const auto wrong = [&](fault_kind what) { return one->goes_wrong && one->goes_wrong->what == what; };
  if (wrong(fault_kind::cut_before)) return one->done({.closes = true});
  if (wrong(fault_kind::rate_limited)) {
    auto limited = error_answer(
        429, {{"code", "rate_limit"}, {"message", "Request rate limit exceeded."}, {"type", "invalid_request_error"}});
    limited.headers.emplace_back("Retry-After", "1");
    return one->done(finish(*one, std::move(limited)));
  }
  if (const auto fault = fault_of_caller(one->asked, one->who)) return one->done(finish(*one, *fault));
  if (wrong(fault_kind::error_500_before)) return one->done(finish(*one, server_error()));
  const bool writes = one->asked.method == "POST";
  if (writes && !one->asked.body.empty()) {
    const auto* type = one->asked.header("Content-Type");
    if (!type || !type->starts_with("application/x-www-form-urlencoded"))
      return one->done(finish(*one, invalid("Invalid request (the content type of a POST is "
                                            "application/x-www-form-urlencoded)")));
  }
  auto given = form::parse(writes ? one->asked.body : one->asked.query);
  if (!given) return one->done(finish(*one, invalid("Invalid request (the parameters cannot be read)")));
  one->given = std::move(*given);
  if (const auto* key = one->asked.header("Idempotency-Key"); key && writes) one->who.idempotency_key = *key;
  if (one->who.idempotency_key.size() > 255)
    return one->done(finish(*one, invalid("Idempotency keys can have up to 255 characters.")));
  one->fingerprint = one->asked.method + ' ' + one->asked.path + ' ' + one->given.fingerprint();
  if (answered_by_key(*one)) return;
  run(one);
}

/// https://docs.stripe.com/api/idempotent_requests
bool api::answered_by_key(const call& one) {
  if (one.who.idempotency_key.empty()) return false;
  if (in_progress_.contains(place_of(one.who))) {
    one.done(finish(one, error_answer(409, {{"code", "idempotency_key_in_use"},
                                            {"message",
                                             "There is currently another in-progress request using this "
                                             "Idempotency Key. Please try again later."},
                                            {"type", "idempotency_error"}})));
    return true;
  }
  const auto* kept = all_.answer_under(one.who);
  if (!kept) return false;
  if (kept->fingerprint != one.fingerprint) {
    one.done(finish(one, error_answer(400, {{"message",
                                             "Keys for idempotent requests can only be used with the same "
                                             "parameters they were first used with."},
                                            {"type", "idempotency_error"}})));
    return true;
  }
  answer again{kept->status, kept->body, {{"Content-Type", "application/json"}}};
  again.headers.emplace_back("Idempotent-Replayed", "true");
  again.headers.emplace_back("Original-Request", kept->request_id);
  if (one.goes_wrong && one.goes_wrong->what == fault_kind::cut_after) again.closes = true;
  one.done(finish(one, std::move(again)));
  return true;
}

void api::run(const std::shared_ptr<call>& one) {
  if (!one->goes_wrong || one->goes_wrong->what != fault_kind::slow) return execute(*one);
  if (!one->who.idempotency_key.empty()) in_progress_.insert(place_of(one->who));
  const auto timer = std::make_shared<boost::asio::steady_timer>(context_, one->goes_wrong->wait);
  timer->async_wait([this, timer, one](boost::system::error_code) {
    in_progress_.erase(place_of(one->who));
    execute(*one);
  });
}

void api::execute(call& one) {
  const auto wrong = [&](fault_kind what) { return one.goes_wrong && one.goes_wrong->what == what; };
  const bool keyed = !one.who.idempotency_key.empty();
  const auto what = one.asked.method + ' ' + one.asked.path;
  draft nothing{all_, one.who};
  if (wrong(fault_kind::error_500_stored)) {
    const auto failed = server_error();
    if (keyed) commit(nothing, what, one.fingerprint, &failed);
    return one.done(finish(one, failed));
  }
  draft in{all_, one.who};
  auto reported = dispatch(in, one.asked, one.given);
  if (wrong(fault_kind::error_500_after) && reported.status == 200) reported = server_error();
  // https://docs.stripe.com/api/idempotent_requests: an error before the execution begins is not kept.
  const bool executed = reported.status == 200 || reported.begun;
  if (one.asked.method != "GET" && executed)
    commit(reported.status == 400 ? nothing : in, what, one.fingerprint, keyed ? &reported : nullptr);
  if (wrong(fault_kind::garbage)) reported = {200, "<html><body>Bad gateway", {{"Content-Type", "text/html"}}};
  if (wrong(fault_kind::cut_after)) reported.closes = true;
  one.done(finish(one, std::move(reported)));
}

void api::commit(const draft& in, std::string_view what, const std::string& fingerprint, const answer* kept) {
  auto line = in.line(what);
  if (kept)
    line["answer"] = json::object{{"fingerprint", fingerprint},
                                  {"request_id", in.who().request_id},
                                  {"status", kept->status},
                                  {"body", kept->body}};
  all_.commit(line);
  if (on_commit) on_commit();
}

answer api::finish(const call& one, answer what) const {
  what.headers.emplace_back("Request-Id", one.who.request_id);
  if (!one.who.version.empty()) what.headers.emplace_back("Stripe-Version", one.who.version);
  if (!one.who.account.empty()) what.headers.emplace_back("Stripe-Account", one.who.account);
  if (!one.who.idempotency_key.empty()) what.headers.emplace_back("Idempotency-Key", one.who.idempotency_key);
  return what;
}

std::optional<answer> api::dispatch_accounts(draft& in, const request& asked, const form& given) {
  if (asked.method == "POST" && asked.path == "/v1/accounts") return create_account(in, given);
  if (asked.method == "POST" && asked.path == "/v1/account_links") return create_account_link(in, given, at_);
  if (asked.method != "GET" || !asked.path.starts_with(accounts_path)) return std::nullopt;
  const auto id = asked.path.substr(accounts_path.size());
  const auto state = state_of(id);
  if (!state) return missing("account", id);
  if (const auto* made = all_.find_anyones("account", id)) return json_answer(200, shown(all_, *made));
  const bool able = state == account_state::active;
  return json_answer(
      200, json::object{{"id", id},
                        {"object", "account"},
                        {"charges_enabled", able},
                        {"payouts_enabled", able},
                        {"details_submitted", true},
                        {"capabilities", json::object{{"card_payments", able ? "active" : "inactive"}}},
                        {"metadata", json::object{}},
                        {"requirements", json::object{{"disabled_reason",
                                                       able ? json::value(nullptr) : json::value("rejected.other")}}}});
}

std::optional<answer> api::dispatch_endpoints(draft& in, const request& asked, const form& given) {
  constexpr std::string_view all = "/v1/webhook_endpoints";
  if (!asked.path.starts_with(all)) return std::nullopt;
  if (!in.who().account.empty())
    return invalid("You are not permitted to configure webhook endpoints on a connected account.");
  if (asked.path == all) return asked.method == "POST" ? create_endpoint(in, given) : list_endpoints(in, given);
  const auto id = asked.path.substr(all.size() + 1);
  if (asked.method == "DELETE") return delete_endpoint(in, id);
  return asked.method == "POST" ? update_endpoint(in, given, id) : retrieve_endpoint(in, given, id);
}

answer api::dispatch(draft& in, const request& asked, const form& given) {
  auto parts = parts_of(asked.path);
  parts.resize(4);
  const bool post = asked.method == "POST", get = asked.method == "GET";
  const auto is = [&](std::string_view first, std::string_view third = {}) {
    return parts[0] == first && !parts[1].empty() && parts[2] == third && parts[3].empty();
  };
  const auto is_all = [&](std::string_view first) { return parts[0] == first && parts[1].empty(); };
  if (const auto reported = dispatch_accounts(in, asked, given)) return *reported;
  if (const auto reported = dispatch_endpoints(in, asked, given)) return *reported;
  if (get && is_all("events")) return list_events(in, given);
  if (in.who().account.empty()) return invalid("The stand-in wants a Stripe-Account header.");
  if (post && state_of(in.who().account) == account_state::restricted &&
      (is_all("payment_intents") || (is("checkout", "") && parts[1] == "sessions")))
    return invalid("Your account cannot currently make charges.", "account_invalid");
  if (get && is("payment_intents") && parts[1] == "search") return search_intents(in, given, at_);
  if (get && is("subscriptions") && parts[1] == "search") return search_subscriptions(in, given, at_);
  if (get && is("subscriptions")) return retrieve_subscription(in, given, parts[1]);
  if (asked.method == "DELETE" && is("subscriptions")) return cancel_subscription(in, given, parts[1]);
  if (get && is_all("invoices")) return list_invoices(in, given);
  if (get && is("invoices")) return retrieve_invoice(in, given, parts[1]);
  if (get && is_all("invoice_payments")) return list_invoice_payments(in, given);
  if (get && is("customers") && parts[1] == "search") return search_customers(in, given, at_);
  if (is_all("payment_intents")) return post ? create_intent(in, given, at_) : list_intents(in, given);
  if (get && is("payment_intents")) return retrieve_intent(in, given, parts[1]);
  if (post && is("payment_intents", "confirm")) return confirm_intent(in, given, parts[1], at_);
  if (post && is("payment_intents", "capture")) return capture_intent(in, given, parts[1]);
  if (post && is("payment_intents", "cancel")) return cancel_intent(in, given, parts[1]);
  if (is_all("refunds")) return post ? create_refund(in, given) : list_refunds(in, given);
  if (get && is("refunds")) return retrieve_refund(in, given, parts[1]);
  if (get && is_all("disputes")) return list_disputes(in, given);
  if (get && is("disputes")) return retrieve_dispute(in, given, parts[1]);
  if (get && is("events")) return retrieve_event(in, given, parts[1]);
  if (post && is_all("customers")) return create_customer(in, given);
  if (get && is("customers")) return retrieve_customer(in, given, parts[1]);
  if (get && is("payment_methods")) return retrieve_method(in, given, parts[1]);
  if (parts[0] == "checkout" && parts[1] == "sessions") {
    if (parts[2].empty()) return post ? create_session(in, given, at_) : list_sessions(in, given);
    if (get && parts[3].empty()) return retrieve_session(in, given, parts[2]);
    if (post && parts[3] == "expire") return expire_session(in, given, parts[2]);
  }
  return not_found(asked);
}

}  // namespace gateway::stripe_stand_in
