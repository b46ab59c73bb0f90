#include "retried_calls.hpp"

#include <utility>

namespace gateway::simulation {

namespace {

bool is_undecided(const entity_reply& reply) {
  const auto* why = std::get_if<problem>(&reply.what);
  return why &&
         (*why == problem::store_unavailable || *why == problem::overloaded || *why == problem::request_in_progress ||
          *why == problem::outcome_pending_timeout || *why == problem::provider_unavailable);
}

}  // namespace

void retried_calls::begin(std::string name, std::function<entity_request()> make,
                          std::function<void(const entity_reply&)> decided) {
  ++*under_way_;
  auto what = std::make_shared<retried_call>();
  what->name = std::move(name);
  what->make = std::move(make);
  what->decided = std::move(decided);
  send(what);
}

void retried_calls::send(const std::shared_ptr<retried_call>& what) {
  const auto tries = ++what->tries;
  log_.write(whose_, what->name, tries > 1 ? ", again" : "");
  const auto try_again = [this, what, tries] {
    if (what->over || what->tries != tries) return;
    if (!calm_ && (what->tries > 20 || random_.chance(faults_.gives_up))) return finish(*what);
    send(what);
  };
  send_(what->make(), [this, what, tries, try_again](entity_reply& reply) {
    if (what->over || what->tries != tries) return;
    if (is_undecided(reply)) return time_.in(duration_ms{random_.between(1, 2'000)}, try_again);
    log_.write(whose_, what->name, ": decided");
    what->decided(reply);
    finish(*what);
  });
  time_.in(faults_.answer_timeout, try_again);
}

void retried_calls::finish(retried_call& what) {
  what.over = true;
  --*under_way_;
}

}  // namespace gateway::simulation
