#include "json.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>
#include <stdexcept>

namespace gateway::e2e {

struct json::node {
  std::shared_ptr<const boost::json::value> document;  ///< keeps the memory of `here`
  const boost::json::value* here;
};

namespace {

std::shared_ptr<const json::node> child(const json::node& parent, const boost::json::value& value) {
  return std::make_shared<const json::node>(json::node{parent.document, &value});
}

}  // namespace

json json::parse(std::string_view text) {
  boost::system::error_code failed;
  auto document = std::make_shared<const boost::json::value>(
      boost::json::parse(boost::json::string_view{text.data(), text.size()}, failed));
  if (failed) throw std::runtime_error("not JSON: " + std::string{text.substr(0, 2000)});
  const auto* root = document.get();
  return json{std::make_shared<const node>(node{std::move(document), root})};
}

json json::operator[](std::string_view path) const {
  if (!value_) return {};
  const auto dot = path.find('.');
  const auto name = path.substr(0, dot);
  const auto* fields = value_->here->if_object();
  if (!fields) return {};
  const auto* found = fields->if_contains(boost::json::string_view{name.data(), name.size()});
  if (!found) return {};
  const json next{child(*value_, *found)};
  return dot == std::string_view::npos ? next : next[path.substr(dot + 1)];
}

json json::at(std::size_t index) const {
  if (!value_) return {};
  const auto* elements = value_->here->if_array();
  return elements && index < elements->size() ? json{child(*value_, (*elements)[index])} : json{};
}

bool json::is_object() const { return value_ && value_->here->is_object(); }
bool json::is_array() const { return value_ && value_->here->is_array(); }
bool json::is_string() const { return value_ && value_->here->is_string(); }

std::size_t json::size() const {
  if (is_array()) return value_->here->get_array().size();
  if (is_object()) return value_->here->get_object().size();
  return 0;
}

std::vector<std::string> json::names() const {
  std::vector<std::string> all;
  if (is_object())
    for (const auto& field : value_->here->get_object()) all.emplace_back(field.key());
  return all;
}

std::vector<json> json::items() const {
  std::vector<json> all;
  for (std::size_t i = 0; is_array() && i < size(); ++i) all.push_back(at(i));
  return all;
}

std::string json::text() const {
  if (!is_string()) return {};
  const auto& content = value_->here->get_string();
  return {content.data(), content.size()};
}

std::int64_t json::number() const {
  if (!value_ || !value_->here->is_int64()) throw std::runtime_error("not an integer: " + dump());
  return value_->here->get_int64();
}

std::string json::dump() const { return value_ ? boost::json::serialize(*value_->here) : "(absent)"; }

bool json::is_bool(bool expected) const {
  return value_ && value_->here->is_bool() && value_->here->get_bool() == expected;
}
bool json::is_number(std::int64_t expected) const {
  return value_ && value_->here->is_int64() && value_->here->get_int64() == expected;
}

std::ostream& operator<<(std::ostream& out, const json& value) { return out << value.dump(); }

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::string_view{text.data(), text.size()});
}

object& object::raw(std::string_view name, std::string value) {
  const auto known = std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first);
  if (known != fields_.end())
    known->second = std::move(value);
  else
    fields_.emplace_back(name, std::move(value));
  return *this;
}

object& object::without(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return field.first == name; });
  return *this;
}

std::string object::text() const {
  std::string written = "{";
  for (const auto& [name, value] : fields_) {
    if (written.size() > 1) written += ',';
    written += json_text(name) + ':' + value;
  }
  return written + '}';
}

}  // namespace gateway::e2e
