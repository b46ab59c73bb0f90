#include "persistence/tables/subscription_document.hpp"

#include <algorithm>

#include "persistence/connection/row_cursor.hpp"
#include "persistence/tables/json_fields.hpp"

namespace gateway::persistence {

namespace {

// ---- single values ------------------------------------------------------------------------------

template <class Number>
Number number_in(const json::object& object, std::string_view name) {
  return object.at(name).to_number<Number>();
}

std::string text_in(const json::object& object, std::string_view name) { return text_of(object.at(name)); }

/// Empty if absent, as in documents of earlier versions.
std::string optional_text_in(const json::object& object, std::string_view name) {
  return object.contains(name) ? text_in(object, name) : std::string{};
}

bool flag_in(const json::object& object, std::string_view name) { return object.at(name).as_bool(); }

const json::object& object_in(const json::object& object, std::string_view name) { return object.at(name).as_object(); }

time_point time_in(const json::object& object, std::string_view name) {
  const auto ms = number_in<std::int64_t>(object, name);
  if (ms < first_ms || ms > last_ms) throw corrupt_row("time out of bounds");
  return from_unix_ms(ms);
}

/// Leaves out an absent time.
void put(json::object& object, std::string_view name, const std::optional<time_point>& at) {
  if (at) object[name] = to_unix_ms(*at);
}

std::optional<time_point> optional_time_in(const json::object& object, std::string_view name) {
  return object.contains(name) ? std::optional{time_in(object, name)} : std::nullopt;
}

json::object value_of(const money& amount) { return {{"minor", amount.minor}, {"currency", amount.unit.code()}}; }

money money_in(const json::object& object, std::string_view name) {
  const auto& stored = object_in(object, name);
  money amount;
  amount.minor = number_in<std::int64_t>(stored, "minor");
  // A value without an amount has no currency, which parse() does not accept.
  if (const auto code = text_in(stored, "currency"); code != amount.unit.code())
    amount.unit = known(currency::parse(code), "currency");
  return amount;
}

json::object value_of(const billing_period& every) {
  return {{"interval", to_string(every.interval)}, {"count", every.count}};
}

billing_period period_in(const json::object& object, std::string_view name) {
  const auto& stored = object_in(object, name);
  return {known(parse_billing_interval(text_in(stored, "interval")), "billing interval"),
          number_in<std::uint32_t>(stored, "count")};
}

/// The metadata maps of a document, each stored once: a notification repeats its subscription's metadata, which may be
/// as large as a request, and hundreds may wait. A map is stored as pairs, because a JSON object would drop one of two
/// values under the same name.
class metadata_writer {
 public:
  /// Returns the map's index.
  std::size_t put(const metadata_map& metadata) {
    const auto same = std::ranges::find_if(all_, [&](const auto* one) { return *one == metadata; });
    const auto at = static_cast<std::size_t>(same - all_.begin());
    if (same == all_.end()) all_.push_back(&metadata);
    return at;
  }

  json::array values() const {
    json::array values;
    for (const auto* metadata : all_) {
      json::array pairs;
      for (const auto& [name, value] : *metadata) pairs.push_back(json::array{name, value});
      values.push_back(std::move(pairs));
    }
    return values;
  }

 private:
  std::vector<const metadata_map*> all_;
};

using metadata_list = std::vector<metadata_map>;

metadata_list metadata_of(const json::object& document) {
  metadata_list all;
  for (const auto& pairs : document.at("metadata").as_array()) {
    auto& metadata = all.emplace_back();
    for (const auto& each : pairs.as_array()) {
      const auto& pair = each.as_array();
      metadata.emplace_back(text_of(pair.at(0)), text_of(pair.at(1)));
    }
  }
  return all;
}

const metadata_map& metadata_in(const json::object& object, const metadata_list& all) {
  return all.at(number_in<std::size_t>(object, "metadata"));
}

template <class Read>
auto each_in(const json::object& object, std::string_view name, Read read) {
  std::vector<decltype(read(object))> items;
  for (const auto& each : object.at(name).as_array()) items.push_back(read(each.as_object()));
  return items;
}

// ---- the provider's notifications ---------------------------------------------------------------

json::object value_of(const subscription_projection& p, metadata_writer& metadata) {
  json::object object{{"status", to_string(p.status)},
                      {"provider_customer_id", p.provider_customer_id},
                      {"amount", value_of(p.amount)},
                      {"every", value_of(p.every)},
                      {"metadata", metadata.put(p.metadata)}};
  put(object, "period_start", p.period_start);
  put(object, "period_end", p.period_end);
  put(object, "cancel_at", p.cancel_at);
  put(object, "canceled_at", p.canceled_at);
  return object;
}

subscription_status status_in(const json::object& object) {
  return known(parse_subscription_status(text_in(object, "status")), "subscription status");
}

subscription_projection projection_in(const json::object& object, const metadata_list& metadata) {
  subscription_projection p;
  p.status = status_in(object);
  p.provider_customer_id = text_in(object, "provider_customer_id");
  p.amount = money_in(object, "amount");
  p.every = period_in(object, "every");
  p.period_start = optional_time_in(object, "period_start");
  p.period_end = optional_time_in(object, "period_end");
  p.cancel_at = optional_time_in(object, "cancel_at");
  p.canceled_at = optional_time_in(object, "canceled_at");
  p.metadata = metadata_in(object, metadata);
  return p;
}

notification_kind kind_in(const json::object& object) {
  return known(parse_notification_kind(text_in(object, "kind")), "notification kind");
}

json::object value_of(const history_position& at) {
  return {
      {"at", to_unix_ms(at.at)}, {"sequence", at.sequence}, {"kind", to_string(at.kind)}, {"event_id", at.event_id}};
}

history_position position_in(const json::object& object) {
  return {time_in(object, "at"), number_in<std::uint64_t>(object, "sequence"), kind_in(object),
          text_in(object, "event_id")};
}

json::object value_of(const subscription_invoice& i) {
  json::object object{{"id", i.id},
                      {"amount", value_of(i.amount)},
                      {"attempt", i.attempt},
                      {"final_attempt", i.final_attempt},
                      {"failure_code", i.failure_code},
                      {"failure_message", i.failure_message}};
  put(object, "period_start", i.period_start);
  put(object, "period_end", i.period_end);
  if (!i.hosted_url.empty()) object["hosted_url"] = i.hosted_url;
  return object;
}

subscription_invoice invoice_in(const json::object& object) {
  subscription_invoice i;
  i.id = text_in(object, "id");
  i.amount = money_in(object, "amount");
  i.period_start = optional_time_in(object, "period_start");
  i.period_end = optional_time_in(object, "period_end");
  i.attempt = number_in<unsigned>(object, "attempt");
  i.final_attempt = flag_in(object, "final_attempt");
  i.failure_code = text_in(object, "failure_code");
  i.failure_message = text_in(object, "failure_message");
  i.hosted_url = optional_text_in(object, "hosted_url");
  return i;
}

json::object value_of(const subscription_notification& n, metadata_writer& metadata) {
  json::object object{{"event_id", n.event_id},
                      {"kind", to_string(n.kind)},
                      {"at", to_unix_ms(n.at)},
                      {"sequence", n.sequence},
                      {"provider_subscription_id", n.provider_subscription_id},
                      {"state", value_of(n.state, metadata)},
                      {"status_changed", n.status_changed}};
  if (n.invoice) object["invoice"] = value_of(*n.invoice);
  if (n.action)
    object["action"] = json::object{{"invoice_id", n.action->invoice_id}, {"hosted_url", n.action->hosted_url}};
  return object;
}

subscription_notification notification_in(const json::object& object, const metadata_list& metadata) {
  subscription_notification n;
  n.event_id = text_in(object, "event_id");
  n.kind = kind_in(object);
  n.at = time_in(object, "at");
  n.sequence = number_in<std::uint64_t>(object, "sequence");
  n.provider_subscription_id = text_in(object, "provider_subscription_id");
  n.state = projection_in(object_in(object, "state"), metadata);
  n.status_changed = flag_in(object, "status_changed");
  if (object.contains("invoice")) n.invoice = invoice_in(object_in(object, "invoice"));
  if (object.contains("action")) {
    const auto& action = object_in(object, "action");
    n.action = invoice_action{text_in(action, "invoice_id"), text_in(action, "hosted_url")};
  }
  return n;
}

json::object value_of(const seen_invoice& i, metadata_writer&) {
  json::object object{{"id", i.id}, {"at", value_of(i.at)}};
  if (!i.hosted_url.empty()) object["hosted_url"] = i.hosted_url;
  return object;
}

seen_invoice seen_invoice_in(const json::object& object) {
  return {text_in(object, "id"), position_in(object_in(object, "at")), optional_text_in(object, "hosted_url")};
}

// ---- the subscription ---------------------------------------------------------------------------

json::object value_of(const subscription_details& d) {
  return {{"customer_ref", d.customer_ref},
          {"trial_period_days", d.trial_period_days},
          {"success_url", d.success_url},
          {"cancel_url", d.cancel_url},
          {"description", d.description}};
}

subscription_details details_in(const json::object& object) {
  return {text_in(object, "customer_ref"), number_in<std::uint32_t>(object, "trial_period_days"),
          text_in(object, "success_url"), text_in(object, "cancel_url"), text_in(object, "description")};
}

json::object value_of(const cycle_charge& c, metadata_writer& metadata) {
  return {{"payment_id", c.payment.id},     {"provider", to_string(c.provider)}, {"account", c.account},
          {"customer_ref", c.customer_ref}, {"description", c.description},      {"metadata", metadata.put(c.metadata)},
          {"result", to_string(c.result)},  {"invoice", value_of(c.invoice)},    {"at", to_unix_ms(c.at)},
          {"event_id", c.event_id}};
}

/// The charge's platform is not stored: it is the subscription's.
cycle_charge charge_in(const json::object& object, const subscription& of, const metadata_list& metadata) {
  cycle_charge c;
  c.platform = of.platform;
  c.payment = payment_key(of.key.merchant, of.key.env, payment_id{text_in(object, "payment_id")});
  c.provider = known(parse_provider_kind(text_in(object, "provider")), "provider");
  c.account = text_in(object, "account");
  c.customer_ref = text_in(object, "customer_ref");
  c.description = text_in(object, "description");
  c.metadata = metadata_in(object, metadata);
  c.result = known(parse_cycle_result(text_in(object, "result")), "cycle result");
  c.invoice = invoice_in(object_in(object, "invoice"));
  c.at = time_in(object, "at");
  c.event_id = text_in(object, "event_id");
  return c;
}

json::object value_of(const open_subscription_operation& open) {
  json::object object{{"operation", to_string(open.what)},
                      {"answered", open.answered},
                      {"asked", open.asked},
                      {"claim", open.claim},
                      {"begun_at", to_unix_ms(open.begun_at)}};
  // An operation that the gateway began itself has an empty command, without a merchant.
  if (!open.command.key.empty())
    object["command"] = json::object{{"principal", open.command.principal}, {"key", open.command.key}};
  if (!open.node.empty()) object["node"] = open.node;
  return object;
}

open_subscription_operation operation_in(const json::object& object, const entity_key& of) {
  open_subscription_operation open;
  if (object.contains("command")) {
    const auto& command = object_in(object, "command");
    open.command = {of.merchant, of.env, text_in(command, "principal"), text_in(command, "key")};
    if (open.command.key.empty()) throw corrupt_row("a command without its key");
  }
  open.what = known(parse_subscription_operation(text_in(object, "operation")), "operation");
  open.answered = flag_in(object, "answered");
  open.asked = number_in<unsigned>(object, "asked");
  open.claim = number_in<std::int64_t>(object, "claim");
  open.begun_at = time_in(object, "begun_at");
  if (object.contains("node")) open.node = text_in(object, "node");
  return open;
}

// ---- the sandbox's side -------------------------------------------------------------------------

json::object value_of(const sandbox_subscription& s, metadata_writer& metadata) {
  json::object object{{"merchant_id", s.key.merchant.value},
                      {"environment", to_string(s.key.env)},
                      {"subject_kind", to_string(s.key.kind)},
                      {"subject_id", s.key.id},
                      {"checkout_session_id", s.checkout_session_id},
                      {"id", s.id},
                      {"customer_id", s.customer_id},
                      {"amount", value_of(s.amount)},
                      {"every", value_of(s.every)},
                      {"trial_period_days", s.trial_period_days},
                      {"metadata", metadata.put(s.metadata)},
                      {"status", to_string(s.status)},
                      {"clock_offset", s.clock_offset.count()},
                      {"created_at", to_unix_ms(s.created_at)},
                      {"anchor", to_unix_ms(s.anchor)},
                      {"cycle", s.cycle},
                      {"failed_attempts", s.failed_attempts},
                      {"attempted_at", to_unix_ms(s.attempted_at)},
                      {"updates", s.updates},
                      {"newest", value_of(s.newest)}};
  put(object, "ended_at", s.ended_at);
  if (!s.page.empty()) object["page"] = s.page;
  if (s.needs_customer) object["needs_customer"] = true;
  return object;
}

/// Whether the next attempt can be computed: while the subscription bills, the number of failed attempts selects the
/// wait, and its clock must stay within the years that a time can have.
bool can_bill(const sandbox_subscription& s) {
  const auto offset = s.clock_offset.count();
  return (!sandbox_machine::bills(s) || s.failed_attempts <= sandbox_retry_waits.size()) && offset >= 0 &&
         offset <= last_ms - first_ms;
}

sandbox_subscription sandbox_subscription_in(const json::object& object, const metadata_list& metadata) {
  sandbox_subscription s;
  s.key.merchant = merchant_id{text_in(object, "merchant_id")};
  s.key.env = known(parse_environment(text_in(object, "environment")), "environment");
  s.key.kind = known(parse_entity_kind(text_in(object, "subject_kind")), "kind of entity");
  s.key.id = text_in(object, "subject_id");
  s.checkout_session_id = text_in(object, "checkout_session_id");
  s.id = text_in(object, "id");
  s.customer_id = text_in(object, "customer_id");
  s.amount = money_in(object, "amount");
  s.every = period_in(object, "every");
  s.trial_period_days = number_in<std::uint32_t>(object, "trial_period_days");
  s.metadata = metadata_in(object, metadata);
  s.status = status_in(object);
  s.clock_offset = duration_ms{number_in<std::int64_t>(object, "clock_offset")};
  s.created_at = time_in(object, "created_at");
  s.anchor = time_in(object, "anchor");
  s.cycle = number_in<std::uint32_t>(object, "cycle");
  s.failed_attempts = number_in<std::uint32_t>(object, "failed_attempts");
  s.attempted_at = time_in(object, "attempted_at");
  s.updates = number_in<std::uint32_t>(object, "updates");
  s.newest = position_in(object_in(object, "newest"));
  s.ended_at = optional_time_in(object, "ended_at");
  s.page = optional_text_in(object, "page");
  s.needs_customer = object.contains("needs_customer") && flag_in(object, "needs_customer");
  if (!can_bill(s)) throw corrupt_row("a sandbox subscription that cannot be billed");
  return s;
}

template <class Item>
json::array values_of(const std::vector<Item>& items, metadata_writer& metadata) {
  json::array values;
  for (const auto& item : items) values.push_back(value_of(item, metadata));
  return values;
}

}  // namespace

std::string document_of(const subscription& s) {
  metadata_writer metadata;
  json::object object{{"account", s.account},
                      {"details", value_of(s.details)},
                      {"checkout_session_id", s.checkout_session_id},
                      {"hosted_url", s.hosted_url},
                      {"state", value_of(s.state, metadata)},
                      {"activated", s.activated},
                      {"cancellation_told", s.cancellation_reported},
                      {"waiting", values_of(s.waiting, metadata)},
                      {"owed", values_of(s.owed, metadata)},
                      {"next_seq", s.next_seq},
                      {"created_at", to_unix_ms(s.created_at)},
                      {"updated_at", to_unix_ms(s.updated_at)}};
  put(object, "checkout_expires_at", s.checkout_expires_at);
  if (s.error) object["error"] = object_of(*s.error);
  if (s.known) object["known"] = value_of(*s.known);
  if (s.open) object["open"] = value_of(*s.open);
  if (s.customer_generation > 0) object["customer_generation"] = s.customer_generation;
  if (!s.invoices.empty()) object["invoices"] = values_of(s.invoices, metadata);
  object["metadata"] = metadata.values();
  return json::serialize(object);
}

void read_document(subscription& s, std::string_view text) {
  from_object(text, "document", [&](const json::object& object) {
    const auto metadata = metadata_of(object);
    const auto notification = [&](const json::object& one) { return notification_in(one, metadata); };
    s.account = text_in(object, "account");
    s.details = details_in(object_in(object, "details"));
    s.checkout_session_id = text_in(object, "checkout_session_id");
    s.hosted_url = text_in(object, "hosted_url");
    s.checkout_expires_at = optional_time_in(object, "checkout_expires_at");
    if (object.contains("error")) s.error = error_of(object_in(object, "error"));
    s.state = projection_in(object_in(object, "state"), metadata);
    if (object.contains("known")) s.known = position_in(object_in(object, "known"));
    s.activated = flag_in(object, "activated");
    s.cancellation_reported = flag_in(object, "cancellation_told");
    s.waiting = each_in(object, "waiting", notification);
    s.owed = each_in(object, "owed", [&](const json::object& one) { return charge_in(one, s, metadata); });
    if (object.contains("customer_generation"))
      s.customer_generation = number_in<unsigned>(object, "customer_generation");
    if (object.contains("invoices")) s.invoices = each_in(object, "invoices", seen_invoice_in);
    if (object.contains("open")) s.open = operation_in(object_in(object, "open"), s.key);
    s.next_seq = number_in<std::uint32_t>(object, "next_seq");
    s.created_at = time_in(object, "created_at");
    s.updated_at = time_in(object, "updated_at");
  });
}

std::string document_of(const sandbox_enrollment& e) {
  metadata_writer metadata;
  json::object object{{"what", value_of(e.what, metadata)}, {"untold", values_of(e.undelivered, metadata)}};
  object["metadata"] = metadata.values();
  return json::serialize(object);
}

void read_document(sandbox_enrollment& e, std::string_view text) {
  from_object(text, "document", [&](const json::object& object) {
    const auto metadata = metadata_of(object);
    e.what = sandbox_subscription_in(object_in(object, "what"), metadata);
    e.undelivered = each_in(object, "untold", [&](const json::object& one) { return notification_in(one, metadata); });
  });
}

}  // namespace gateway::persistence
