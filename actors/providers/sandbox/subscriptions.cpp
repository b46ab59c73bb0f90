#include "subscriptions.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/sandbox_biller.hpp"

namespace gateway::actors {

namespace {

std::string page_of(const subscription& subject, std::string_view session, const sandbox_settings& pages) {
  std::string payload = "subscription\n";
  for (const std::string_view part : {std::string_view{subject.key.merchant.value}, to_string(subject.key.env),
                                      std::string_view{subject.key.id}, session})
    payload.append(part).append("\n");
  payload.pop_back();
  return pages.base_url + "/sandbox/subscription/" + pages.hosted_page_key.sign(payload);
}

subscription_answer checkout_answer(const subscription& subject, const sandbox_subscription& seen,
                                    const sandbox_settings& pages) {
  subscription_answer answer;
  answer.status = provider_status::pending;
  answer.checkout_session_id = seen.checkout_session_id;
  answer.hosted_url = page_of(subject, seen.checkout_session_id, pages);
  return answer;
}

}  // namespace

entity_request enrollment_request(const subscription_call& call, const sandbox_settings& pages) {
  const auto& subject = call.subject;
  std::string provider_id;
  enrollment_command what;
  const auto provider_id_of = [&] {
    std::string_view session = subject.checkout_session_id;
    if (session.starts_with("cs_")) session.remove_prefix(3);
    return "sub_" + std::string{session};
  };
  if (call.reads)
    return {enrollment_key(subject.key.merchant, subject.key.env, provider_id_of()), std::nullopt,
            common_command{view_entity{}}};
  if (subject.open->what == subscription_operation::open_checkout) {
    auto made = sandbox_checkout(subject, "cs_" + call.provider_key.substr(std::string_view{"pk_"}.size()));
    if (made.customer_id.empty()) made.customer_id = sandbox_customer_id(call.customer_key);
    made.page = page_of(subject, made.checkout_session_id, pages);
    provider_id = made.id;
    what = open_enrollment{std::move(made)};
  } else {
    provider_id = provider_id_of();
    what = close_enrollment{subject.open->what == subscription_operation::cancel};
  }
  return {enrollment_key(subject.key.merchant, subject.key.env, provider_id), std::nullopt, std::move(what)};
}

subscription_result result_of(const subscription_call& call, const entity_reply& reply, const sandbox_settings& pages) {
  const auto* found = std::get_if<entity_row>(&reply.what);
  if (!found) return no_enrollment_answer();
  const auto& seen = std::get<enrollment_ptr>(*found)->what;
  const bool opens = !call.reads && call.subject.open->what == subscription_operation::open_checkout;
  return {opens ? checkout_answer(call.subject, seen, pages) : statement_of(seen), seen.customer_id};
}

subscription_result no_enrollment_answer() {
  subscription_result none;
  none.answer.error =
      provider_error{error_category::provider, "provider_unreachable", "The provider did not answer.", true, true};
  return none;
}

}  // namespace gateway::actors
