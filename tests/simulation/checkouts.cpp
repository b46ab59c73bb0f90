#include "checkouts.hpp"

#include "subscriptions.hpp"

namespace gateway::simulation {

namespace {

std::string method_of(const payment& subject, const std::string& ref) {
  return subject.how == flow::server ? subject.details.payment_method : "pm_fresh_" + ref;
}

}  // namespace

const payment* checkouts::row_of(const row_key& key) const {
  const auto row = rows_.payments.find(key);
  return row == rows_.payments.end() ? nullptr : &row->second;
}

// ---- the provider -------------------------------------------------------------------------------

void checkouts::open(const provider_call& call, const std::string& ref) {
  const auto [at, fresh] = pages_.try_emplace(testing::memory_store::id(call.subject.key), page{call, ref});
  if (!fresh) all_.break_("the provider lets the customer of " + call.subject.key.id + " pay twice");
}

void checkouts::asked(const provider_inquiry& inquiry) {
  const auto& open = inquiry.subject.open;
  const bool is_cancelled_by_client = open && open->what == operation::cancel;
  if (inquiry.closes && !is_cancelled_by_client) ages_.closing(inquiry.subject);
  const auto at = pages_.find(testing::memory_store::id(inquiry.subject.key));
  if (at == pages_.end() || at->second.ref != inquiry.subject.provider_ref)
    all_.break_("the provider is asked for " + inquiry.subject.key.id + " by a reference that it never gave");
}

provider_result checkouts::answer(const provider_inquiry& inquiry) {
  const auto at = pages_.find(testing::memory_store::id(inquiry.subject.key));
  if (at == pages_.end()) return {};
  auto& [call, ref, state, was_declined] = at->second;
  if (inquiry.closes && state != page_state::paid) payments_.closed(inquiry.subject.key);
  if (inquiry.closes && state == page_state::open) {
    log_.write("provider", "closes the page of ", inquiry.subject.key.id);
    log_.occurs("a page is closed at the provider");
    state = page_state::closed;
  } else if (inquiry.closes && state == page_state::paid) {
    log_.occurs("a page is to be closed that is paid");
  }
  provider_result reported{provider_status::pending, ref, {}, std::nullopt};
  if (state == page_state::closed) reported.status = provider_status::declined;
  if (state == page_state::declined) {
    reported.status = provider_status::declined;
    reported.error = provider_error{error_category::provider, "card_declined", "No.", false, false};
  }
  if (state == page_state::paid) {
    reported.status = provider_status::approved;
    const auto& customer = call.subject.customer;
    if (customer && customer->saves_method) reported.saved_method = method_of(call.subject, ref);
  }
  return reported;
}

// ---- its customers ------------------------------------------------------------------------------

std::vector<entity_key> checkouts::open_pages() const {
  std::vector<entity_key> all;
  for (const auto& [key, each] : pages_)
    if (const auto* row = row_of(key); each.state == page_state::open && row && row->provider_ref == each.ref)
      all.push_back(row->key);
  return all;
}

void checkouts::pay(const entity_key& subject) {
  auto& [call, ref, state, was_declined] = pages_.at(testing::memory_store::id(subject));
  log_.write("customer", "pays ", subject.id, " at the provider");
  log_.occurs("a customer pays at the provider");
  state = page_state::paid;
  payments_.paid(subject);
  customers_.approved(call.subject, method_of(call.subject, ref));
  all_.provider_acted({call.provider_key, subject, operation::create, call.amount, call.subject.open->command.key,
                       call.subject.open->claim});
}

void checkouts::decline(const entity_key& subject) {
  log_.write("customer", "declines ", subject.id, " at the provider");
  auto& page = pages_.at(testing::memory_store::id(subject));
  page.state = page_state::declined;
  page.was_declined = true;
  payments_.declined(subject);
}

// ---- rows ---------------------------------------------------------------------------------------

void checkouts::committed(const std::optional<payment>& before, const testing::unit_parts& unit) {
  const auto& after = unit.update_payment;
  if (!after || !before || after->state == before->state || traits_of(after->provider).sandbox) return;
  const auto at = pages_.find(testing::memory_store::id(after->key));
  if (at == pages_.end()) return;
  const auto state = at->second.state;
  const bool becomes_paid = detail::was_approved(after->state) && !detail::was_approved(before->state);
  if (becomes_paid && state != page_state::paid)
    all_.break_(after->key.id + " becomes " + std::string{to_string(after->state)} +
                ", and its customer has not paid at the provider");
  if (after->state != payment_state::failed) return;
  // What was declined may be paid while the gateway stores that it was declined.
  if (state == page_state::paid && !at->second.was_declined)
    all_.break_(after->key.id + " fails, and its customer has paid at the provider");
  if (state == page_state::open) all_.break_(after->key.id + " fails while its customer can still pay at the provider");
}

bool checkouts::anything_undelivered() const {
  for (const auto& [key, each] : pages_)
    if (const auto* row = row_of(key); row && awaits_customer(*row) && each.state != page_state::open) return true;
  return false;
}

}  // namespace gateway::simulation
