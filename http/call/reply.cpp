#include "reply.hpp"

#include <caf/sec.hpp>

#include "ask.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "http/access/provider_state.hpp"
#include "http/access/setup_link.hpp"
#include "http/codec/encode_customer.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/codec/encode_subscription.hpp"
#include "services.hpp"

namespace gateway::http {
namespace {

response to_response(const call&, const finished& result) {
  response out;
  out.stored = result.result;
  if (result.replayed) out.headers.emplace_back("Idempotent-Replayed", "true");
  return out;
}

bool is_known(const directory& known, const directory_name& what) {
  switch (what.what) {
    case directory_name::kind::merchant: return known.find_merchant(merchant_id{what.text}) != nullptr;
    case directory_name::kind::platform: return known.find_platform(platform_id{what.text}) != nullptr;
    case directory_name::kind::key: return known.find_key(key_id{what.text}) != nullptr;
    case directory_name::kind::destination: return known.find_destination(destination_id{what.text}) != nullptr;
    case directory_name::kind::user:
    case directory_name::kind::email: return false;
    case directory_name::kind::provider:
    case directory_name::kind::master_keys: return true;
  }
  return false;
}

/// Looks the merchant up here instead of being passed it, because only this problem needs it.
response not_charge_capable(const call& c) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(c.allowed.merchant);
  if (!who) return error_response(error_code::internal_error);
  const auto link = make_setup_link(*who, c.allowed.env, shared.portal_url, shared.setup_token_key, shared.clock.now());
  response out;
  out.status = row_of(error_code::merchant_not_charge_capable).status;
  const auto states = states_in(shared.config, shared.providers, c.allowed.env);
  out.body = not_charge_capable_body(*who, c.allowed.env, link, shared.base_url, states);
  return out;
}

response to_response(const call& c, problem why) {
  if (why == problem::merchant_not_charge_capable) return not_charge_capable(c);
  if (why == problem::key_ended && c.allowed.by_platform) return error_response(error_code::platform_key_invalid);
  return error_response(why, c.here.shared.base_url);
}

response to_response(const call& c, const entity_row& subject) {
  if (const auto* shown = std::get_if<payment_ptr>(&subject)) {
    const bool whole = !c.allowed.by_platform || is_made_by(**shown, platform_id{c.allowed.principal});
    return answer_with(encode_payment(**shown, whole));
  }
  if (const auto* shown = std::get_if<customer_ptr>(&subject)) return answer_with(encode_customer(**shown));
  if (const auto* shown = std::get_if<subscription_ptr>(&subject)) return answer_with(encode_subscription(**shown));
  return error_response(error_code::internal_error);
}

response to_response(const call&, const timeline_ptr& view) {
  response out;
  out.body = encode_timeline(*view);
  return out;
}

}  // namespace

error_code code_of(const caf::error& failure) noexcept {
  if (is(failure, actor_errc::overloaded)) return error_code::overloaded;
  if (is(failure, actor_errc::store_unavailable)) return error_code::store_unavailable;
  if (is(failure, actor_errc::stopping)) return error_code::stopping;
  if (failure == caf::sec::request_timeout) return error_code::answer_timeout;
  // The actor died, or sent an unexpected answer. A retry with the same key shows what happened.
  return error_code::internal_error;
}

boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, directory_name what) {
  if (is_known(here.shared.merchants, what)) co_return std::nullopt;
  auto asking = ask(here, look_up{std::move(what)});
  const auto there = co_await std::move(asking);
  co_return there ? std::nullopt : std::optional{code_of(there.error())};
}

boost::asio::awaitable<std::optional<error_code>> make_known(worker& here, merchant_id id) {
  auto making = make_known(here, directory_name{directory_name::kind::merchant, std::move(id.value)});
  co_return co_await std::move(making);
}

idempotency take_idempotency(call& c) {
  std::string text;
  text.reserve(c.in.method.size() + c.in.path.size() + c.body_sha256.size() + 2);
  text.append(c.in.method).append(1, '\n').append(c.in.path).append(1, '\n').append(c.body_sha256);
  return {{c.allowed.merchant, c.allowed.env, c.allowed.principal, std::move(c.idempotency_key)},
          crypto::hex(crypto::sha256(text))};
}

boost::asio::awaitable<response> answer_unless_key_is_known(call& c, idempotency write, error_style style,
                                                            error_code otherwise) {
  const auto& base_url = c.here.shared.base_url;
  auto op = ask(c.here, find_command{write.key});
  const auto record = co_await std::move(op);
  if (!record) co_return error_response(style, code_of(record.error()));
  if (!record->found) co_return error_response(style, otherwise, {}, base_url);
  const auto& known = *record->found;
  if (known.fingerprint != write.fingerprint) co_return error_response(style, error_code::idempotency_key_reused);
  if (!known.result) co_return error_response(style, error_code::request_in_progress);
  co_return to_response(c, finished{std::make_shared<const gateway::answer>(*known.result), true});
}

decode_context context_of(call& c) {
  const bool is_live = c.allowed.env == environment::live;
  return {c.allowed.env, c.here.shared.config.http.json_depth, is_live && c.allowed.by_platform,
          c.in_test ? &c.ignored : nullptr};
}

entity_request as_write(call& c, entity_request wanted) {
  wanted.write = take_idempotency(c);
  wanted.admission = std::move(c.admission).value().pass_on();
  wanted.by = c.allowed.by;
  return wanted;
}

boost::asio::awaitable<caf::expected<entity_reply>> ask(call& c, entity_request what) {
  if (log::enabled(log::level::info)) {
    c.about.merchant = what.key.merchant.value;
    if (what.key.kind == entity_kind::payment) c.about.payment = what.key.id;
  }
  what.trace = c.in.trace;
  what.traced_from = c.here.shared.traces.begin(c.in.trace);
  return ask(c.here, std::string{c.in.request_id}, std::move(what));
}

boost::asio::awaitable<response> ask_router(call& c, entity_request wanted) {
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  co_return answer_of(c, reply);
}

response answer_of(const call& c, caf::expected<entity_reply>& reply) {
  if (!reply) return error_response(code_of(reply.error()));
  return std::visit([&](const auto& what) { return to_response(c, what); }, reply->what);
}

response answer_with(std::string body) {
  response out;
  out.body = std::move(body);
  return out;
}

}  // namespace gateway::http
