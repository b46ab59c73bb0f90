// The standing of a merchant's account, and the links to Stripe's own pages for its owner:
// docs.stripe.com/connect/hosted-onboarding. Requests are sent as the platform: the account is their subject, not their
// sender. A link is created for each visit, because it works once and only for minutes.

#include "dialogue.hpp"
#include "object_reader.hpp"

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
    answer_.account = question_.account;
  }

 private:
  enum class step : unsigned char { create, read_state, link };
  static constexpr unsigned most_attempts = 4;

  turn begin() override {
    if (question_.account.empty()) {
      if (!question_.onboards) return answer_;
      step_ = step::create;
      return create();
    }
    if (!is_provider_id(question_.account)) return gone();
    step_ = step::read_state;
    return read_request(as_, "/v1/accounts/" + question_.account);
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::create: return is_stored_failure(received) ? try_next_key(received) : on_account(received);
      case step::read_state: return is_gone(received) ? gone() : on_account(received);
      case step::link: return on_link(received);
    }
    return nothing_known<account_answer>();
  }

  http_request create() const {
    return write_request(as_, "/v1/accounts", account_form(question_),
                         key_of_attempt(question_.provider_key, attempt_));
  }

  /// Whether Stripe has stored a 500 under the key, which it then repeats for a day: the account's next key is used.
  static bool is_stored_failure(const reply& received) {
    return received.kind == reply_kind::server_fault && received.replayed;
  }

  /// All dialogues try the keys in the same order, so they come to the same account. If the failed request made one as
  /// well, it has no owner and stays unused; Stripe has no search that would find it.
  turn try_next_key(const reply& received) {
    if (attempt_ + 1 == most_attempts) return on_account(received);
    ++attempt_;
    return create();
  }

  /// The account is not, or no longer, connected to the platform: docs.stripe.com/error-codes, account_invalid.
  static bool is_gone(const reply& received) {
    return received.error && (received.error->code == "account_invalid" || received.error->code == "resource_missing");
  }

  turn on_account(const reply& received) {
    if (received.kind != reply_kind::success) return unclear(result_of_failure(received, false));
    const auto seen = read_account(received.body);
    const bool another = !question_.account.empty() && seen && seen->id != question_.account;
    if (!seen || seen->id.empty() || another) return unclear(not_known("The provider's answer could not be read."));
    answer_.account = seen->id;
    answer_.standing = standing_of(*seen);
    if (!question_.onboards) return answer_;
    const bool done = seen->charges_enabled && seen->details_submitted;
    if (done || seen->disabled_reason.starts_with("rejected.")) return answer_;
    step_ = step::link;
    return write_request(as_, "/v1/account_links", account_link_form(question_, answer_.account), {});
  }

  turn on_link(const reply& received) {
    if (received.kind == reply_kind::success) answer_.url = read_link(received.body);
    if (!answer_.url.empty()) return answer_;
    if (received.kind == reply_kind::success) return unclear(not_known("The provider's answer could not be read."));
    return unclear(result_of_failure(received, false));
  }

  /// An account that was created is returned even after a failure.
  account_answer unclear(const provider_result& why) {
    answer_.standing = account_standing::unknown;
    answer_.error = why.error;
    return answer_;
  }

  account_answer gone() {
    answer_.standing = account_standing::restricted;
    answer_.error = provider_error{error_category::auth, "account_invalid",
                                   "The merchant's account at the provider is not valid.", false, false};
    return answer_;
  }

  account_question question_;
  access as_;
  account_answer answer_;
  step step_ = step::read_state;
  unsigned attempt_ = 0;
};

}  // namespace

dialogue_ptr<account_answer> open_account(account_question question, access as) {
  return std::make_unique<account_dialogue>(std::move(question), std::move(as));
}

}  // namespace gateway::actors::stripe
