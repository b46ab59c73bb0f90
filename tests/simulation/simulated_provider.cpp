#include "simulated_provider.hpp"

#include <functional>
#include <utility>

#include <caf/all.hpp>

#include "gateway/domain/sandbox_truth.hpp"
#include "providers/sandbox/subscriptions.hpp"

namespace gateway::simulation {

namespace {

provider_result failing() {
  return {provider_status::unknown,
          {},
          {},
          provider_error{error_category::provider, "provider_error", "HTTP 503", true, true}};
}

/// Nothing was executed, and nothing is remembered.
provider_result refused(const char* code) {
  return {provider_status::declined,
          {},
          {},
          provider_error{error_category::provider, code, "Nothing was done.", true, false}};
}

using provider_link = actors::sandbox_provider::extend<caf::reacts_to<work_atom, std::uint64_t>>;

class provider_link_state {
 public:
  static inline const char* name = "provider_link";
  provider_link::pointer self = nullptr;
  simulated_provider* at = nullptr;
  std::string node;
  std::shared_ptr<bool> alive;
  router_actor router{};
  actors::sandbox_settings pages{"https://gateway.test", "a key of pages", "a key of programs"};

  caf::result<provider_result> take(provider_call& call) {
    return ask([&](auto reply) { at->take(node, std::move(call), std::move(reply)); });
  }
  caf::result<subscription_result> take(const subscription_call& call) {
    at->take(call);
    return actors::ask_enrollment(self, router, call, pages);
  }
  caf::result<provider_result> take(const provider_inquiry& inquiry) {
    return ask([&](auto reply) { at->look(node, inquiry, std::move(reply)); });
  }

  /// The first answer fulfils the promise. A second one is sent as a message for which no request waits.
  void answer(std::uint64_t id) {
    auto& call = open_.at(id);
    auto result = std::move(call.results.front());
    call.results.pop_front();
    if (call.promise.pending()) {
      call.promise.deliver(std::move(result));
    } else if (call.caller) {
      call.caller->enqueue(caf::make_mailbox_element(self->ctrl(), call.reply_id, {}, std::move(result)),
                           self->context());
    }
  }

 private:
  template <class Send>
  caf::typed_response_promise<provider_result> ask(Send send) {
    auto promise = self->make_response_promise<provider_result>();
    if (!*alive) return promise;
    const auto id = ++last_;
    open_.emplace(
        id, open_call{promise, self->current_mailbox_element()->sender, self->current_message_id().response_id(), {}});
    send([this, up = alive, id](const provider_result& result) {
      if (!*up) return;
      open_.at(id).results.push_back(result);
      caf::anon_send(provider_link{self}, work_atom::value, id);
    });
    if (at->adapter_fails()) promise.deliver(caf::make_error(caf::sec::runtime_error));
    return promise;
  }

  struct open_call {
    caf::typed_response_promise<provider_result> promise;
    caf::strong_actor_ptr caller;
    caf::message_id reply_id;
    std::deque<provider_result> results;
  };
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, open_call> open_;
};

provider_link::behavior_type line_behavior(provider_link::stateful_pointer<provider_link_state> self,
                                           simulated_provider* at, std::string node, std::shared_ptr<bool> alive) {
  self->state.self = self;
  self->state.at = at;
  self->state.node = std::move(node);
  self->state.alive = std::move(alive);
  return {[self](provider_call& call) { return self->state.take(call); },
          [self](const provider_inquiry& inquiry) { return self->state.take(inquiry); },
          [self](const subscription_call& call) { return self->state.take(call); },
          [](const account_question& question) { return actors::answer_sandbox_account(question); },
          [self](join_atom, const router_actor& router) { self->state.router = router; },
          [self](const notification_question& question) { return self->state.at->understand(question.what); },
          [](const event_list_question&) { return event_list_page{}; },
          [](const endpoint_question&) { return endpoint_answer{}; },
          [self](work_atom, std::uint64_t id) { self->state.answer(id); }};
}

}  // namespace

void simulated_provider::take(std::string_view node, provider_call call, reply_function reply) {
  promises_.provider_called(call);
  customer_promises_.provider_called(call);
  if (missing_ == guard::customer_key && !call.customer_key.empty()) call.customer_key += "/" + call.subject.key.id;
  if (missing_ == guard::provider_key) call.provider_key += "/" + std::to_string(++last_);
  log_.write(node, "calls the provider: ", to_string(call.what), ' ', call.subject.key.id, ' ', call.amount, " as ",
             call.provider_key.substr(0, 11), call.asked_again ? ", again" : "");
  if (!traits_of(call.subject.provider).sandbox && turns_away(call, reply)) return;
  if (random_.chance(faults_.call_lost)) return log_.write("provider", "never hears of it");
  const bool fails = random_.chance(faults_.call_fails), executed = !fails || random_.chance(0.5);
  const bool received = !random_.chance(faults_.reply_lost);
  time_.in(delay(), [this, call, reply, fails, executed, received, back = delay()] {
    const auto result = executed ? execute(call) : failing();
    // The call may fail after the customer is made and before the charge.
    if (!executed && random_.chance(0.5)) make_customer(call);
    if (fails) log_.write("provider", "answers 503 to ", call.provider_key.substr(0, 11));
    if (!received) return log_.write("provider", "its answer to ", call.provider_key.substr(0, 11), " is lost");
    const auto reported = fails ? failing() : result;
    time_.in(back, [reply, reported] { reply(reported); });
    if (random_.chance(faults_.reply_twice))
      time_.in(back + duration_ms{random_.between(0, 15'000)}, [reply, reported] { reply(reported); });
  });
  if (random_.chance(faults_.call_twice)) {
    if (missing_ == guard::provider_key) call.provider_key += "/" + std::to_string(++last_);
    time_.in(delay() + delay(), [this, call] { execute(call); });
  }
}

duration_ms simulated_provider::delay() {
  return duration_ms{random_.chance(faults_.stalls) ? random_.between(0, 30'000)
                                                    : random_.between(0, faults_.provider_latency.count())};
}

bool simulated_provider::is_away() {
  if (faults_.provider_away == 0) return false;
  if (time_.now() < away_until_) return true;
  if (!random_.chance(faults_.provider_away)) return false;
  log_.write("provider", "is away");
  log_.occurs("a provider is away");
  away_until_ = time_.now() + duration_ms{random_.between(1, 120'000)};
  return true;
}

bool simulated_provider::turns_away(const provider_call& call, const reply_function& reply) {
  const bool away = is_away();
  // A call that was executed before gets the same answer.
  if (!away && (call.asked_again || !random_.chance(faults_.refused))) return false;
  log_.write("provider", "does nothing for ", call.provider_key.substr(0, 11));
  if (away && random_.chance(0.2)) return true;
  if (!call.asked_again) log_.occurs("a call is declined, and nothing is executed");
  auto reported = call.asked_again ? failing() : refused("provider_unavailable");
  if (!away && random_.chance(0.5)) reported = refused("account_invalid");
  if (!away && random_.chance(0.5)) reported.customer_id = make_customer(call);
  time_.in(delay(), [reply, reported] { reply(reported); });
  return true;
}

void simulated_provider::look(std::string_view node, const provider_inquiry& inquiry, reply_function reply) {
  log_.write(node,
             inquiry.compares ? "compares with the provider: "
             : inquiry.closes ? "closes the page of "
                              : "asks what became of ",
             inquiry.subject.key.id);
  if (!traits_of(inquiry.subject.provider).sandbox) return look_outside(inquiry, reply);
  if (random_.chance(faults_.call_lost) || random_.chance(faults_.reply_lost)) return;
  auto reported = failing();
  if (!random_.chance(faults_.call_fails)) {
    reported = {
        inquiry.closes ? provider_status::declined : provider_status::pending, inquiry.subject.provider_ref, {}, {}};
    if (inquiry.compares) {
      reported.status = provider_status::approved;
      reported.truth = std::make_shared<const provider_truth>(sandbox_truth(inquiry.subject));
    }
  }
  time_.in(duration_ms{random_.between(0, faults_.provider_latency.count())},
           [reply = std::move(reply), reported = std::move(reported)] { reply(reported); });
}

provider_result simulated_provider::answer(const provider_inquiry& inquiry) {
  if (!inquiry.compares) return checkouts_.answer(inquiry);
  auto said = payments_.compared(inquiry);
  if (missing_ == guard::comparison) said.truth = std::make_shared<const provider_truth>();
  return said;
}

void simulated_provider::look_outside(const provider_inquiry& inquiry, const reply_function& reply) {
  if (!inquiry.compares) checkouts_.asked(inquiry);
  if (missing_ == guard::close_first && inquiry.closes)
    return time_.in(delay(), [reply] { reply({provider_status::declined, {}, {}, std::nullopt}); });
  const bool away = is_away();
  if (random_.chance(away ? 0.2 : faults_.call_lost)) return log_.write("provider", "never hears of it");
  const bool fails = away || random_.chance(faults_.call_fails), executed = !fails || (!away && random_.chance(0.5));
  const bool received = !random_.chance(faults_.reply_lost);
  time_.in(delay(), [this, inquiry, reply, fails, executed, received, back = delay()] {
    auto reported = executed ? answer(inquiry) : failing();
    if (fails) reported = failing();
    log_.write("provider", "says of ", inquiry.subject.key.id, ": ", to_string(reported.status),
               received ? "" : ", unheard");
    if (!received) return;
    time_.in(back, [reply, reported] { reply(reported); });
    if (random_.chance(faults_.reply_twice))
      time_.in(back + duration_ms{random_.between(0, 15'000)}, [reply, reported] { reply(reported); });
  });
  if (random_.chance(faults_.call_twice)) time_.in(delay() + delay(), [this, inquiry] { answer(inquiry); });
}

notification_subject simulated_provider::understand(const notification& what) {
  if (is_away() || random_.chance(faults_.not_understood)) return not_understood{};
  return subject_of(what);
}

const provider_result& simulated_provider::execute(const provider_call& call) {
  const auto known = answers_.find(call.provider_key);
  if (known != answers_.end()) {
    log_.write("provider", "has done ", call.provider_key.substr(0, 11), " already: ", to_string(known->second.status));
    return known->second;
  }
  const auto customer = make_customer(call);
  auto [result, has_acted] = traits_of(call.subject.provider).sandbox ? decide(call) : decide_outside(call);
  result.customer_id = customer;
  log_.write("provider", to_string(result.status), ' ', to_string(call.what), ' ', call.subject.key.id, ' ',
             call.amount, " as ", call.provider_key.substr(0, 11));
  if (has_acted) {
    if (call.what == operation::create) customer_promises_.approved(call.subject, call.subject.details.payment_method);
    promises_.provider_acted({call.provider_key, call.subject.key, call.what, call.amount,
                              call.subject.open->command.key, call.subject.open->claim});
  }
  const bool has_page = call.what == operation::create && result.status == provider_status::pending;
  if (has_page && !traits_of(call.subject.provider).sandbox) checkouts_.open(call, result.provider_ref);
  return answers_.emplace(call.provider_key, std::move(result)).first->second;
}

provider_payments::executed_call simulated_provider::decide(const provider_call& call) {
  const auto ref = "ref_" + call.provider_key;
  if (call.what == operation::create && (call.subject.how != flow::server || random_.chance(faults_.challenged))) {
    provider_result waits{provider_status::pending, ref, {}, std::nullopt};
    if (call.by_sdk)
      waits.action = customer_action{"sdk_" + ref, "pk_test"};
    else
      waits.hosted_url = "https://bank.test/" + ref;
    return {std::move(waits), false};
  }
  if (random_.chance(faults_.declined))
    return {{provider_status::declined,
             ref,
             {},
             provider_error{error_category::provider, "card_declined", "No.", false, false}},
            false};
  provider_result yes{provider_status::approved, ref, {}, std::nullopt};
  yes.movement_ref = (call.what == operation::refund ? "re_" : "ch_") + call.provider_key;
  const auto& customer = call.subject.customer;
  if (call.what == operation::create && customer && customer->saves_method)
    yes.saved_method = call.subject.details.payment_method;
  return {std::move(yes), true};
}

provider_payments::executed_call simulated_provider::decide_outside(const provider_call& call) {
  if (call.what == operation::create) {
    auto made = decide(call);
    if (made.has_acted) made.answer.movement_ref = "ch_" + made.answer.provider_ref;
    payments_.created(call, made.answer);
    return made;
  }
  // Something may have happened just before.
  if (faults_.provider_acts > 0 && own_random_.chance(faults_.provider_acts / 2)) acts_.act_on(call.subject.key);
  auto declined = decide(call);
  if (!declined.has_acted) {
    if (call.what == operation::refund && own_random_.chance(0.5)) payments_.list_rejected_refund(call);
    return declined;
  }
  return payments_.execute(call, {own_random_.chance(faults_.slow_refunds), own_random_.chance(0.5)});
}

std::string simulated_provider::make_customer(const provider_call& call) {
  if (call.customer_key.empty()) return {};
  const auto& subject = call.subject;
  const auto [at, fresh] = customers_.try_emplace({subject.provider, subject.account, call.customer_key},
                                                  "cus_" + std::to_string(customers_.size() + 1));
  if (fresh) {
    log_.write("provider", "makes the customer ", at->second, " as ", call.customer_key.substr(0, 11), " in ",
               to_string(subject.provider), "'s account ", subject.account);
    customer_promises_.made(call.subject, at->second);
  }
  return at->second;
}

actors::sandbox_provider spawn_provider_link(caf::actor_system& system, simulated_provider& at, std::string node,
                                             std::shared_ptr<bool> alive) {
  return system.spawn(line_behavior, &at, std::move(node), std::move(alive));
}

}  // namespace gateway::simulation
