// Requests of clients and of customers, on their way to a node.

#include <algorithm>
#include <utility>

#include "world.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

std::size_t world::unanswered() const {
  std::size_t open = 0;
  for (const auto& n : nodes_)
    if (n) open += n->unanswered();
  return open;
}

/// The load balancer picks any node that is up.
void world::balance(entity_request request, std::function<void(entity_reply&)> reported, check_at_node check) {
  std::vector<node*> up;
  for (const auto& n : nodes_)
    if (n) up.push_back(n.get());
  if (up.empty()) return;
  auto* chosen = random_.pick(up);
  log_.write(chosen->name(), "gets it");
  auto answer = [this, request, reported = std::move(reported), asked_at = promises_.moment(),
                 customers_asked_at = customer_promises_.moment()](entity_reply& reply) {
    const bool has_result = std::holds_alternative<finished>(reply.what) && request.key.kind != entity_kind::grant;
    if ((request.key.kind == entity_kind::payment && plan_.leases_hold()) || has_result)
      promises_.reported(request, reply, asked_at);
    customer_promises_.reported(request, reply, customers_asked_at);
    reported(reply);
  };
  if (!has_other_nodes_) return chosen->send(std::move(request), std::move(answer));
  count_owners(request.key, up);
  const auto which =
      static_cast<unsigned>(std::ranges::find(nodes_, chosen, [](const auto& n) { return n.get(); }) - nodes_.begin());
  chosen->receive(
      std::move(request), [check = std::move(check), which] { return check ? check(which) : std::nullopt; },
      std::move(answer));
}

/// The check of a platform's request at the node, before the payment is asked.
void world::let_in(const platform_id& who, entity_request request, std::function<void(entity_reply&)> reported) {
  if (!has_other_nodes_ && platforms_ && !nodes_.front()) return;
  if (request.write) {
    customer_promises_.asked(request);
    grant_promises_.asked(request);
  }
  auto check = [this, who, key = request.key, by = request.by](unsigned which) {
    const auto why = refuses(published(which), shelves_[which].seen.get(), who, key, by);
    if (!why && platforms_ && plan_.leases_hold()) grant_promises_.let_in(binding_key(key.merchant, key.env, who));
    return why;
  };
  if (missing_ == guard::judge_at_begin) request.by.reset();
  if (has_other_nodes_) return balance(std::move(request), std::move(reported), std::move(check));
  if (const auto why = check(0)) {
    time_.in(1ms, [reported = std::move(reported), why = *why] {
      entity_reply refused{why};
      reported(refused);
    });
    return;
  }
  balance(std::move(request), std::move(reported));
}

std::optional<problem> world::refuses(const directory& known, const directory* seen, const platform_id& who,
                                      const entity_key& key, const std::optional<asked_by>& by) {
  const auto& pair = (seen ? *seen : known).find_grants({who, key.merchant});
  if (judge_grant(pair.in(key.env).state, pair.other_than(key.env).state)) return problem::grant_not_found;
  if (!by) return std::nullopt;
  const auto signed_by = known.find_platform_key(by->key);
  if (signed_by->revoked) return problem::key_ended;
  if (signed_by->suspended) return problem::platform_suspended;
  if (judge_scopes(by->needed, signed_by->scopes, pair.in(key.env).scopes)) return problem::grant_ended;
  return std::nullopt;
}

/// The customer pays or declines on the provider's pages, sometimes twice.
void world::customer() {
  // Where clocks jump, checkouts stay open long enough to seem old.
  const double customer_comes = plan_.faults.clock_jumps > 0 ? 0.05 : 0.5;
  time_.in(duration_ms{random_.between(500, 8'000)}, [this, customer_comes] {
    if (calm_ == 0) customer();
    for (const auto& [key, row] : database_.payments) {
      if (!awaits_customer(row) || !traits_of(row.provider).sandbox || !random_.chance(customer_comes)) continue;
      const auto signal = random_.chance(0.7) ? hosted_signal::paid : hosted_signal::declined;
      log_.write("customer", signal == hosted_signal::paid ? "pays " : "declines ", row.key.id);
      const auto fresh = "pm_fresh_" + row.provider_ref;
      if (signal == hosted_signal::paid) {
        promises_.page_paid(row.key);
        customer_promises_.approved(row, row.how == flow::server ? row.details.payment_method : fresh);
      }
      balance({row.key, std::nullopt, hosted_result{signal, row.provider_ref, fresh}}, [](entity_reply&) {});
    }
    if (!has_notices_) return;
    count_breakers();
    customer_at_provider(customer_comes);
  });
}

/// The same at a provider other than the gateway's own, which posts what has happened.
void world::customer_at_provider(double customer_comes) {
  for (const auto& key : checkouts_.open_pages()) {
    if (!random_.chance(customer_comes)) continue;
    const auto does = random_.below(10);
    if (does < 6) checkouts_.pay(key);
    if (does == 6 || does == 7) checkouts_.decline(key);
    notices_->notify(key);
  }
  if (calm_ > 0 || !random_.chance(0.1)) return;
  const auto strange = payment_key(shop().id, environment::test, payment_id{"pay_of_nobody"});
  notices_->notify(random_.chance(0.5) ? std::optional{strange} : std::nullopt);
}

void world::count_breakers() {
  for (const auto& n : nodes_)
    if (n && is_away_for(*n)) log_.occurs("a breaker is open");
}

/// Asks again while the entity's queue is full of what clients repeat.
void world::look_at(const entity_key& key, std::function<void(const entity_row&)> seen) {
  balance({key, std::nullopt, view_entity{}}, [this, key, seen = std::move(seen)](entity_reply& reply) {
    if (const auto* why = std::get_if<problem>(&reply.what); why && *why == problem::overloaded)
      return time_.in(100ms, [this, key, seen] { look_at(key, seen); });
    seen(std::get<entity_row>(reply.what));
  });
}

/// With nothing in flight every node must show what is stored.
void world::compare_views_with_rows() {
  for (const auto& [key, row] : database_.payments)
    look_at(row.key, [this, asked_at = row.version](const entity_row& seen) {
      promises_.seen_at_rest(*std::get<payment_ptr>(seen), asked_at);
    });
  for (const auto& [key, row] : database_.customers)
    look_at(row.key,
            [this](const entity_row& seen) { customer_promises_.seen_at_rest(*std::get<customer_ptr>(seen)); });
  run_until([this] { return unanswered() == 0; }, 1min, "a look is never answered");
}

/// Purges idempotency keys as soon as no request can take longer.
void world::purge() {
  time_.in(1min, [this] {
    if (calm_ > 0) return;
    purge();
    const auto before = time_.now() - 10min;
    for (const auto& [key, row] : database_.commands)
      if (row.result && row.created_at < before) promises_.key_expires(row.key);
    if (const auto purged = database_.run(purge_commands{before, 1'000}).deleted; purged > 0)
      log_.write("database", "purges ", purged, " keys");
  });
}

}  // namespace gateway::simulation
