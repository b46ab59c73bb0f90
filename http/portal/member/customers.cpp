#include <algorithm>
#include <utility>

#include "customers_view.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

std::string name_of_platform(const call& c, const platform_id& id) {
  const auto found = c.here.shared.merchants.find_platform(id);
  return found ? found->name : id.value;
}

customer_row row_of_customer(const call& c, const customer& each) {
  customer_row row;
  row.id = each.key.id;
  row.reference = each.ref;
  row.platform = name_of_platform(c, each.platform);
  row.provider = traits_of(each.provider).display_name;
  row.methods = std::to_string(each.methods.size());
  row.created_at = shown_minute(c, each.created_at);
  return row;
}

/// The customer's names at providers. The first gets the methods that belong to no other name.
std::vector<customer_at_provider> names_of_customer(const customer& who) {
  std::vector<customer_at_provider> names{{std::string{traits_of(who.provider).display_name}, who.provider_id, {}}};
  for (const auto& each : who.other_names)
    names.push_back({std::string{traits_of(each.provider).display_name}, each.id, {}});
  for (auto method = who.methods.rbegin(); method != who.methods.rend(); ++method) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < who.other_names.size(); ++i)
      if (std::ranges::find(who.other_names[i].methods, *method) != who.other_names[i].methods.end()) at = i + 1;
    names[at].methods.push_back(*method);
  }
  return names;
}

bool is_customer_id(std::string_view text) {
  constexpr std::size_t hash_digits = 64;
  return text.size() == hash_digits && std::ranges::all_of(text, is_lower_hex_digit);
}

}  // namespace

boost::asio::awaitable<response> show_customers(call& c) {
  customers_view view;
  view.frame = frame_of(c, member_place::customers);
  // Customers exist only in live mode.
  if (c.visit->env == environment::test) co_return customer_list_page(view);
  find_customers query{c.visit->who->id};
  query.limit = rows_of_a_page + 1;
  if (const auto at = read_cursor(parameter(query_of(c.in), "cursor"))) query.after = at->second;
  view.at_first = query.after.empty();
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->customers) {
    if (view.rows.size() == rows_of_a_page) {
      view.further = make_cursor(0, view.rows.back().id);
      break;
    }
    view.rows.push_back(row_of_customer(c, *each));
  }
  co_return customer_list_page(view);
}

boost::asio::awaitable<response> show_customer_of_merchant(call& c) {
  if (!is_customer_id(c.path.id)) co_return error_page(page_error::nothing_here);
  find_entity query{{c.visit->who->id, c.visit->env, entity_kind::customer, std::string{c.path.id}}};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  const auto* row = found->found ? std::get_if<customer_ptr>(&*found->found) : nullptr;
  if (!row) co_return error_page(page_error::nothing_here);
  customer_view view;
  view.frame = frame_of(c, member_place::customers);
  view.of = row_of_customer(c, **row);
  view.names = names_of_customer(**row);
  co_return customer_page(view);
}

}  // namespace gateway::http
