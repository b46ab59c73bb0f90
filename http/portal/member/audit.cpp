#include <algorithm>
#include <utility>

#include "audit_view.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_audit(call& c) {
  if (!c.visit->may_act()) co_return error_page(page_error::not_an_owner);
  member_audit_view view;
  view.frame = frame_of(c, member_place::audit);
  find_audit query;
  query.merchant = c.visit->who->id;
  query.limit = rows_of_a_page + 1;
  if (const auto at = read_cursor(parameter(query_of(c.in), "cursor"))) {
    query.before = from_unix_ms(at->first);
    query.before_id = at->second;
    view.at_newest = false;
  }
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  auto reading = entries_of_merchant(c);
  const auto entries = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&entries)) co_return *page;
  const auto& users = std::get<directory_lookup>(entries).users;
  if (found->entries.size() > rows_of_a_page) {
    found->entries.pop_back();
    view.older = make_cursor(to_unix_ms(found->entries.back().at), found->entries.back().id);
  }
  for (const auto& each : found->entries) {
    const auto who = std::ranges::find(users, each.user, &stored_user::id);
    // An operator's own name is not the merchant's business.
    const bool by_operator = each.user.value.starts_with(operator_on_audit_log);
    const auto name = by_operator ? std::string{"operator"} : who == users.end() ? each.user.value : who->email;
    view.rows.push_back({shown(c, each.at), name, each.action, each.subject,
                         each.env ? std::string{to_string(*each.env)} : std::string{}, each.address});
  }
  co_return member_audit_page(view);
}

}  // namespace gateway::http
