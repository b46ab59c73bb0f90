// A dialogue's requests follow one another, and each ends within its timeouts. So every dialogue ends, and needs no
// deadline here: the provider's gate has one. No state is kept after a dialogue: a crash leaves its operation open, and
// the reconciler asks again under the same provider key.

#include "http_provider.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/retry_after.hpp"

namespace gateway::actors {

/// From the client's thread: the outcome of a dialogue's request.
struct request_ended {
  std::uint64_t dialogue = 0;
  std::shared_ptr<const http_outcome> outcome;
};

}  // namespace gateway::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::request_ended)

namespace gateway::actors {

namespace {

constexpr std::uint16_t too_many_requests = 429;

using http_provider_actor =
    provider_actor::extend<caf::reacts_to<request_ended>, caf::reacts_to<work_atom, std::uint64_t>>;

/// How long to wait before a request that was refused with 429 is sent again. nullopt for any other answer, or if the
/// answer gives no time.
std::optional<duration_ms> pause_after(const http_outcome& outcome, time_point now) {
  const auto* answer = std::get_if<http_answer>(&outcome);
  if (!answer || answer->status != too_many_requests) return std::nullopt;
  const auto retry_after = answer->headers.find("Retry-After");
  return retry_after ? read_retry_after(*retry_after, now) : std::nullopt;
}

provider_error not_configured(bool may_have_been_sent) {
  return {error_category::provider, "provider_unavailable", "The provider is not configured in this environment.", true,
          may_have_been_sent};
}

// Answers when nothing can be sent.

provider_result unsent(const provider_call& call) {
  return {call.asked_again ? provider_status::unknown : provider_status::declined,
          {},
          {},
          not_configured(call.asked_again)};
}
provider_result unsent(const provider_inquiry&) { return {provider_status::unknown, {}, {}, not_configured(true)}; }
subscription_result unsent(const subscription_call& call) {
  subscription_result none;
  none.answer.status = call.asked_again ? provider_status::unknown : provider_status::declined;
  none.answer.error = not_configured(call.asked_again);
  return none;
}
account_answer unsent(const account_question& question) {
  return {account_standing::unknown, question.account, {}, not_configured(true)};
}
notification_subject unsent(const notification_question&) { return not_understood{}; }
event_list_page unsent(const event_list_question&) {
  event_list_page none;
  none.error = not_configured(true);
  return none;
}
endpoint_answer unsent(const endpoint_question&) {
  endpoint_answer none;
  none.error = not_configured(true);
  return none;
}

environment env_of(const account_question& question) { return question.env; }
environment env_of(const notification_question& question) { return question.what.key.env; }
environment env_of(const event_list_question& question) { return question.env; }
environment env_of(const endpoint_question& question) { return question.env; }
template <class Question>
environment env_of(const Question& question) {
  return question.subject.key.env;
}

/// Continues the trace at the provider, by the header of W3C Trace Context.
void add_trace(http_request& request, const trace_context& trace) {
  if (!trace.present()) return;
  const auto text = traceparent_of(trace);
  request.headers.emplace_back("traceparent", std::string{text.data(), text.size()});
}

class http_provider {
 public:
  static inline const char* name = "http_provider";

  void start(http_provider_actor::pointer self, const http_provider_context& context) {
    self_ = self;
    context_ = &context;
  }

  template <class Question>
  auto take(const Question& question) -> caf::result<decltype(unsent(question))> {
    using answer = decltype(unsent(question));
    const auto with = context_->published.find_provider(context_->adapter.kind(), env_of(question));
    auto dialogue = with ? context_->adapter.open(question, *with, context_->clock.now()) : nullptr;
    if (!dialogue) return unsent(question);
    auto promise = self_->make_response_promise<answer>();
    const auto id = ++last_id_;
    open_.emplace(id, open_dialogue{conversation<answer>{std::move(dialogue), promise},
                                    self_->clock().now() + context_->config.provider_timeout, question.trace});
    go_on(id, nullptr);
    return promise;
  }

  void on_request_ended(const request_ended& ended) {
    const auto at = open_.find(ended.dialogue);
    if (at == open_.end()) return;
    auto& of = at->second;
    const auto pause = pause_after(*ended.outcome, context_->clock.now());
    if (pause && !std::exchange(of.paused, true) && self_->clock().now() + *pause < of.wait_deadline)
      return self_->delayed_send(self_, *pause, work_atom::value, ended.dialogue);
    go_on(ended.dialogue, ended.outcome.get());
  }

  void send_again(std::uint64_t id) {
    if (const auto at = open_.find(id); at != open_.end()) send(id, at->second.last);
  }

 private:
  template <class Result>
  struct conversation {
    dialogue_ptr<Result> with;
    caf::typed_response_promise<Result> promise;
  };
  struct open_dialogue {
    std::variant<conversation<provider_result>, conversation<subscription_result>, conversation<account_answer>,
                 conversation<notification_subject>, conversation<event_list_page>, conversation<endpoint_answer>>
        what;
    caf::actor_clock::time_point wait_deadline;  ///< by the gate
    trace_context trace;
    http_request last{};
    bool paused = false;  ///< `last` was refused once
  };

  void go_on(std::uint64_t id, const http_outcome* outcome) {
    auto& of = open_.at(id);
    std::visit(
        [&](auto& one) {
          auto step = one.with->next(outcome);
          if (auto* request = std::get_if<http_request>(&step)) {
            of.last = std::move(*request);
            add_trace(of.last, of.trace);
            of.last.answer_timeout =
                std::min<std::chrono::milliseconds>(of.last.answer_timeout, context_->config.provider_timeout);
            of.paused = false;
            send(id, of.last);
          } else {
            one.promise.deliver(std::move(std::get<1>(step)));
            open_.erase(id);
          }
        },
        of.what);
  }

  void send(std::uint64_t id, http_request request) {
    context_->client.send(std::move(request), [to = http_provider_actor{self_}, id](http_outcome outcome) {
      caf::anon_send(to, request_ended{id, std::make_shared<const http_outcome>(std::move(outcome))});
    });
  }

  http_provider_actor::pointer self_ = nullptr;
  const http_provider_context* context_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, open_dialogue> open_;
};

http_provider_actor::behavior_type http_provider_behavior(http_provider_actor::stateful_pointer<http_provider> self,
                                                          const http_provider_context* context) {
  self->state.start(self, *context);
  return {
      [self](const provider_call& call) { return self->state.take(call); },
      [self](const provider_inquiry& inquiry) { return self->state.take(inquiry); },
      [self](const subscription_call& call) { return self->state.take(call); },
      [self](const account_question& question) { return self->state.take(question); },
      [self](const notification_question& question) { return self->state.take(question); },
      [self](const event_list_question& question) { return self->state.take(question); },
      [self](const endpoint_question& question) { return self->state.take(question); },
      [self](const request_ended& ended) { self->state.on_request_ended(ended); },
      [self](work_atom, std::uint64_t id) { self->state.send_again(id); },
  };
}

}  // namespace

provider_actor spawn_http_provider(caf::actor_system& system, const http_provider_context& context) {
  return system.spawn(http_provider_behavior, &context);
}

}  // namespace gateway::actors
