// All calls have the same time to live, so their deadlines stand in one queue in order of arrival and one
// delayed message at a time watches its head: no timer per call.

#include "provider_gate.hpp"

#include <deque>
#include <unordered_map>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace gateway::actors {

namespace {

using gate_actor = provider_actor::extend<caf::reacts_to<wake_atom>>;
using result_promise = caf::typed_response_promise<provider_result>;

provider_result unknown(error_category category, std::string code, std::string message) {
  return {provider_status::unknown, {}, {}, provider_error{category, std::move(code), std::move(message), true, true}};
}

class gate {
 public:
  static inline const char* name = "provider_gate";

  void start(gate_actor::pointer self, provider_actor provider, provider_kind kind, const settings& config,
             metrics& meters, const membership& nodes) {
    self_ = self;
    nodes_ = &nodes;
    provider_ = std::move(provider);
    kind_ = kind;
    config_ = &config;
    meters_ = &meters;
  }

  caf::result<provider_result> forward(provider_call& call) {
    const auto what = call.what;
    if (!nodes_->serves()) {
      count(what, to_string(provider_status::unknown));
      return unknown(error_category::provider, "provider_error", "This node may not ask the provider at the moment.");
    }
    auto promise = self_->make_response_promise<provider_result>();
    const auto id = ++last_;
    open_.emplace(id, open_call{promise, what});
    deadlines_.push_back({self_->clock().now() + config_->provider_timeout, id});
    watch();
    self_->request(provider_, caf::infinite, std::move(call))
        .then([this, id](provider_result& result) { answer(id, std::move(result)); },
              [this, id](const caf::error&) {
                answer(id, unknown(error_category::provider, "provider_error",
                                   "The provider failed while it handled the call."));
              });
    return promise;
  }

  void expire() {
    watching_ = false;
    const auto now = self_->clock().now();
    while (!deadlines_.empty() && deadlines_.front().at <= now) {
      const auto id = deadlines_.front().id;
      deadlines_.pop_front();
      answer(id, unknown(error_category::timeout, "provider_timeout", "The provider did not answer in time."));
    }
    watch();
  }

 private:
  struct open_call {
    result_promise promise;
    operation what;
  };
  struct deadline {
    caf::actor_clock::time_point at;
    std::uint64_t id;
  };

  void answer(std::uint64_t id, provider_result result) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    count(at->second.what, to_string(result.status));
    at->second.promise.deliver(std::move(result));
    open_.erase(at);
  }

  /// Keeps one wake-up under way while calls are open, for the oldest that is.
  void watch() {
    while (!deadlines_.empty() && !open_.contains(deadlines_.front().id)) deadlines_.pop_front();
    if (watching_ || deadlines_.empty()) return;
    watching_ = true;
    self_->delayed_send(self_,
                        std::max(caf::actor_clock::duration_type{0}, deadlines_.front().at - self_->clock().now()),
                        wake_atom::value);
  }

  void count(operation what, std::string_view result) {
    meters_->provider_calls(to_string(kind_), to_string(what), result).Increment();
  }

  gate_actor::pointer self_ = nullptr;
  provider_actor provider_;
  provider_kind kind_ = provider_kind::sandbox;
  const settings* config_ = nullptr;
  metrics* meters_ = nullptr;
  const membership* nodes_ = nullptr;
  std::uint64_t last_ = 0;
  bool watching_ = false;
  std::unordered_map<std::uint64_t, open_call> open_;
  std::deque<deadline> deadlines_;
};

gate_actor::behavior_type gate_behavior(gate_actor::stateful_pointer<gate> self, provider_actor provider,
                                        provider_kind kind, const settings* config, metrics* meters,
                                        const membership* nodes) {
  self->state.start(self, std::move(provider), kind, *config, *meters, *nodes);
  return {
      [self](provider_call& call) { return self->state.forward(call); },
      [self](wake_atom) { self->state.expire(); },
  };
}

}  // namespace

provider_actor spawn_provider_gate(caf::actor_system& system, provider_actor provider, provider_kind kind,
                                   const settings& config, metrics& meters, const membership& nodes) {
  return system.spawn(gate_behavior, std::move(provider), kind, &config, &meters, &nodes);
}

}  // namespace gateway::actors
