// The standing of a merchant's account, and the links to Stripe's own pages for its owner:
// docs.stripe.com/connect/hosted-onboarding. Requests are sent as the platform: the account is their subject, not their
// sender. A link is created for each visit, because it works once and only for minutes.

#include "dialogue.hpp"
#include "reading.hpp"

namespace gateway::actors::stripe {

template <>
inline account_answer nothing_known() {
  account_answer none;
  none.error = not_known("The provider's answer could not be handled.").error;
  return none;
}

namespace {

struct connected_account {
  std::string id, disabled_reason;
  bool charges_enabled = false, details_submitted = false;
};

std::optional<connected_account> read_account(std::string_view body) {
  return read_object(body, "account", [](const json::object* object) {
    return connected_account{own_id(object), std::string{word(member(object, "requirements"), "disabled_reason")},
                             flag(object, "charges_enabled"), flag(object, "details_submitted")};
  });
}

std::string read_link(std::string_view body) {
  return read_object(body, "account_link", [](const json::object* object) { return url_in(object, "url"); })
      .value_or(std::string{});
}

/// Stripe gives new accounts a disabled_reason, too, while the owner has not submitted anything: requirements.past_due.
account_standing standing_of(const connected_account& seen) {
  if (seen.charges_enabled) return account_standing::ready;
  if (seen.disabled_reason.starts_with("rejected.")) return account_standing::restricted;
  // The owner has submitted everything, and Stripe has not reviewed it yet.
  const bool waits = seen.disabled_reason.empty() || seen.disabled_reason == "requirements.pending_verification";
  return seen.details_submitted && !waits ? account_standing::restricted : account_standing::incomplete;
}

class account_dialogue final : public stepwise_dialogue<account_answer> {
 public:
  account_dialogue(account_question question, access as) : question_(std::move(question)), as_(std::move(as)) {
    told_.account = question_.account;
  }

 private:
  enum class step : unsigned char { create, look, link };

  turn begin() override {
    if (question_.account.empty()) {
      if (!question_.onboards) return told_;
      step_ = step::create;
      return write_request(as_, "/v1/accounts", account_form(question_), question_.provider_key);
    }
    if (!is_provider_id(question_.account)) return gone();
    step_ = step::look;
    return read_request(as_, "/v1/accounts/" + question_.account);
  }

  turn hear(const reply& heard) override {
    switch (step_) {
      case step::create: return hear_account(heard);
      case step::look: return is_gone(heard) ? gone() : hear_account(heard);
      case step::link: return hear_link(heard);
    }
    return nothing_known<account_answer>();
  }

  /// The account is not, or no longer, connected to the platform: docs.stripe.com/error-codes, account_invalid.
  static bool is_gone(const reply& heard) {
    return heard.error && (heard.error->code == "account_invalid" || heard.error->code == "resource_missing");
  }

  turn hear_account(const reply& heard) {
    if (heard.kind != reply_kind::success) return unclear(result_of_failure(heard, false));
    const auto seen = read_account(heard.body);
    const bool another = !question_.account.empty() && seen && seen->id != question_.account;
    if (!seen || seen->id.empty() || another) return unclear(not_known("The provider's answer could not be read."));
    told_.account = seen->id;
    told_.standing = standing_of(*seen);
    if (!question_.onboards) return told_;
    const bool done = seen->charges_enabled && seen->details_submitted;
    if (done || seen->disabled_reason.starts_with("rejected.")) return told_;
    step_ = step::link;
    return write_request(as_, "/v1/account_links", account_link_form(question_, told_.account), {});
  }

  turn hear_link(const reply& heard) {
    if (heard.kind == reply_kind::success) told_.url = read_link(heard.body);
    if (!told_.url.empty()) return told_;
    if (heard.kind == reply_kind::success) return unclear(not_known("The provider's answer could not be read."));
    return unclear(result_of_failure(heard, false));
  }

  /// The account, if there is one, is returned nevertheless: it exists.
  account_answer unclear(const provider_result& why) {
    told_.standing = account_standing::unknown;
    told_.error = why.error;
    return told_;
  }

  account_answer gone() {
    told_.standing = account_standing::restricted;
    told_.error = provider_error{error_category::auth, "account_invalid",
                                 "The merchant's account at the provider is not valid.", false, false};
    return told_;
  }

  account_question question_;
  access as_;
  account_answer told_;
  step step_ = step::look;
};

}  // namespace

dialogue_ptr<account_answer> open_account(account_question question, access as) {
  return std::make_unique<account_dialogue>(std::move(question), std::move(as));
}

}  // namespace gateway::actors::stripe
