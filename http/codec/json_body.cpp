#include "json_body.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

using simdjson::dom::element_type;

rejection malformed(std::string what) { return {error_code::invalid_request, "body: " + std::move(what)}; }

/// Looks for a name that stands twice in one object, at any level. Names are compared as unescaped.
class repeated_name {
 public:
  std::optional<std::string_view> find_in(const simdjson::dom::element& value) {
    if (value.type() == element_type::OBJECT) return find_in(value.get_object().value_unsafe());
    if (value.type() != element_type::ARRAY) return std::nullopt;
    const simdjson::dom::array items = value.get_array().value_unsafe();  // named: a range-for would outlive the result
    for (const auto item : items)
      if (const auto found = find_in(item)) return found;
    return std::nullopt;
  }

 private:
  std::optional<std::string_view> find_in(const simdjson::dom::object& object) {
    names_.clear();
    for (const auto member : object) names_.push_back(member.key);
    std::ranges::sort(names_);
    const auto twice = std::ranges::adjacent_find(names_);
    if (twice != names_.end()) return *twice;
    for (const auto member : object)
      if (const auto found = find_in(member.value)) return found;
    return std::nullopt;
  }

  std::vector<std::string_view> names_;  ///< of one object; kept for its capacity
};

/// A name that the caller chose, cut to whole characters that fit a message.
std::string shown(std::string_view name) {
  constexpr std::size_t longest = 64;
  auto end = std::min(name.size(), longest);
  while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return std::string{name.substr(0, end)};
}

simdjson::dom::parser& this_threads_parser(std::size_t depth) {
  thread_local simdjson::dom::parser parser;
  thread_local std::size_t allocated_for = 0;
  if (allocated_for != depth) {
    if (parser.allocate(4096, depth) != simdjson::SUCCESS) throw std::bad_alloc{};
    allocated_for = depth;
  }
  return parser;
}

/// simdjson stops at a number beyond 64 bits without saying where. For the message's sake only, a second parser looks.
std::string field_of_wide_number(std::string_view body) {
  boost::system::error_code failure;
  const auto document = boost::json::parse(body, failure);
  if (failure || !document.is_object()) return "body";
  for (const auto& member : document.get_object())
    if (member.value().is_double()) return shown(member.key());
  return "body";
}

}  // namespace

decoded<simdjson::dom::object> parse_object(std::string_view body, std::size_t depth) {
  if (body.empty()) return malformed("must be a JSON object");
  simdjson::dom::element document;
  const auto failure = this_threads_parser(depth).parse(body.data(), body.size()).get(document);
  switch (failure) {
    case simdjson::SUCCESS: break;
    case simdjson::UTF8_ERROR: return malformed("not valid UTF-8");
    case simdjson::DEPTH_ERROR: return malformed("nested more than " + std::to_string(depth) + " levels deep");
    case simdjson::NUMBER_ERROR:
      return rejection{error_code::invalid_request, field_of_wide_number(body) + ": not a number that fits 64 bits"};
    case simdjson::MEMALLOC: throw std::bad_alloc{};
    default: return malformed("not valid JSON");
  }
  if (document.type() != element_type::OBJECT) return malformed("must be a JSON object");
  if (const auto name = repeated_name{}.find_in(document))
    return rejection{error_code::invalid_request, shown(*name) + ": stands twice in one object"};
  return document.get_object().value_unsafe();
}

std::optional<simdjson::dom::element> field_reader::member(std::string_view name) const {
  simdjson::dom::element value;
  if (object_.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  if (!known_.empty() && std::ranges::find(known_, name) == known_.end())
    throw std::logic_error{"the list of the body's fields lacks " + std::string{name}};
  return value;
}

std::optional<simdjson::dom::element> field_reader::find(std::string_view name) const {
  const auto value = member(name);
  return value && !value->is_null() ? value : std::nullopt;
}

bool field_reader::check_text(std::string_view field, std::string_view value, std::size_t most) {
  if (count_characters(value) <= most) return check_no_nul(field, value);
  reject(field, "must have at most " + std::to_string(most) + " characters");
  return false;
}

bool field_reader::check_free_text(std::string_view field, std::string_view value) {
  if (value.size() <= most_free_text_bytes) return check_no_nul(field, value);
  reject(field, "must have at most " + std::to_string(most_free_text_bytes) + " bytes");
  return false;
}

bool field_reader::check_no_nul(std::string_view field, std::string_view value) {
  if (value.find('\0') == std::string_view::npos) return true;
  reject(field, "must not contain the character NUL");
  return false;
}

std::optional<std::string_view> field_reader::find_text(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  std::string_view content;
  if (value->get_string().get(content) == simdjson::SUCCESS) return content;
  reject(name, "must be a string");
  return std::nullopt;
}

std::string field_reader::text(std::string_view name, std::size_t most) {
  const auto content = find_text(name);
  return content && check_text(name, *content, most) ? std::string{*content} : std::string{};
}

std::string_view field_reader::word(std::string_view name) const {
  const auto value = find(name);
  std::string_view content;
  return value && value->get_string().get(content) == simdjson::SUCCESS ? content : std::string_view{};
}

std::string field_reader::free_text(std::string_view name) {
  const auto content = find_text(name);
  return content && check_free_text(name, *content) ? std::string{*content} : std::string{};
}

std::string field_reader::required_text(std::string_view name, std::size_t most) {
  auto value = text(name, most);
  if (value.empty()) reject(name, "is required");
  return value;
}

std::optional<std::int64_t> field_reader::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  // Null is no way to leave an amount out: what that stands for (all that remains) is too much to guess.
  const auto value = member(name);
  if (!value) return std::nullopt;
  const auto type = value->type();
  if (type == element_type::INT64) {
    const auto number = value->get_int64().value_unsafe();
    if (number >= least && number <= most) return number;
  } else if (type != element_type::UINT64) {
    // 4200.0 and 1e3 are numbers but no integers; "4200" is a string.
    reject(name, "must be an integer");
    return std::nullopt;
  }
  reject(name, "must be from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

bool field_reader::boolean(std::string_view name, bool otherwise) {
  const auto value = find(name);
  if (!value) return otherwise;
  bool said = otherwise;
  if (value->get_bool().get(said) != simdjson::SUCCESS) reject(name, "must be true or false");
  return said;
}

std::vector<std::pair<std::string, std::string>> field_reader::free_text_map(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto value = find(name);
  if (!value) return pairs;
  simdjson::dom::object object;
  if (value->get_object().get(object) != simdjson::SUCCESS) {
    reject(name, "must be an object of strings");
    return pairs;
  }
  for (const auto member : object) {
    std::string_view content;
    if (member.value.get_string().get(content) != simdjson::SUCCESS) {
      reject(name, "must be an object of strings");
      break;
    }
    if (!check_free_text(name, member.key) || !check_free_text(name, content)) break;
    pairs.emplace_back(member.key, content);
  }
  return pairs;
}

std::vector<std::string> field_reader::text_list(std::string_view name, std::size_t most_items, std::size_t most) {
  std::vector<std::string> items;
  const auto value = find(name);
  if (!value) return items;
  simdjson::dom::array array;
  if (value->get_array().get(array) != simdjson::SUCCESS) {
    reject(name, "must be an array of strings");
    return items;
  }
  for (const auto item : array) {
    std::string_view content;
    if (item.get_string().get(content) != simdjson::SUCCESS) {
      reject(name, "must be an array of strings");
      break;
    }
    if (items.size() == most_items) {
      reject(name, "must have at most " + std::to_string(most_items) + " items");
      break;
    }
    if (!check_text(name, content, most)) break;
    items.emplace_back(content);
  }
  return items;
}

void field_reader::reject(std::string_view field, std::string_view what) {
  if (first_) return;
  std::string message{field};
  message += ": ";
  message += what;
  first_ = rejection{error_code::invalid_request, std::move(message)};
}

void field_reader::reject(error_code code, std::string message) {
  if (!first_) first_ = rejection{code, std::move(message)};
}

}  // namespace gateway::http
