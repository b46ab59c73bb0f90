// The webhook endpoint at Stripe that sends events to the gateway: docs.stripe.com/api/webhook_endpoints. It must be
// one for connected accounts (docs.stripe.com/connect/webhooks): an endpoint of the platform's own account gets no
// events of the merchants' accounts.
//
// Stripe shows an endpoint's secret only in the answer to its creation. The request has an idempotency key, so that two
// simultaneous requests create one endpoint.

#include <algorithm>
#include <utility>

#include "dialogue.hpp"
#include "form.hpp"
#include "gateway/base/crypto.hpp"
#include "notifications.hpp"
#include "object_reader.hpp"

namespace gateway::actors::stripe {

namespace {

/// Most pages of the list that are read. An account has few endpoints.
constexpr unsigned most_pages = 5;
constexpr unsigned most_endpoint_attempts = 4;
/// The mark of endpoints that the gateway has made.
constexpr std::string_view made_mark = "gateway_endpoint", made_for_accounts = "connected_accounts";

struct webhook_endpoint {
  std::string id, url, status, version, application, mark, secret;
  std::vector<std::string> types;

  /// Stripe's objects do not state this, but an endpoint for connected accounts names the platform's application.
  bool is_of_accounts() const noexcept { return !application.empty() || mark == made_for_accounts; }
  bool gets(std::string_view type) const noexcept {
    return std::ranges::any_of(types, [&](const auto& each) { return each == "*" || each == type; });
  }
};

webhook_endpoint endpoint_in(const json::object* object) {
  webhook_endpoint read;
  read.id = own_id(object);
  read.url = word(object, "url");
  read.status = word(object, "status");
  read.version = word(object, "api_version");
  read.application = id_in(object, "application");
  read.mark = word(member(object, "metadata"), made_mark);
  read.secret = word(object, "secret");
  if (const auto* types = list(object, "enabled_events"))
    for (const auto& each : *types)
      if (each.is_string()) read.types.emplace_back(each.get_string());
  return read;
}

void add_types(form& to) {
  for (const auto type : notification_types()) to.add("enabled_events[]", type);
}

class endpoint_dialogue final : public stepwise_dialogue<endpoint_answer> {
 public:
  endpoint_dialogue(endpoint_question question, access as) : question_(std::move(question)), as_(std::move(as)) {}

 private:
  enum class step : unsigned char { list, make, confirm, change };

  turn begin() override { return list_from({}); }

  http_request list_from(std::string_view after) const {
    form query;
    query.add("limit", 100);
    query.add_unless_empty("starting_after", after);
    return read_request(as_, "/v1/webhook_endpoints?" + query.text());
  }

  turn on_reply(const reply& received) override {
    if (step_ == step::confirm) return on_confirmation(received);
    if (step_ == step::make && received.kind == reply_kind::server_fault && received.replayed)
      return create_again(received);
    if (received.kind != reply_kind::success) return failed(received);
    if (step_ == step::list) return on_list(received.body);
    const auto made = read_object(received.body, "webhook_endpoint", endpoint_in);
    if (!made || made->id.empty()) return nothing_known<endpoint_answer>();
    if (step_ == step::change) return describe(*made, endpoint_answer::state::changed);
    if (!made->secret.starts_with("whsec_")) return nothing_known<endpoint_answer>();
    made_ = describe(*made, endpoint_answer::state::made);
    made_.secret = made->secret;
    made_.of_accounts = true;
    if (!received.replayed) return made_;
    step_ = step::confirm;
    return read_request(as_, "/v1/webhook_endpoints/" + made_.id);
  }

  /// Stripe has repeated an answer of the last day. The endpoint may have been deleted since.
  turn on_confirmation(const reply& received) {
    if (received.kind == reply_kind::success) return made_;
    return received.kind == reply_kind::rejected ? create_again(received) : failed(received);
  }

  turn create_again(const reply& received) {
    if (attempt_ + 1 == most_endpoint_attempts) return failed(received);
    ++attempt_;
    return make();
  }

  turn on_list(std::string_view body) {
    const auto page = read_page<webhook_endpoint>(body, "list", endpoint_in);
    if (!page) return nothing_known<endpoint_answer>();
    for (const auto& each : page->all)
      if (each.url == question_.url && is_better(each)) best_ = each;
    const bool goes_on = page->has_more && !page->all.empty() && !page->all.back().id.empty();
    if (goes_on && ++pages_ < most_pages) return list_from(page->all.back().id);
    // Another endpoint must not be made because the list could not be read to its end.
    if (goes_on && !best_) return nothing_known<endpoint_answer>();
    return on_found();
  }

  /// Several may have the address: one for connected accounts counts first, then one that is enabled.
  bool is_better(const webhook_endpoint& one) const {
    const auto rank = [](const webhook_endpoint& e) { return std::pair{e.is_of_accounts(), e.status == "enabled"}; };
    return !best_ || rank(*best_) < rank(one);
  }

  turn on_found() {
    if (best_ && (best_->is_of_accounts() || !question_.registers)) {
      auto found = describe(*best_, endpoint_answer::state::found);
      if (!question_.registers || (found.missing.empty() && found.enabled)) return found;
      return change();
    }
    if (!question_.registers) {
      endpoint_answer none;
      none.what = endpoint_answer::state::absent;
      return none;
    }
    return make();
  }

  http_request make() {
    step_ = step::make;
    form body;
    body.add("url", question_.url);
    body.add("connect", "true");
    body.add("api_version", api_version);
    body.add("description", "Payments gateway");
    body.add_to("metadata", made_mark, made_for_accounts);
    add_types(body);
    // The key is derived from the request, so that only the same request has the same key.
    const auto key = "endpoint_" + crypto::hex(crypto::sha256(body.text()));
    return write_request(as_, "/v1/webhook_endpoints", body.text(), key_of_attempt(key, attempt_));
  }

  /// Types that an operator has added stay.
  http_request change() {
    step_ = step::change;
    form body;
    for (const auto& type : best_->types)
      if (!std::ranges::binary_search(notification_types(), std::string_view{type})) body.add("enabled_events[]", type);
    add_types(body);
    body.add("disabled", "false");
    return write_request(as_, "/v1/webhook_endpoints/" + best_->id, body.text(), {});
  }

  endpoint_answer describe(const webhook_endpoint& one, endpoint_answer::state what) const {
    endpoint_answer answer;
    answer.what = what;
    answer.id = one.id;
    answer.enabled = one.status == "enabled";
    answer.of_accounts = one.is_of_accounts();
    answer.version = shown(one.version);
    for (const auto type : notification_types())
      if (!one.gets(type)) answer.missing.emplace_back(type);
    return answer;
  }

  endpoint_answer failed(const reply& received) const {
    endpoint_answer none;
    none.error = result_of_failure(received, false).error;
    return none;
  }

  endpoint_question question_;
  access as_;
  step step_ = step::list;
  unsigned pages_ = 0, attempt_ = 0;
  endpoint_answer made_;
  std::optional<webhook_endpoint> best_;
};

}  // namespace

dialogue_ptr<endpoint_answer> open_endpoint(endpoint_question question, access as) {
  return std::make_unique<endpoint_dialogue>(std::move(question), std::move(as));
}

}  // namespace gateway::actors::stripe
