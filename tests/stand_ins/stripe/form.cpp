#include "form.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "tests/stand_ins/common/text.hpp"

namespace gateway::stripe_stand_in {

namespace {

constexpr std::array currencies{
    "usd", "aed", "all", "amd", "ang", "aud", "awg", "azn", "bam", "bbd", "bdt", "bhd", "bif", "bmd", "bnd", "bsd",
    "bwp", "byn", "bzd", "cad", "cdf", "chf", "clp", "cny", "cop", "crc", "czk", "djf", "dkk", "dop", "dzd", "egp",
    "etb", "eur", "fjd", "gbp", "gel", "gip", "gmd", "gnf", "gyd", "hkd", "htg", "huf", "idr", "ils", "inr", "isk",
    "jmd", "jod", "jpy", "kes", "kgs", "khr", "kmf", "krw", "kwd", "kyd", "kzt", "lbp", "lkr", "lrd", "lsl", "mad",
    "mdl", "mga", "mkd", "mmk", "mnt", "mop", "mur", "mvr", "mwk", "mxn", "myr", "mzn", "nad", "ngn", "nok", "npr",
    "nzd", "omr", "pgk", "php", "pkr", "pln", "pyg", "qar", "ron", "rsd", "rub", "rwf", "sar", "sbd", "scr", "sek",
    "sgd", "sos", "szl", "thb", "tjs", "tnd", "top", "try", "ttd", "twd", "tzs", "uah", "ugx", "uyu", "uzs", "vnd",
    "vuv", "wst", "xaf", "xcd", "xof", "xpf", "yer", "zar", "zmw"};

/// `line_items[0][price]` split: line_items, 0, price. Empty if its brackets do not match.
std::optional<std::vector<std::string_view>> parts_of(std::string_view name) {
  std::vector<std::string_view> parts{name.substr(0, name.find('['))};
  name.remove_prefix(parts.front().size());
  while (!name.empty()) {
    const auto end = name.find(']');
    if (name.front() != '[' || end == name.npos) return std::nullopt;
    parts.push_back(name.substr(1, end - 1));
    name.remove_prefix(end + 1);
  }
  return parts;
}

bool is_index(std::string_view part) {
  return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

bool fits(std::string_view name, std::string_view pattern) {
  const auto given = parts_of(name), wanted = parts_of(pattern);
  if (!given || given->size() != wanted->size()) return false;
  for (std::size_t i = 0; i < given->size(); ++i) {
    const auto want = (*wanted)[i], have = (*given)[i];
    if (want == "*" ? have.empty() : want == "#" ? !is_index(have) : want != have) return false;
  }
  return true;
}

bool is_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() && !text.empty();
}

std::optional<answer> fault_of_value(const std::string& name, const std::string& value, const parameter& known) {
  if (value.empty() && known.how != shape::metadata)
    return invalid("You passed an empty string for '" + name + "'.", "parameter_invalid_empty", name);
  switch (known.how) {
    case shape::text: return std::nullopt;
    case shape::time:
    case shape::integer:
      if (!is_integer(value)) return invalid("Invalid integer: " + value, "parameter_invalid_integer", name);
      return std::nullopt;
    case shape::boolean:
      if (value != "true" && value != "false") return invalid("Invalid boolean: " + value, {}, name);
      return std::nullopt;
    case shape::one_of:
      if ((' ' + std::string{known.allowed} + ' ').find(' ' + value + ' ') == std::string::npos)
        return invalid("Invalid " + name + ": must be one of " + std::string{known.allowed}, {}, name);
      return std::nullopt;
    case shape::currency:
      if (std::ranges::find(currencies, value) == currencies.end())
        return invalid("Invalid currency: " + value + ". Stripe takes three-letter codes in lower case.", {}, name);
      return std::nullopt;
    case shape::url:
      if (!value.starts_with("https://") && !value.starts_with("http://"))
        return invalid("Not a valid URL", "url_invalid", name);
      return std::nullopt;
    case shape::metadata: {
      const auto key = parts_of(name)->back();
      if (key.size() > 40) return invalid("Metadata keys can have up to 40 characters.", {}, name);
      if (value.size() > 500) return invalid("Metadata values can have up to 500 characters.", {}, name);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<form> form::parse(std::string_view encoded) {
  form made;
  while (!encoded.empty()) {
    const auto field = encoded.substr(0, encoded.find('&'));
    encoded.remove_prefix(std::min(encoded.size(), field.size() + 1));
    if (field.empty()) continue;
    const auto equals = field.find('=');
    if (equals == field.npos) return std::nullopt;
    auto name = stand_in::form_decoded(field.substr(0, equals));
    if (!parts_of(name) || name.empty()) return std::nullopt;
    made.fields_.emplace_back(std::move(name), stand_in::form_decoded(field.substr(equals + 1)));
  }
  return made;
}

const std::string* form::find(std::string_view name) const {
  for (const auto& [key, value] : fields_)
    if (key == name) return &value;
  return nullptr;
}

std::int64_t form::number(std::string_view name, std::int64_t otherwise) const {
  const auto* text = find(name);
  if (text) std::from_chars(text->data(), text->data() + text->size(), otherwise);
  return otherwise;
}

boost::json::object form::texts_under(std::string_view name) const {
  boost::json::object texts;
  const auto start = std::string{name} + '[';
  for (const auto& [key, value] : fields_)
    if (key.starts_with(start) && !value.empty())
      texts[key.substr(start.size(), key.size() - start.size() - 1)] = value;
  return texts;
}

std::vector<std::string> form::list(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : fields_)
    if (fits(key, std::string{name} + "[#]")) values.push_back(value);
  return values;
}

bool form::has_under(std::string_view name) const {
  const auto start = std::string{name} + '[';
  return std::ranges::any_of(fields_, [&](const auto& field) { return field.first.starts_with(start); });
}

std::string form::fingerprint() const {
  auto sorted = fields_;
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [name, value] : sorted) text.append(name).append(1, '=').append(value).append(1, '\n');
  return text;
}

std::optional<answer> fault_of(const form& given, std::span<const parameter> known) {
  std::set<std::string> seen;
  std::size_t metadata = 0;
  for (const auto& [name, value] : given.all()) {
    const auto at = std::ranges::find_if(known, [&](const auto& each) { return fits(name, each.name); });
    if (at == known.end()) return invalid("Received unknown parameter: " + name, "parameter_unknown", name);
    if (!name.ends_with("[]") && !seen.insert(name).second)
      return invalid("Received the parameter " + name + " twice", {}, name);
    if (const auto fault = fault_of_value(name, value, *at)) return fault;
    if (at->how == shape::metadata && ++metadata > 50) return invalid("Metadata can have up to 50 keys.", {}, name);
  }
  for (const auto& each : known)
    if (each.required && std::ranges::none_of(given.all(), [&](const auto& f) { return fits(f.first, each.name); }))
      return invalid("Missing required param: " + std::string{each.name} + '.', "parameter_missing", each.name);
  return std::nullopt;
}

}  // namespace gateway::stripe_stand_in
