#include "event_page.hpp"

#include <simdjson.h>
#include <boost/json/parse.hpp>

#include "access.hpp"

namespace gateway::cli {

namespace {

namespace json = boost::json;

std::string text_in(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  if (!found || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

std::string subject_in(const json::object& event) {
  const auto* data = event.if_contains("data");
  if (!data || !data->is_object()) return {};
  for (const auto* name : {"dispute_id", "payment_id", "subscription_id"})
    if (auto subject = text_in(data->get_object(), name); !subject.empty()) return subject;
  return {};
}

received_event read_event(std::string_view bytes) {
  const auto parsed = json::parse(json::string_view{bytes.data(), bytes.size()});
  const auto& event = parsed.as_object();
  return {std::string{bytes}, text_in(event, "id"), text_in(event, "type"), text_in(event, "created"),
          subject_in(event)};
}

}  // namespace

event_page read_event_page(std::string_view body) try {
  event_page page;
  // Boost.JSON would write numbers and escapes in its own way; simdjson gives the bytes of an element.
  const simdjson::padded_string padded{body};
  simdjson::ondemand::parser parser;
  auto document = parser.iterate(padded);
  auto object = document.get_object();
  for (auto member : object) {
    const std::string_view name = member.unescaped_key();
    if (name == "next") page.next = std::string_view{member.value().get_string()};
    if (name != "events") continue;
    for (auto element : member.value().get_array()) {
      simdjson::ondemand::object event = element.get_object();
      const std::string_view bytes = event.raw_json();
      page.events.push_back(read_event(bytes));
    }
  }
  if (page.next.empty()) throw failure("the gateway's answer has no `next`");
  return page;
} catch (const failure&) {
  throw;
} catch (const std::exception&) {
  throw failure("the gateway's answer is no page of events");
}

}  // namespace gateway::cli
