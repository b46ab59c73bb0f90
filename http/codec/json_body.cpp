#include "json_body.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

using simdjson::dom::element_type;

rejection malformed(std::string what) { return {error_code::invalid_request, "body: " + std::move(what)}; }

/// Finds a duplicate name in one object, at any level. Names are compared unescaped.
class repeated_name {
 public:
  std::optional<std::string_view> find_in(const simdjson::dom::element& value) {
    if (value.type() == element_type::OBJECT) return find_in(value.get_object().value_unsafe());
    if (value.type() != element_type::ARRAY) return std::nullopt;
    const simdjson::dom::array items = value.get_array().value_unsafe();  // named: in a range-for it would dangle
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

  std::vector<std::string_view> names_;  ///< of one object; reused for its capacity
};

/// A name that the caller chose, truncated to whole characters that fit a message.
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

// ---- numbers that simdjson rejects without a position --------------------------------------------

/// Whether the text is a number in JSON's grammar, of any size.
bool is_number(std::string_view text) noexcept {
  const auto skip_digits = [&] {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) return false;
  if (skip_digits() == 0) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

template <class Number>
bool fits(std::string_view number) noexcept {
  Number value{};
  return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
}

/// The replacement for a number in a body that contains one beyond 64 bits. A reader of an integer field must reject
/// it: as an integer beyond every bound, or, for a fraction, as no integer (no field holds fractions). Never longer
/// than the number. Empty: no replacement is needed.
std::string_view stand_in_for(std::string_view number) noexcept {
  if (number.find_first_of(".eE") != std::string_view::npos) return "0.5";
  return fits<std::int64_t>(number) || fits<std::uint64_t>(number) ? "" : "18446744073709551615";
}

/// Finds the numbers in a text that simdjson has found to be UTF-8 with terminated strings.
class number_finder {
 public:
  explicit number_finder(std::string_view body) : body_(body) {}

  /// The next one's position and length; it extends up to the next delimiter. Nothing if there are no more.
  std::optional<std::pair<std::size_t, std::size_t>> next() {
    while (at_ < body_.size()) {
      const char c = body_[at_];
      if (c == '-' || is_digit(c)) {
        const auto begin = at_;
        at_ = std::min(body_.find_first_of(" \t\r\n,:[]{}\"", at_), body_.size());
        return std::pair{begin, at_ - begin};
      }
      if (c == '"') {
        read_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth_;
      if ((c == '}' || c == ']') && depth_ > 0) --depth_;
      ++at_;
    }
    return std::nullopt;
  }

  /// The body's member that contains the last number, as written; empty if there is none.
  std::string_view member() const noexcept { return depth_ > 0 ? member_ : std::string_view{}; }

 private:
  void read_string() {
    const auto begin = ++at_;
    while (at_ < body_.size() && body_[at_] != '"') at_ += body_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, body_.size());
    const auto text = body_.substr(begin, at_ - begin);
    if (at_ < body_.size()) ++at_;
    const auto behind = body_.find_first_not_of(" \t\r\n", at_);
    if (depth_ == 1 && behind != std::string_view::npos && body_[behind] == ':') member_ = text;
  }

  std::string_view body_, member_;
  std::size_t at_ = 0, depth_ = 0;
};

/// The body with replacements for numbers beyond 64 bits, which simdjson refuses even in fields that are never read. A
/// rejection if something is not a JSON number at all.
decoded<std::string> with_readable_numbers(std::string_view body) {
  std::string readable{body};
  number_finder numbers{body};
  while (const auto found = numbers.next()) {
    const auto [at, size] = *found;
    const auto number = body.substr(at, size);
    if (!is_number(number)) {
      const auto member = shown(numbers.member());
      return rejection{error_code::invalid_request, (member.empty() ? "body" : member) + ": not a number of JSON"};
    }
    if (const auto readable_one = stand_in_for(number); !readable_one.empty())
      readable.replace(at, size, std::string{readable_one} + std::string(size - readable_one.size(), ' '));
  }
  return readable;
}

}  // namespace

decoded<simdjson::dom::object> parse_object(std::string_view body, std::size_t depth) {
  if (body.empty()) return malformed("must be a JSON object");
  simdjson::dom::element document;
  auto& parser = this_threads_parser(depth);
  auto failure = parser.parse(body.data(), body.size()).get(document);
  if (failure == simdjson::NUMBER_ERROR) {
    auto readable = with_readable_numbers(body);
    if (auto* wrong = std::get_if<rejection>(&readable)) return std::move(*wrong);
    failure = parser.parse(std::get<std::string>(readable)).get(document);
  }
  switch (failure) {
    case simdjson::SUCCESS: break;
    case simdjson::UTF8_ERROR: return malformed("not valid UTF-8");
    case simdjson::DEPTH_ERROR: return malformed("nested more than " + std::to_string(depth) + " levels deep");
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

bool field_reader::is_null(std::string_view name) const {
  const auto value = member(name);
  return value && value->is_null();
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
  const auto value = find(name);
  if (!value) return std::nullopt;
  const auto type = value->type();
  if (type == element_type::INT64) {
    const auto number = value->get_int64().value_unsafe();
    if (number >= least && number <= most) return number;
  } else if (type != element_type::UINT64) {
    // 4200.0 and 1e3 are not integers; "4200" is a string.
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
