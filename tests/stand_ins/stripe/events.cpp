// The list of what has happened in an account, posted or not. Stripe keeps events for 30 days; the stand-in for ever.

#include <algorithm>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

bool belongs(const json::object& event, const caller& who) {
  return text_of(event, "account") == who.account && event.at("livemode").as_bool() == who.live;
}

/// `type` may end with a wildcard, as in `charge.*`.
bool is_of_type(const std::string& type, const form& given) {
  const auto types = given.list("types");
  if (!types.empty()) return std::ranges::find(types, type) != types.end();
  const auto wanted = given.text("type");
  if (wanted.ends_with('*')) return type.starts_with(wanted.substr(0, wanted.size() - 1));
  return wanted.empty() || type == wanted;
}

bool is_listed(const json::object& event, const form& given) {
  const auto created = number_of(event, "created");
  return created >= given.number("created[gte]") && created > given.number("created[gt]", -1) &&
         created <= given.number("created[lte]", created) && created < given.number("created[lt]", created + 1) &&
         is_of_type(text_of(event, "type"), given);
}

}  // namespace

answer retrieve_event(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  for (const auto& each : in.stored().events())
    if (text_of(each, "id") == id && belongs(each, in.who())) return json_answer(200, shown(in.stored(), each));
  return missing("event", id);
}

answer list_events(draft& in, const form& given) {
  static constexpr parameter known[]{{"created[gte]", time},
                                     {"created[gt]", time},
                                     {"created[lte]", time},
                                     {"created[lt]", time},
                                     {"limit", integer},
                                     {"starting_after"},
                                     {"ending_before"},
                                     {"type"},
                                     {"types[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (given.find("type") && !given.list("types").empty())
    return invalid("You may only specify one of these parameters: type, types.", "parameters_exclusive", "types");
  if (given.list("types").size() > 20) return invalid("You may specify up to 20 types.", {}, "types");
  const auto& all = in.stored().events();
  std::vector<const json::object*> found;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    const auto id = text_of(*each, "id");
    // A cursor marks a place in the list also where its own event does not match.
    const bool is_cursor = id == given.text("starting_after") || id == given.text("ending_before");
    if (belongs(*each, in.who()) && (is_cursor || is_listed(*each, given))) found.push_back(&*each);
  }
  return list_of(in.stored(), found, given, "/v1/events");
}

}  // namespace gateway::stripe_stand_in
