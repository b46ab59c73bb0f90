#include "customers.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "gateway/messages/customer_key.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_customer.hpp"
#include "lists.hpp"

namespace gateway::http {
namespace {

cursor_scope customer_cursors(const call& c) { return cursors_of_platform(c, "customers"); }

struct customer_list {
  std::string ref;  ///< not empty: only this one
  find_customers_of_platform page;
};

decoded<customer_list> decode_customer_list(const call& c) {
  auto read = list_query::read(c.in.query, customer_filters);
  if (auto* wrong = std::get_if<rejection>(&read)) return std::move(*wrong);
  const auto& query = std::get<list_query>(read);
  auto ref = query.customer_ref();
  if (auto* wrong = std::get_if<rejection>(&ref)) return std::move(*wrong);
  customer_list wanted{std::move(std::get<std::string>(ref)), {c.allowed.merchant, platform_id{c.allowed.principal}}};
  wanted.page.limit = query.limit();
  auto after = position_after(c, customer_cursors(c), query);
  if (auto* wrong = std::get_if<rejection>(&after)) return std::move(*wrong);
  if (auto& position = std::get<std::optional<timed_position>>(after))
    wanted.page.before = listed_position{position->at, std::move(position->id)};
  return wanted;
}

/// The page with the one customer of that ref.
boost::asio::awaitable<caf::expected<customers_page>> find_one_customer(call& c, customer_list wanted) {
  auto op =
      ask(c.here, find_entity{customer_key(wanted.page.merchant, c.allowed.env, wanted.page.platform, wanted.ref)});
  auto reply = co_await std::move(op);
  if (!reply) co_return std::move(reply.error());
  customers_page page;
  const auto* one = reply->found ? std::get_if<customer_ptr>(&*reply->found) : nullptr;
  const auto& before = wanted.page.before;
  if (one && (!before || listed_position{(*one)->created_at, (*one)->key.id} < *before)) page.customers.push_back(*one);
  co_return page;
}

}  // namespace

std::optional<error_code> customers_unavailable(const permit& allowed) noexcept {
  if (!allowed.by_platform) return error_code::platform_key_required;
  if (allowed.env == environment::test) return error_code::test_customer_mappings_unavailable;
  return std::nullopt;
}

boost::asio::awaitable<response> refuse_customers(call& c, error_code why) {
  const auto write = take_idempotency(c);
  auto op = answer_unless_key_is_known(c, write, error_style::usual, why);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> show_customer(call& c) {
  const auto ref = decode_customer_query(c.in.query);
  if (const auto* rejected = std::get_if<rejection>(&ref)) co_return error_response(*rejected);
  if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  entity_request wanted{
      customer_key(c.allowed.merchant, c.allowed.env, platform_id{c.allowed.principal}, std::get<std::string>(ref)),
      std::nullopt, common_command{view_entity{}}, nullptr};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* found = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (found && is_forgotten(*std::get<customer_ptr>(*found))) reply = entity_reply{problem::customer_not_found};
  co_return answer_of(c, reply);
}

boost::asio::awaitable<response> list_platform_customers(call& c) {
  auto decoded_query = decode_customer_list(c);
  if (const auto* wrong = std::get_if<rejection>(&decoded_query)) co_return error_response(*wrong);
  if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  auto& wanted = std::get<customer_list>(decoded_query);
  auto op = wanted.ref.empty() ? ask(c.here, std::move(wanted.page)) : find_one_customer(c, std::move(wanted));
  const auto page = co_await std::move(op);
  if (!page) co_return error_response(code_of(page.error()));
  std::string next;
  if (page->more && !page->customers.empty()) {
    const auto& last = *page->customers.back();
    next = make_cursor(c.here.shared.cursor_key, customer_cursors(c), timed_position{last.created_at, last.key.id});
  }
  co_return answer_with(encode_customer_list(page->customers, next));
}

}  // namespace gateway::http
