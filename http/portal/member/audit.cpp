#include <algorithm>
#include <optional>
#include <utility>

#include "audit_kinds.hpp"
#include "audit_view.hpp"
#include "gateway/ports/store/audit_questions.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

/// The choice of all operators. Merchants do not see an operator's own name.
constexpr std::string_view any_operator = "operator";

// The store filters by merchant and time. People and kinds are compared here, in a bounded part of the log.
constexpr std::uint32_t entries_of_a_read = 250;
constexpr unsigned most_audit_reads = 8;

bool is_by_operator(const user_id& who) { return who.value.starts_with(operator_on_audit_log); }

struct audit_filter {
  std::string person;  ///< a person's id, or any_operator; empty: any
  std::string kind;    ///< empty: any

  bool takes_all() const noexcept { return person.empty() && kind.empty(); }
  bool takes(const save_audit& entry) const {
    if (!kind.empty() && kind_of_action(entry.action) != kind) return false;
    if (person.empty()) return true;
    return person == any_operator ? is_by_operator(entry.user) : entry.user.value == person;
  }
};

struct audit_found {
  std::vector<save_audit> entries;
  std::optional<find_audit_entries::position> last;  ///< the last entry that was read
  std::size_t read = 0;
  bool more = false;      ///< older entries exist
  bool cut_off = false;   ///< and the page has read as much as it may
};

/// nullopt if the store does not answer.
boost::asio::awaitable<std::optional<audit_found>> read_audit_page(call& c, find_audit_entries query,
                                                                   audit_filter wanted) {
  audit_found found;
  query.limit = wanted.takes_all() ? rows_of_a_page + 1 : entries_of_a_read;
  for (unsigned reads = 0; reads < most_audit_reads; ++reads) {
    auto asking = ask(c.here, find_audit_entries{query});
    auto part = co_await std::move(asking);
    if (!part) co_return std::nullopt;
    for (auto& each : part->entries) {
      found.more = found.entries.size() == rows_of_a_page;
      if (found.more) co_return found;
      found.last = query.after = find_audit_entries::position{each.what.at, each.what.id};
      ++found.read;
      if (wanted.takes(each.what)) found.entries.push_back(std::move(each.what));
    }
    if (part->entries.size() < query.limit) co_return found;
  }
  found.more = found.cut_off = true;
  co_return found;
}

/// The people that the filter offers. A chosen person who has left the team is named by id.
std::vector<blocks::option> people_to_choose(const std::vector<stored_user>& team, const std::string& chosen) {
  std::vector<blocks::option> people;
  people.reserve(team.size() + 2);
  for (const auto& each : team) people.push_back({each.id.value, each.email, {}, false});
  std::ranges::sort(people, {}, &blocks::option::text);
  people.push_back({std::string{any_operator}, "The gateway's operators", {}, false});
  if (!chosen.empty() && std::ranges::find(people, chosen, &blocks::option::value) == people.end())
    people.push_back({chosen, chosen, {}, false});
  return people;
}

/// Reads the page's query and the faults of its fields into the view.
find_audit_entries read_audit_query(const call& c, member_audit_view& view) {
  const auto parameters = query_of(c.in);
  view.person = parameter(parameters, "person").substr(0, most_typed);
  view.kind = parameter(parameters, "kind");
  view.from.value = parameter(parameters, "from");
  view.until.value = parameter(parameters, "until");
  for (const auto& each : audit_kinds())
    view.kinds.push_back({std::string{each.name}, std::string{each.title}, {}, false});
  if (!view.kind.empty() && std::ranges::find(view.kinds, view.kind, &blocks::option::value) == view.kinds.end())
    view.frame.fault = ignored_filter("kind of change", std::exchange(view.kind, {}));
  const auto& zone = c.visit->person.who.time_zone;
  find_audit_entries query{c.visit->who->id};
  query.from = filter_day(view.from, zone);
  query.until = filter_day(view.until, zone, 1);
  if (auto at = read_cursor(parameter(parameters, "cursor")))
    query.after = find_audit_entries::position{from_unix_ms(at->first), std::move(at->second)};
  view.at_newest = !query.after;
  return query;
}

}  // namespace

boost::asio::awaitable<response> show_audit(call& c) {
  if (!c.visit->may_act()) co_return error_page(page_error::not_an_owner);
  member_audit_view view;
  view.frame = frame_of(c, member_place::audit);
  auto query = read_audit_query(c, view);
  auto naming = entries_of_merchant(c);
  const auto entries = co_await std::move(naming);
  if (const auto* page = std::get_if<response>(&entries)) co_return *page;
  const auto& users = std::get<directory_lookup>(entries).users;
  view.people = people_to_choose(users, view.person);
  if (!view.from.fault.empty() || !view.until.fault.empty()) co_return refused_form(member_audit_page(view));
  auto reading = read_audit_page(c, std::move(query), audit_filter{view.person, view.kind});
  const auto found = co_await std::move(reading);
  if (!found) co_return error_page(page_error::busy);
  if (found->more && found->last) view.older = make_cursor(to_unix_ms(found->last->at), found->last->id);
  if (found->cut_off && found->last)
    view.searched = "Searched the newest " + std::to_string(found->read) + " changes of this list, back to " +
                    shown(c, found->last->at).text + ". The link Older searches further back.";
  for (const auto& each : found->entries) {
    const auto who = std::ranges::find(users, each.user, &stored_user::id);
    const auto name = is_by_operator(each.user) ? std::string{any_operator}
                      : who == users.end()      ? each.user.value
                                                : who->email;
    view.rows.push_back({shown(c, each.at), name, words_of_action(each.action), each.subject,
                         each.env ? std::string{to_string(*each.env)} : std::string{}, each.address});
  }
  co_return member_audit_page(view);
}

}  // namespace gateway::http
