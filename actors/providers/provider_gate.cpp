// All calls have the same time limit, so their deadlines form one queue in order of arrival. One delayed message for
// the head of the queue replaces a timer per call.

#include "provider_gate.hpp"

#include <array>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "breaker.hpp"
#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

using gate_actor = provider_actor::extend<caf::reacts_to<wake_atom>, caf::reacts_to<work_atom>>;
/// The reason for a missing answer.
struct no_answer {
  error_category category;
  const char* code;
  const char* message;
};
constexpr no_answer no_lease{error_category::provider, "provider_error",
                             "This node may not ask the provider at the moment."};
constexpr no_answer provider_died{error_category::provider, "provider_error",
                                  "The provider failed while it handled the call."};
constexpr no_answer too_late{error_category::timeout, "provider_timeout", "The provider did not answer in time."};

provider_error error_of(const no_answer& why) { return {why.category, why.code, why.message, true, true}; }

// For each kind of answer: the answer if the provider gave none, the provider's fault that it shows, and its name in
// the metrics.

void set_no_answer(provider_result& answer, const no_answer& why) { answer.error = error_of(why); }
void set_no_answer(subscription_result& answer, const no_answer& why) { answer.answer.error = error_of(why); }
void set_no_answer(account_answer& answer, const no_answer& why) { answer.error = error_of(why); }
void set_no_answer(notification_subject& answer, const no_answer&) { answer = not_understood{}; }
void set_no_answer(event_list_page& answer, const no_answer& why) { answer.error = error_of(why); }
void set_no_answer(endpoint_answer& answer, const no_answer& why) { answer.error = error_of(why); }

const provider_error* trouble_in(const std::optional<provider_error>& error) noexcept {
  return tells_of_trouble(error) ? &*error : nullptr;
}
const provider_error* trouble_of(const provider_result& answer) { return trouble_in(answer.error); }
const provider_error* trouble_of(const subscription_result& answer) { return trouble_in(answer.answer.error); }
const provider_error* trouble_of(const account_answer& answer) { return trouble_in(answer.error); }
/// A notification's answer does not say why it is not_understood.
const provider_error* trouble_of(const notification_subject&) { return nullptr; }
const provider_error* trouble_of(const event_list_page& answer) { return trouble_in(answer.error); }
const provider_error* trouble_of(const endpoint_answer& answer) { return trouble_in(answer.error); }

std::string_view name_of(const provider_result& answer) { return to_string(answer.status); }
std::string_view name_of(const subscription_result& answer) { return to_string(answer.answer.status); }
std::string_view name_of(const account_answer& answer) {
  return answer.standing == account_standing::unknown ? "unknown" : "approved";
}
std::string_view name_of(const notification_subject& answer) {
  return std::holds_alternative<not_understood>(answer) ? "unknown" : "approved";
}
std::string_view name_of(const event_list_page& answer) {
  return answer.what == event_list_page::state::unknown ? "unknown" : "approved";
}
std::string_view name_of(const endpoint_answer& answer) {
  return answer.what == endpoint_answer::state::unknown ? "unknown" : "approved";
}

class gate {
 public:
  static inline const char* name = "provider_gate";

  void start(gate_actor::pointer self, provider_actor provider, provider_kind kind, const settings& config,
             metrics& meters, provider_board& board, const membership& nodes) {
    self_ = self;
    nodes_ = &nodes;
    provider_ = std::move(provider);
    kind_ = kind;
    config_ = &config;
    meters_ = &meters;
    board_ = &board;
  }

  caf::typed_response_promise<provider_result> forward(provider_call& call) {
    const about what{to_string(call.what), call.subject.key.env};
    return pass_on<provider_result>(std::move(call), what);
  }
  caf::typed_response_promise<provider_result> forward(provider_inquiry& inquiry) {
    const about what{inquiry.name(), inquiry.subject.key.env};
    return pass_on<provider_result>(std::move(inquiry), what);
  }
  caf::typed_response_promise<subscription_result> forward(subscription_call& call) {
    const about what{call.name(), call.subject.key.env};
    return pass_on<subscription_result>(std::move(call), what);
  }
  caf::typed_response_promise<account_answer> forward(account_question& question) {
    const about what{question.onboards ? "onboard" : "account", question.env};
    return pass_on<account_answer>(std::move(question), what);
  }
  caf::typed_response_promise<notification_subject> forward(notification_question& question) {
    const about what{"notification", question.what.key.env};
    return pass_on<notification_subject>(std::move(question), what);
  }
  caf::typed_response_promise<event_list_page> forward(event_list_question& question) {
    const about what{"events", question.env};
    return pass_on<event_list_page>(std::move(question), what);
  }
  caf::typed_response_promise<endpoint_answer> forward(endpoint_question& question) {
    const about what{question.registers ? "register" : "endpoint", question.env};
    return pass_on<endpoint_answer>(std::move(question), what);
  }

  void expire() {
    watching_ = false;
    const auto now = self_->clock().now();
    while (!deadlines_.empty() && deadlines_.front().at <= now) {
      const auto id = deadlines_.front().id;
      deadlines_.pop_front();
      give_up(id, too_late);
    }
    watch();
  }

  /// The pause of an open breaker is over: the next new call shows whether the provider is available again.
  void offer() {
    for (const auto env : {environment::test, environment::live}) {
      auto& of = breakers_[static_cast<std::size_t>(env)];
      if (of.current() != breaker::state::open || !of.permits(now())) continue;
      of.on_sent();
      set_away(env, false);
    }
  }

 private:
  struct about {
    std::string_view what;  ///< for the metrics
    environment env;
  };
  struct open_call {
    std::variant<caf::typed_response_promise<provider_result>, caf::typed_response_promise<subscription_result>,
                 caf::typed_response_promise<account_answer>, caf::typed_response_promise<notification_subject>,
                 caf::typed_response_promise<event_list_page>, caf::typed_response_promise<endpoint_answer>>
        promise;
    about of;
  };
  struct deadline {
    caf::actor_clock::time_point at;
    std::uint64_t id;
  };

  template <class Answer, class Question>
  caf::typed_response_promise<Answer> pass_on(Question question, about of) {
    auto promise = self_->make_response_promise<Answer>();
    const auto id = ++last_;
    open_.emplace(id, open_call{promise, of});
    if (!nodes_->serves()) {
      give_up(id, no_lease);
      return promise;
    }
    deadlines_.push_back({self_->clock().now() + config_->provider_timeout, id});
    watch();
    self_->request(provider_, caf::infinite, std::move(question))
        .then([this, id](Answer& received) { answer(id, std::move(received)); },
              [this, id](const caf::error&) { give_up(id, provider_died); });
    return promise;
  }

  template <class Answer>
  void answer(std::uint64_t id, Answer received) {
    auto node = open_.extract(id);
    if (!node) return;
    const auto of = node.mapped().of;
    count(of.what, name_of(received));
    if (nodes_->serves()) judge(of, trouble_of(received));
    std::get<caf::typed_response_promise<Answer>>(node.mapped().promise).deliver(std::move(received));
  }

  void give_up(std::uint64_t id, const no_answer& why) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    std::visit(
        [&]<class Answer>(const caf::typed_response_promise<Answer>&) {
          Answer none;
          set_no_answer(none, why);
          answer(id, std::move(none));
        },
        at->second.promise);
  }

  /// Keeps one wake-up scheduled while calls are open, for the oldest of them.
  void watch() {
    while (!deadlines_.empty() && !open_.contains(deadlines_.front().id)) deadlines_.pop_front();
    if (watching_ || deadlines_.empty()) return;
    watching_ = true;
    self_->delayed_send(self_,
                        std::max(caf::actor_clock::duration_type{0}, deadlines_.front().at - self_->clock().now()),
                        wake_atom::value);
  }

  // ---- breakers -----------------------------------------------------------------------------------

  /// The monotonic clock as a time_point. Only differences matter.
  time_point now() const {
    return time_point{std::chrono::duration_cast<duration_ms>(self_->clock().now().time_since_epoch())};
  }

  /// `trouble`: the provider's fault that the answer to the call shows; null: none.
  void judge(const about& call, const provider_error* trouble) {
    if (traits_of(kind_).sandbox) return;
    const auto env = call.env;
    auto& of = breakers_[static_cast<std::size_t>(env)];
    const auto before = of.current();
    if (!trouble) {
      if (before == breaker::state::closed) return of.succeeded();
      of.succeeded();
      set_away(env, false);
      log::info("provider_is_back", {{"provider", to_string(kind_)}, {"environment", to_string(env)}});
      return;
    }
    of.failed(now());
    if (of.current() != breaker::state::open || before == breaker::state::open) return;
    set_away(env, true);
    if (before == breaker::state::closed)
      // The messages of such errors are the gateway's own texts, never a provider's.
      log::warn("provider_is_away", {{"provider", to_string(kind_)},
                                     {"environment", to_string(env)},
                                     {"call", call.what},
                                     {"category", to_string(trouble->category)},
                                     {"code", trouble->code},
                                     {"cause", trouble->message}});
    self_->delayed_send(self_, *of.probe_at() - now(), work_atom::value);
  }

  void set_away(environment env, bool away) {
    board_->set_away(kind_, env, away);
    meters_->provider_breaker(to_string(kind_), to_string(env)).Set(away ? 1 : 0);
  }

  void count(std::string_view what, std::string_view result) {
    meters_->provider_calls(to_string(kind_), what, result).Increment();
  }

  gate_actor::pointer self_ = nullptr;
  provider_actor provider_;
  provider_kind kind_ = provider_kind::sandbox;
  const settings* config_ = nullptr;
  metrics* meters_ = nullptr;
  provider_board* board_ = nullptr;
  const membership* nodes_ = nullptr;
  std::uint64_t last_ = 0;
  bool watching_ = false;
  std::unordered_map<std::uint64_t, open_call> open_;
  std::deque<deadline> deadlines_;
  std::array<breaker, 2> breakers_;  ///< by environment
};

gate_actor::behavior_type gate_behavior(gate_actor::stateful_pointer<gate> self, provider_actor provider,
                                        provider_kind kind, const settings* config, metrics* meters,
                                        provider_board* board, const membership* nodes) {
  self->state.start(self, std::move(provider), kind, *config, *meters, *board, *nodes);
  return {
      [self](provider_call& call) { return self->state.forward(call); },
      [self](provider_inquiry& inquiry) { return self->state.forward(inquiry); },
      [self](subscription_call& call) { return self->state.forward(call); },
      [self](account_question& question) { return self->state.forward(question); },
      [self](notification_question& question) { return self->state.forward(question); },
      [self](event_list_question& question) { return self->state.forward(question); },
      [self](endpoint_question& question) { return self->state.forward(question); },
      [self](wake_atom) { self->state.expire(); },
      [self](work_atom) { self->state.offer(); },
  };
}

}  // namespace

provider_actor spawn_provider_gate(caf::actor_system& system, provider_actor provider, provider_kind kind,
                                   const settings& config, metrics& meters, provider_board& board,
                                   const membership& nodes) {
  return system.spawn(gate_behavior, std::move(provider), kind, &config, &meters, &board, &nodes);
}

}  // namespace gateway::actors
