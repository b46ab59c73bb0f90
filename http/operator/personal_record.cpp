#include "personal_record.hpp"

#include <algorithm>
#include <utility>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/erasure.hpp"
#include "gateway/messages/customer_key.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/call/services.hpp"
#include "http/errors.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::uint32_t entities_a_page = 100, deliveries_a_page = 1'000;
constexpr std::size_t longest_ref_bytes = 4 * most_customer_ref;

entity_key key_of_row(const entity_row& row) {
  if (const auto* of = std::get_if<payment_ptr>(&row)) return (*of)->key;
  if (const auto* of = std::get_if<subscription_ptr>(&row)) return (*of)->key;
  return {};
}

std::string reference_of(const entity_row& row) {
  if (const auto* of = std::get_if<payment_ptr>(&row)) return (*of)->provider_ref;
  if (const auto* of = std::get_if<subscription_ptr>(&row)) return (*of)->provider_subscription_id;
  return {};
}

std::int64_t version_of_row(const entity_row& row) {
  if (const auto* of = std::get_if<payment_ptr>(&row)) return (*of)->version;
  if (const auto* of = std::get_if<subscription_ptr>(&row)) return (*of)->version;
  return 0;
}

/// Appends the keys of all the customer's payments.
boost::asio::awaitable<std::optional<response>> find_payments_of(call& c, data_subject of,
                                                                 std::vector<entity_key>& found) {
  find_payments query{of.merchant, environment::live};
  query.platform = of.platform;
  query.customer_ref = of.customer_ref;
  query.limit = entities_a_page;
  for (;;) {
    auto page = query;
    auto op = ask(c.here, std::move(page));
    const auto read = co_await std::move(op);
    if (!read) co_return error_response(code_of(read.error()));
    for (const auto& each : read->payments) found.push_back(each->key);
    if (read->read_to)
      query.before = read->read_to;
    else if (read->more && !read->payments.empty())
      query.before = payment_position{read->payments.back()->created_at, read->payments.back()->key.id};
    else
      co_return std::nullopt;
  }
}

boost::asio::awaitable<std::optional<response>> find_subscriptions_of(call& c, data_subject of,
                                                                      std::vector<entity_key>& found) {
  find_subscriptions_of_platform query{of.merchant, of.platform};
  query.customer_ref = of.customer_ref;
  query.limit = entities_a_page;
  for (;;) {
    auto page = query;
    auto op = ask(c.here, std::move(page));
    const auto read = co_await std::move(op);
    if (!read) co_return error_response(code_of(read.error()));
    for (const auto& each : read->subscriptions) found.push_back(each->key);
    if (!read->next) co_return std::nullopt;
    query.before = read->next;
  }
}

boost::asio::awaitable<std::optional<response>> read_deliveries_of(call& c, entity_key of,
                                                                   std::vector<delivery>& found) {
  find_deliveries query;
  query.subject = std::move(of);
  query.limit = deliveries_a_page;
  for (;;) {
    auto page = query;
    auto op = ask(c.here, std::move(page));
    const auto read = co_await std::move(op);
    if (!read) co_return error_response(code_of(read.error()));
    for (const auto& each : read->jobs) found.push_back(each.row);
    if (read->jobs.size() < deliveries_a_page) co_return std::nullopt;
    query.before = read->jobs.back().row.id;
  }
}

bool has_excerpt(const delivery& d) {
  return (d.last && !d.last->excerpt.empty()) ||
         std::ranges::any_of(d.earlier, [](const delivery_attempt& each) { return !each.excerpt.empty(); });
}

}  // namespace

decoded<data_subject> decode_data_subject(std::string_view body, std::size_t json_depth) {
  return decode_with<data_subject>(body, json_depth, [](field_reader& fields, data_subject& of) {
    of.merchant = read_named_merchant(fields);
    of.payment_id = fields.text("payment_id", most_operator_id);
    const auto mode = read_optional_mode(fields);
    of.platform = platform_id{fields.text("platform_id", most_operator_id)};
    of.customer_ref = fields.text("customer_ref", longest_ref_bytes);
    of.env = mode.value_or(environment::live);
    if (of.payment_id.empty() == of.customer_ref.empty())
      fields.reject("payment_id", "is required, or platform_id and customer_ref");
    else if (!of.payment_id.empty() && (!mode || !of.platform.empty()))
      fields.reject("mode", "is required beside payment_id, and platform_id must be absent");
    else if (!of.customer_ref.empty() && (of.platform.empty() || of.env != environment::live))
      fields.reject("platform_id", "is required beside customer_ref: customers are in live mode");
  });
}

boost::asio::awaitable<std::variant<entity_row, response>> read_entity_row(call& c, entity_key of) {
  const auto id = of.id;
  const auto kind = of.kind;
  auto op = ask(c, entity_request{std::move(of), std::nullopt, view_entity{}});
  const auto seen = co_await std::move(op);
  if (!seen) co_return error_response(code_of(seen.error()));
  if (const auto* row = std::get_if<entity_row>(&seen->what)) co_return *row;
  const auto* why = std::get_if<problem>(&seen->what);
  if (!why) co_return error_response(error_code::internal_error);
  if (*why == problem::payment_not_found || *why == problem::subscription_not_found)
    co_return error_response(no_such(to_string(kind), id));
  co_return error_response(code_of(*why));
}

boost::asio::awaitable<std::variant<subject_entities, response>> find_entities(call& c, data_subject of) {
  auto making = make_known(c.here, of.merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!c.here.shared.merchants.find_merchant(of.merchant))
    co_return error_response(no_such("merchant", of.merchant.value));
  subject_entities found;
  if (!of.payment_id.empty()) {
    found.payments.push_back(payment_key(of.merchant, of.env, payment_id{of.payment_id}));
    co_return found;
  }
  auto payments = find_payments_of(c, of, found.payments);
  if (auto failed = co_await std::move(payments)) co_return *std::move(failed);
  auto subscriptions = find_subscriptions_of(c, of, found.subscriptions);
  if (auto failed = co_await std::move(subscriptions)) co_return *std::move(failed);
  auto wanted = customer_key(of.merchant, environment::live, of.platform, of.customer_ref);
  auto op = ask(c, entity_request{std::move(wanted), std::nullopt, view_entity{}});
  const auto seen = co_await std::move(op);
  if (!seen) co_return error_response(code_of(seen.error()));
  if (const auto* row = std::get_if<entity_row>(&seen->what)) found.customer = std::get<customer_ptr>(*row);
  if (!found.customer && found.payments.empty() && found.subscriptions.empty())
    co_return error_response(no_such("customer", of.customer_ref));
  co_return found;
}

boost::asio::awaitable<std::variant<personal_record, response>> read_record(call& c, entity_key of) {
  personal_record record;
  auto looking = read_entity_row(c, of);
  auto looked = co_await std::move(looking);
  if (auto* failed = std::get_if<response>(&looked)) co_return std::move(*failed);
  record.row = std::get<entity_row>(std::move(looked));
  auto entries = ask(c.here, find_timeline{of});
  auto timeline = co_await std::move(entries);
  if (!timeline) co_return error_response(code_of(timeline.error()));
  record.timeline = std::move(timeline->entries);
  auto sent = read_deliveries_of(c, of, record.deliveries);
  if (auto failed = co_await std::move(sent)) co_return *std::move(failed);
  auto rest = ask(c.here, find_personal_texts{of, reference_of(record.row)});
  auto texts = co_await std::move(rest);
  if (!texts) co_return error_response(code_of(texts.error()));
  record.texts = *std::move(texts);
  co_return record;
}

boost::asio::awaitable<std::variant<std::vector<notification_ptr>, response>> read_customer_notifications(
    call& c, customer_ptr of) {
  std::vector<notification_ptr> found;
  if (!of) co_return found;
  std::vector<std::string> ids{of->provider_id};
  for (const auto& name : of->other_names) ids.push_back(name.id);
  for (const auto& id : ids) {
    auto op = ask(c.here, find_personal_texts{of->key, id});
    auto read = co_await std::move(op);
    if (!read) co_return error_response(code_of(read.error()));
    for (auto& each : read->notifications)
      if (std::ranges::none_of(found, [&](const notification_ptr& known) { return known->key == each->key; }))
        found.push_back(std::move(each));
  }
  co_return found;
}

erasure erasure_of(const personal_record& record) {
  const auto key = key_of_row(record.row);
  erasure made;
  made.version = version_of_row(record.row);
  for (const auto& entry : record.timeline) {
    const bool is_event = entry.kind == timeline_kind::event;
    // The data of an event that was purged from the log may be empty.
    auto data = is_event && !entry.event_data.empty() ? json_without_personal_data(entry.event_data) : std::string{};
    if (data == (is_event ? entry.event_data : entry.message)) continue;
    made.texts.push_back({is_event ? erased_column::event_data : erased_column::attempt_message,
                          key,
                          entry.seq,
                          {},
                          {},
                          std::move(data)});
  }
  for (const auto& each : record.texts.commands) {
    if (!each.result) continue;
    auto body = each.result->body.empty() ? std::string{} : json_without_personal_data(each.result->body);
    if (body == each.result->body && each.reason.empty()) continue;
    made.texts.push_back({erased_column::answer,
                          {key.merchant, key.env, key.kind, key.id},
                          0,
                          each.key.principal,
                          each.key.key,
                          std::move(body)});
  }
  if (key.kind == entity_kind::payment) made.texts.push_back({erased_column::audit_texts, key, 0, {}, {}, {}});
  for (const auto& each : record.deliveries) {
    if (!has_excerpt(each) && each.status != delivery_status::pending) continue;
    auto& next = made.deliveries.emplace_back(each);
    next.version += 1;
    if (next.last) next.last->excerpt.clear();
    for (auto& attempt : next.earlier) attempt.excerpt.clear();
  }
  return made;
}

std::vector<delivery> pending_after(const erasure& made) {
  std::vector<delivery> pending;
  std::ranges::copy_if(made.deliveries, std::back_inserter(pending),
                       [](const delivery& each) { return each.status == delivery_status::pending; });
  return pending;
}

}  // namespace gateway::http
