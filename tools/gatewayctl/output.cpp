#include "output.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::ctl {

namespace json = boost::json;

namespace {

std::string shown(const json::value& value) {
  if (const auto* text = value.if_string()) return {text->data(), text->size()};
  const auto* list = value.if_array();
  if (!list) return json::serialize(value);
  std::string out;
  for (const auto& item : *list) out += (out.empty() ? "" : " ") + shown(item);
  return out;
}

}  // namespace

std::string as_lines(const json::object& answer) {
  std::size_t widest = 0;
  for (const auto& member : answer) widest = std::max(widest, member.key().size());
  std::string out;
  for (const auto& member : answer) {
    out += std::string{member.key().data(), member.key().size()} + ':';
    out += std::string(widest - member.key().size() + 1, ' ') + shown(member.value()) + '\n';
  }
  return out;
}

std::string message_of(unsigned status, const std::string& body) {
  boost::system::error_code failure;
  const auto parsed = json::parse(body, failure);
  if (!failure && parsed.is_object()) {
    const auto& object = parsed.get_object();
    for (const auto* name : {"message", "error_description", "error"})
      if (const auto* found = object.if_contains(name); found && found->is_string()) return shown(*found);
  }
  return "the gateway answered with status " + std::to_string(status);
}

}  // namespace gateway::ctl
