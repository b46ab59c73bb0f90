#include "json_body.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

using simdjson::dom::element_type;

rejection malformed_at(std::string_view where, std::string_view what) {
  return {error_code::invalid_request, std::string{where}.append(": ").append(what)};
}

rejection malformed(std::string_view what) { return malformed_at("body", what); }

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

 private:
  std::vector<std::string_view> names_;  ///< of one object; reused for its capacity
};

/// The most duplicate names that one answer reports.
constexpr std::size_t most_repeated = 100;

/// The name "" is shown with its quotes, because an empty name marks a fault of the whole body.
std::string_view shown_member(std::string_view name) { return name.empty() ? R"("")" : shown(name); }

body_fault stands_twice(std::string_view outermost, std::string_view name, std::size_t at) {
  std::string message{shown_member(outermost)};
  if (name != outermost) message.append(": ").append(shown_member(name));
  return {error_code::invalid_request, std::string{shown_member(outermost)}, message + ": stands twice in one object",
          at};
}

/// A fault for each of the object's members that stands twice, or that contains a name twice in one object.
std::vector<body_fault> all_repeated(const simdjson::dom::object& object) {
  std::vector<std::string_view> names, reported;
  for (const auto member : object) names.push_back(member.key);
  std::ranges::sort(names);
  std::vector<body_fault> faults;
  std::size_t at = 0;
  for (const auto member : object) {
    const auto same = std::ranges::equal_range(names, member.key);
    auto name = same.size() > 1 ? std::optional{member.key} : repeated_name{}.find_in(member.value);
    if (name && std::ranges::find(reported, member.key) == reported.end()) {
      reported.push_back(member.key);
      faults.push_back(stands_twice(member.key, *name, at));
      if (faults.size() == most_repeated) break;
    }
    ++at;
  }
  return faults;
}

/// Sorts the faults of the body's fields by where the fields stand in it.
void sort_by_place(std::vector<body_fault>& faults, const simdjson::dom::object& object) {
  std::size_t at = 0;
  for (const auto member : object) {
    for (auto& fault : faults)
      if (fault.at == body_fault::missing && !fault.name.empty() && fault.name == member.key) fault.at = at;
    ++at;
  }
  std::ranges::stable_sort(faults, {}, &body_fault::at);
}

rejection as_rejection(std::vector<body_fault> faults) {
  rejection out{faults.front().code, faults.front().message};
  for (auto& fault : faults) {
    if (fault.name.empty()) continue;
    if (fault.message.empty()) fault.message = row_of(fault.code).message;
    out.fields.push_back({std::move(fault.name), std::move(fault.message)});
  }
  return out;
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
      return malformed_at(member.empty() ? "body" : member, "not a number of JSON");
    }
    if (const auto readable_one = stand_in_for(number); !readable_one.empty())
      readable.replace(at, size, std::string{readable_one} + std::string(size - readable_one.size(), ' '));
  }
  return readable;
}

decoded<simdjson::dom::object> parse_document(std::string_view body, std::size_t depth) {
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
  return document.get_object().value_unsafe();
}

}  // namespace

std::string_view shown(std::string_view name) noexcept {
  constexpr std::size_t longest = 64;
  auto end = std::min(name.size(), longest);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

decoded<simdjson::dom::object> parse_object(std::string_view body, std::size_t depth) {
  auto parsed = parse_document(body, depth);
  const auto* object = std::get_if<simdjson::dom::object>(&parsed);
  if (object && repeated_name{}.find_in(*object)) return as_rejection(all_repeated(*object));
  return parsed;
}

std::optional<simdjson::dom::object> parse_leniently(std::string_view body, std::size_t depth) {
  const auto parsed = parse_document(body, depth);
  const auto* object = std::get_if<simdjson::dom::object>(&parsed);
  return object ? std::optional{*object} : std::nullopt;
}

decoded<field_reader> parse_fields(std::string_view body, std::size_t depth, std::span<const std::string_view> known) {
  auto parsed = parse_document(body, depth);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  const auto& object = std::get<simdjson::dom::object>(parsed);
  if (repeated_name{}.find_in(object)) return field_reader{object, known, all_repeated(object)};
  return field_reader{object, known};
}

std::optional<simdjson::dom::element> field_reader::member(std::string_view name) const {
  simdjson::dom::element value;
  if (object_.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  note(name);
  return value;
}

void field_reader::note(std::string_view name) const {
  if (known_.empty()) return;
  const auto at = std::ranges::find(known_, name);
  if (at == known_.end()) throw std::logic_error{"the list of the body's fields lacks " + std::string{name}};
  found_ |= std::uint64_t{1} << (static_cast<std::size_t>(at - known_.begin()) % 64);
}

bool field_reader::may_have_others() const noexcept {
  return object_.size() != static_cast<std::size_t>(std::popcount(found_));
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
  if (is_rejected(field)) return;
  std::string message{field};
  message += ": ";
  message += what;
  reject(error_code::invalid_request, field, std::move(message));
}

void field_reader::reject(error_code code, std::string_view field, std::string message) {
  if (!field.empty() && is_rejected(field)) return;
  faults_.push_back({code, std::string{field}, std::move(message)});
}

bool field_reader::is_rejected(std::string_view field) const noexcept {
  return std::ranges::find(faults_, field, &body_fault::name) != faults_.end();
}

rejection field_reader::take_rejection() {
  sort_by_place(faults_, object_);
  return as_rejection(std::move(faults_));
}

}  // namespace gateway::http
