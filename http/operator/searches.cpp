#include "searches.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "gateway/domain/folded_text.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/timed_id.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

/// Limits the time of a search among very many merchants or people.
constexpr int most_search_questions = 256;
/// A write begins some time after its request was received, and the nodes' clocks differ a little.
constexpr std::chrono::seconds before_request{10}, after_request{120};

struct search_in_progress {
  worker& here;
  std::string text;
  std::string folded = folded_text(text);
  search_results made{};

  bool is_full() const noexcept { return made.found.size() >= most_search_results; }
  void add(search_result one) {
    if (!is_full() && std::ranges::find(made.found, one) == made.found.end()) made.found.push_back(std::move(one));
  }
  void add(std::string_view kind, const entity_key& key, std::string text_of_it) {
    add({std::string{kind}, key.id, key.merchant.value, std::string{to_string(key.env)}, std::move(text_of_it)});
  }
};

/// The store's answer; nullopt, and the search is incomplete, if there is none.
template <class Query>
auto ask_for_search(search_in_progress& in, Query query)
    -> boost::asio::awaitable<std::optional<typename Query::answer>> {
  auto asking = ask(in.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) {
    in.made.incomplete = true;
    co_return std::nullopt;
  }
  co_return std::move(*reply);
}

// ---- the directory -----------------------------------------------------------------------------

void add_found_merchant(search_in_progress& in, const save_merchant& m) {
  in.add({"merchant", m.id.value, m.id.value, {}, m.owner_email.empty() ? m.name : m.name + ", " + m.owner_email});
}

std::string words_of_key(std::string_view name, const scope_set& scopes, bool revoked) {
  std::string text{name};
  if (!text.empty()) text += ": ";
  return text.append(to_string(scopes)).append(revoked ? ", revoked" : "");
}

/// Adds what has this id in a merchant's or a platform's entry.
void add_named(search_in_progress& in, const directory_lookup& entry) {
  for (const auto& m : entry.merchants)
    if (m.id.value == in.text) add_found_merchant(in, m);
  for (const auto& k : entry.keys)
    if (k.key.id.value == in.text)
      in.add({"key", in.text, k.key.merchant.value, std::string{to_string(k.key.env)},
              words_of_key(k.key.name, k.key.scopes, k.revoked)});
  for (const auto& k : entry.platform_keys)
    if (k.key.id.value == in.text)
      in.add({"key", in.text, {}, {}, k.key.platform.value + ": " + words_of_key(k.key.name, k.key.scopes, k.revoked)});
  for (const auto& d : entry.destinations)
    if (d.what.id.value == in.text)
      in.add({"destination", in.text, d.what.kind == destination_kind::merchant ? d.what.owner : std::string{},
              std::string{to_string(d.what.env)}, d.what.url + ", " + std::string{to_string(d.what.status)}});
  for (const auto& u : entry.users)
    if (u.id.value == in.text && entry.merchants.empty()) in.add({"user", in.text, {}, {}, u.email});
}

boost::asio::awaitable<void> search_directory(search_in_progress& in) {
  using enum directory_name::kind;
  find_directory query;
  for (const auto kind : {merchant, key, destination, user}) query.of.push_back({kind, in.text});
  // Platforms are few, and a platform's key does not name its platform.
  query.every_platform = true;
  auto asking = ask_for_search(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  add_named(in, *found);
  for (const auto& p : found->platforms)
    if (p.id.value == in.text || contains_folded(p.slug, in.folded) || contains_folded(p.name, in.folded) ||
        contains_folded(p.contact, in.folded))
      in.add({"platform", p.id.value, {}, {}, p.name + ", " + p.contact + ", " + std::string{to_string(p.status)}});
}

boost::asio::awaitable<void> search_merchants(search_in_progress& in) {
  find_merchants query{in.text, in.text};
  for (int asked = 0; asked < most_search_questions && !in.is_full(); ++asked) {
    query.limit = static_cast<std::uint32_t>(most_search_results - in.made.found.size());
    auto part = query;
    auto asking = ask_for_search(in, std::move(part));
    const auto found = co_await std::move(asking);
    if (!found) co_return;
    for (const auto& m : found->merchants) add_found_merchant(in, m);
    query.after = found->next;
    if (!query.after) co_return;
  }
  if (!in.is_full()) in.made.incomplete = true;
}

boost::asio::awaitable<void> search_people(search_in_progress& in) {
  find_people query{in.text};
  for (int asked = 0; asked < most_search_questions && !in.is_full(); ++asked) {
    query.limit = static_cast<std::uint32_t>(most_search_results - in.made.found.size());
    auto part = query;
    auto asking = ask_for_search(in, std::move(part));
    const auto found = co_await std::move(asking);
    if (!found) co_return;
    for (const auto& person : found->people) {
      for (const auto& merchant : person.of) in.add({"user", person.id.value, merchant.value, {}, person.email});
      if (person.of.empty()) in.add({"user", person.id.value, {}, {}, person.email});
    }
    if (!found->next) co_return;
    query.after = *found->next;
  }
  if (!in.is_full()) in.made.incomplete = true;
}

boost::asio::awaitable<void> search_operators(search_in_progress& in) {
  auto asking = ask_for_search(in, find_operators{});
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& one : found->operators)
    if (contains_folded(one.name, in.folded)) in.add({"operator", one.name, {}, {}, std::string{to_string(one.role)}});
}

// ---- entities ----------------------------------------------------------------------------------

std::string words_of_payment(const payment& p) {
  std::string text{to_string(p.state)};
  text.append(", ").append(amount_text(p.amount)).append(", ").append(to_string(p.provider));
  if (!p.provider_ref.empty()) text.append(" ").append(p.provider_ref);
  return text;
}

boost::asio::awaitable<void> search_payments(search_in_progress& in) {
  find_payments_everywhere query{in.text};
  for (int asked = 0; asked < most_search_questions && !in.is_full(); ++asked) {
    auto part = query;
    auto asking = ask_for_search(in, std::move(part));
    const auto found = co_await std::move(asking);
    if (!found) co_return;
    for (const auto& p : found->payments) in.add("payment", p->key, words_of_payment(*p));
    if (!found->next) co_return;
    query.after = *found->next;
  }
  if (!in.is_full()) in.made.incomplete = true;
}

boost::asio::awaitable<void> add_subscriptions(search_in_progress& in, find_subscription_keys query,
                                               std::string public_id) {
  query.limit = most_search_results;
  auto asking = ask_for_search(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& key : found->keys) {
    find_entity one{key};
    auto reading = ask_for_search(in, std::move(one));
    const auto row = co_await std::move(reading);
    if (!row || !row->found) continue;
    const auto& subject = *std::get<subscription_ptr>(*row->found);
    if (!public_id.empty() && public_subscription_id(key.merchant, subject.provider_subscription_id) != public_id)
      continue;
    in.add("subscription", key,
           std::string{to_string(subject.state.status)} + ", " + amount_text(subject.state.amount) + ", " +
               subject.provider_subscription_id);
  }
}

/// Searches by the caller's id, by the provider's, and by the id in events, which ends with the provider's.
boost::asio::awaitable<void> search_subscriptions(search_in_progress& in) {
  auto by_id = add_subscriptions(in, find_subscription_keys{in.text, {}}, {});
  co_await std::move(by_id);
  auto by_provider = add_subscriptions(in, find_subscription_keys{{}, in.text}, {});
  co_await std::move(by_provider);
  if (const auto at = in.text.rfind("_sub_"); at != std::string::npos) {
    auto by_event = add_subscriptions(in, find_subscription_keys{{}, in.text.substr(at + 1)}, in.text);
    co_await std::move(by_event);
  }
}

boost::asio::awaitable<void> search_grants(search_in_progress& in) {
  find_grant query{grant_id{in.text}};
  auto asking = ask_for_search(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found || !found->binding) co_return;
  const auto& key = *found->binding;
  in.add({"grant", in.text, key.merchant.value, std::string{to_string(key.env)},
          "to " + key.id + (found->past ? ", replaced" : "")});
}

boost::asio::awaitable<void> search_deliveries(search_in_progress& in) {
  const auto id = parse_whole(in.text, 1, std::numeric_limits<std::int64_t>::max());
  if (!id) co_return;
  find_deliveries one;
  one.id = *id;
  auto asking = ask_for_search(in, std::move(one));
  const auto found = co_await std::move(asking);
  if (!found || found->jobs.empty()) co_return;
  const auto& job = found->jobs.front();
  in.add({"delivery", in.text, job.row.subject.merchant.value, std::string{to_string(job.row.subject.env)},
          job.event.type + " to " + job.row.to.value + ", " + std::string{to_string(job.row.status)}});
}

// ---- events, notifications and requests --------------------------------------------------------

/// Adds the subject of an event or a request, by its stored key.
boost::asio::awaitable<void> add_subject(search_in_progress& in, entity_key key) {
  find_entity one{key};
  auto reading = ask_for_search(in, std::move(one));
  const auto row = co_await std::move(reading);
  if (!row || !row->found) co_return;
  if (const auto* payment = std::get_if<payment_ptr>(&*row->found)) in.add("payment", key, words_of_payment(**payment));
  if (const auto* subscription = std::get_if<subscription_ptr>(&*row->found))
    in.add("subscription", key,
           std::string{to_string((*subscription)->state.status)} + ", " + (*subscription)->provider_subscription_id);
}

boost::asio::awaitable<void> search_events(search_in_progress& in) {
  find_events_by_id query{in.text};
  auto asking = ask_for_search(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& event : found->events) {
    in.add({"event", event.id, event.subject.merchant.value, std::string{to_string(event.subject.env)},
            event.type + " of " + event.subject.id});
    auto adding = add_subject(in, event.subject);
    co_await std::move(adding);
  }
}

/// Finds a provider's event by its stored notification.
boost::asio::awaitable<void> search_notifications(search_in_progress& in) {
  for (const auto& provider : provider_catalogue)
    for (const auto env : {environment::live, environment::test}) {
      auto key = notification_key(provider.kind, env, in.text);
      find_entity query{std::move(key)};
      auto asking = ask_for_search(in, std::move(query));
      const auto found = co_await std::move(asking);
      const auto* row = found && found->found ? std::get_if<notification_ptr>(&*found->found) : nullptr;
      if (row)
        in.add("notification", (*row)->key,
               (*row)->type + " of " + (*row)->about + ", " + std::string{to_string((*row)->state)});
    }
}

boost::asio::awaitable<void> search_requests(search_in_progress& in) {
  const auto made = time_of_id("req_", in.text);
  if (!made) co_return;
  // Ids of requests contain the machine's time; stored times are the gateway clock's, which tests can move.
  const auto moved = in.here.shared.clock.now() - system_wall_clock{}.now();
  find_requests query{in.text, *made + moved - before_request, *made + moved + after_request};
  query.limit = most_search_results;
  auto asking = ask_for_search(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& one : found->requests) {
    in.add({"request", in.text, one.merchant.value,
            one.merchant.empty() ? std::string{} : std::string{to_string(one.env)},
            one.operation + " of " + one.subject_id});
    const auto kind = parse_entity_kind(one.subject_kind);
    if (!kind) continue;
    entity_key key{one.merchant, one.env, *kind, one.subject_id};
    auto adding = add_subject(in, std::move(key));
    co_await std::move(adding);
  }
}

using search_for_kind = boost::asio::awaitable<void> (*)(search_in_progress&);
constexpr search_for_kind all_searches[] = {search_directory,  search_payments, search_subscriptions, search_grants,
                                            search_deliveries, search_events,   search_notifications, search_requests,
                                            search_merchants,  search_people,   search_operators};

std::string encode_results(const search_results& what) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("results");
    list += '[';
    bool first = true;
    for (const auto& one : what.found) {
      if (!std::exchange(first, false)) list += ',';
      json_object object{list};
      const auto text_or_null = [&](std::string_view name, const std::string& text) {
        if (text.empty())
          object.member(name) += "null";
        else
          object.text(name, text);
      };
      object.text("kind", one.kind);
      object.text("id", one.id);
      text_or_null("merchant_id", one.merchant);
      text_or_null("mode", one.mode);
      object.text("text", one.text);
    }
    list += ']';
  }
  return out;
}

decoded<std::string> decode_search(std::string_view body, std::size_t json_depth) {
  return decode_with<std::string>(body, json_depth, [](field_reader& fields, std::string& text) {
    text = trimmed(fields.required_text("text", longest_search));
    if (text.empty()) fields.reject("text", "must not be blank");
  });
}

}  // namespace

boost::asio::awaitable<search_results> search_everything(worker& here, std::string text) {
  search_in_progress in{here, std::move(text)};
  for (const auto search : all_searches) {
    if (in.is_full() || in.text.empty()) break;
    auto searching = search(in);
    co_await std::move(searching);
  }
  co_return std::move(in.made);
}

boost::asio::awaitable<response> search_by_operator(call& c) {
  auto body = decode_search(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto searching = search_everything(c.here, std::get<std::string>(std::move(body)));
  const auto found = co_await std::move(searching);
  // A partial list would hide matches.
  if (found.incomplete) co_return error_response(error_code::store_unavailable);
  co_return answer_with(encode_results(found));
}

}  // namespace gateway::http
