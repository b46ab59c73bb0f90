#include "call_command.hpp"

#include <limits>
#include <string_view>

#include <boost/json/array.hpp>

namespace gateway::ctl {

namespace {

/// `A,B` as a list. The fault of an empty item names `option`.
boost::json::array list_of(std::string_view text, const char* option) {
  boost::json::array list;
  for (;;) {
    const auto comma = text.find(',');
    const auto item = text.substr(0, comma);
    if (item.empty()) throw bad_input(std::string{option} + ": expected a comma-separated list");
    list.emplace_back(item);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

call_command::call_command(const options::command& added, const char* path, std::istream& input, command_line& result)
    : added_(added), request_(std::make_shared<request>()), input_(input) {
  added.on_parsed([request = request_, path, &call = result.call] {
    call.path = path;
    for (const auto& fill : request->fields) fill(call.body);
    for (const auto& fill : request->last_fields) fill(call.body);
  });
}

options::option call_command::text(const char* name, const char* field, const std::string& help) const {
  const auto value = std::make_shared<std::string>();
  then([value, field](auto& body) { body[field] = *value; });
  return added_.add(name, *value, help).required();
}

options::option call_command::optional_text(const char* name, const char* field, const std::string& help,
                                            const std::string& initial) const {
  const auto value = std::make_shared<std::string>(initial);
  then([value, field](auto& body) {
    if (!value->empty()) body[field] = *value;
  });
  return added_.add(name, *value, help);
}

options::option call_command::repeated_text(const char* name, const char* field, const std::string& help) const {
  const auto values = std::make_shared<std::vector<std::string>>();
  then([values, field](auto& body) {
    if (values->empty()) return;
    boost::json::array list;
    for (const auto& value : *values)
      if (!value.empty()) list.emplace_back(value);
    body[field] = std::move(list);
  });
  return added_.add(name, *values, help);
}

options::option call_command::list(const char* name, const char* field, const std::string& help) const {
  const auto text = std::make_shared<std::string>();
  then([text, name, field](auto& body) { body[field] = list_of(*text, name); });
  return added_.add(name, *text, help).required();
}

options::option call_command::optional_list(const char* name, const char* field, const std::string& help) const {
  const auto text = std::make_shared<std::string>();
  then([text, name, field](auto& body) {
    if (!text->empty()) body[field] = list_of(*text, name);
  });
  return added_.add(name, *text, help);
}

options::option call_command::optional_id(const char* name, const char* field, const std::string& help) const {
  constexpr auto not_given = std::numeric_limits<std::int64_t>::min();
  const auto value = std::make_shared<std::int64_t>(not_given);
  then([value, field](auto& body) {
    if (*value != not_given) body[field] = *value;
  });
  return added_.add(name, *value, help);
}

options::option call_command::number(const char* name, const char* field, const std::string& help,
                                     std::uint32_t initial) const {
  const auto value = std::make_shared<std::uint32_t>(initial);
  request_->last_fields.emplace_back([value, field](auto& body) { body[field] = *value; });
  return added_.add(name, *value, help);
}

void call_command::from_input(const char* flag, const char* field, const std::string& help,
                              boost::json::value (*read)(std::istream& input)) const {
  const auto given = std::make_shared<bool>();
  then([given, field, read, &input = input_](auto& body) { body[field] = read(input); });
  added_.add_flag(flag, *given, help).required();
}

void call_command::constant(const char* field, const char* value) const {
  then([field, value](auto& body) { body[field] = value; });
}

call_command call_command::group(const char* heading, const char* help, std::size_t least, std::size_t most) const {
  return {added_.add_group(heading, help, least, most), request_, input_};
}

void call_command::then(filler fill) const { request_->fields.push_back(std::move(fill)); }

command_group command_group::group(const char* name, const char* help) const {
  return {command_.add_command(name, help), input_, result_};
}

call_command command_group::call(const char* name, const char* help, const char* path) const {
  return {command_.add_command(name, help), path, input_, result_};
}

}  // namespace gateway::ctl
