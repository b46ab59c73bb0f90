#include "customer.hpp"

#include <ranges>
#include <utility>

namespace gateway::actors::stripe {

namespace {

/// Most keys. It limits the requests of one dialogue, and the customers that a long fault of Stripe can create.
constexpr unsigned most_attempts = 4;
/// Stripe's search shows a new object within a minute (docs.stripe.com/search). After an hour it shows it even if
/// search is late (see `certain_after`).
constexpr std::chrono::minutes shown_after{1}, shown_surely_after{60};

}  // namespace

http_request customer_creation::begin() const {
  return write_request(as_, "/v1/customers", customer_form(who_.merchant, who_.key, who_.ref),
                       key_of_attempt(who_.key, attempt_));
}

customer_creation::turn customer_creation::on_reply(const reply& received) {
  return std::exchange(searches_, false) ? on_search(received) : on_created(received);
}

customer_creation::turn customer_creation::on_created(const reply& received) {
  if (received.kind == reply_kind::success) {
    auto id = read_id(received.body);
    if (!id) return customer_fault::unclear;
    return *std::move(id);
  }
  // If an answer is not marked as a repetition, only the elapsed time shows that Stripe has stored the failure.
  const bool stored = received.replayed || (age_.asked_again && age_.is_at_least(shown_surely_after));
  if (received.kind != reply_kind::server_fault || !stored) return customer_fault::failed;
  if (searched_) return next_key();
  searches_ = searched_ = true;
  return read_request(as_, customer_search_path(who_.key));
}

customer_creation::turn customer_creation::on_search(const reply& received) {
  const auto found = received.kind == reply_kind::success ? read_customers(received.body) : std::nullopt;
  if (!found) return customer_fault::unclear;
  // Search ignores case. If two requests have made a customer, all dialogues choose the older one, which comes last.
  for (const auto& each : found->all | std::views::reverse)
    if (each.key == who_.key && !each.id.empty()) return each.id;
  if (found->has_more) return customer_fault::unclear;
  return next_key();
}

customer_creation::turn customer_creation::next_key() {
  if (attempt_ + 1 == most_attempts || !age_.is_at_least((attempt_ + 1) * shown_after)) return customer_fault::unclear;
  ++attempt_;
  return begin();
}

}  // namespace gateway::actors::stripe
