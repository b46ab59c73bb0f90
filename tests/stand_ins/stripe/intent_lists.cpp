#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

}  // namespace

answer retrieve_intent(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}, {"client_secret"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  const auto* intent = in.stored().find("payment_intent", id, in.who());
  if (!intent) return missing("payment_intent", id, 404, "intent");
  return json_answer(200, shown(in.stored(), *intent, given.list("expand")));
}

answer list_intents(draft& in, const form& given) {
  static constexpr parameter known[]{{"created[gte]", time}, {"created[gt]", time}, {"created[lte]", time},
                                     {"customer"},           {"expand[#]"},         {"limit", integer},
                                     {"starting_after"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  auto found = in.stored().all("payment_intent", in.who());
  std::erase_if(found, [&](const auto* each) {
    const auto created = number_of(*each, "created");
    return (given.find("customer") && text_of(*each, "customer") != given.text("customer")) ||
           created < given.number("created[gte]") || created <= given.number("created[gt]", -1) ||
           created > given.number("created[lte]", created);
  });
  return list_of(in.stored(), found, given, "/v1/payment_intents");
}

answer search_intents(draft& in, const form& given, const surroundings& at) {
  return search_in(in.stored(), in.who(), "payment_intent", given, at.search_delay_ms, "/v1/payment_intents/search");
}

answer search_in(const store& all, const caller& who, std::string_view kind, const form& given, std::int64_t delay_ms,
                 std::string_view url) {
  static constexpr parameter known[]{{"query", text, true}, {"limit", integer}, {"page"}, {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (const auto fault = fault_of_expand(given.list("expand"), expandable_of_intents)) return *fault;
  const auto query = given.text("query");
  // metadata['name']:'value' or metadata["name"]:"value", the only clause that the gateway needs.
  std::string name, value;
  for (const std::string quote : {"'", "\""}) {
    const auto start = "metadata[" + quote, middle = quote + "]:" + quote;
    const auto between = query.find(middle);
    if (!query.starts_with(start) || between == query.npos || !query.ends_with(quote)) continue;
    name = query.substr(start.size(), between - start.size());
    const auto from = between + middle.size();
    value = query.substr(from, query.size() - from - 1);
    if (value.find(quote) != value.npos) name.clear();
  }
  if (name.empty()) return invalid("The query cannot be read: " + query, {}, "query");
  json::array data;
  for (const auto* each : all.all(kind, who))
    if (text_of(each->at("metadata").as_object(), name) == value && !each->contains("deleted") &&
        number_of(*each, "_created_ms") + delay_ms <= now_milliseconds())
      data.push_back(shown(all, *each, given.list("expand")));
  return json_answer(200, json::object{{"object", "search_result"},
                                       {"data", std::move(data)},
                                       {"has_more", false},
                                       {"next_page", nullptr},
                                       {"url", url}});
}

}  // namespace gateway::stripe_stand_in
