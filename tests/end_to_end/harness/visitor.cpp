#include "visitor.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "text.hpp"

namespace gateway::e2e {

namespace {

constexpr int most_redirects = 8;

struct control {
  std::string type, name, value;
};

std::vector<control> controls_in(const std::string& html) {
  static const std::regex tag{"<(input|button)\\b[^>]*>", std::regex::icase};
  std::vector<control> all;
  for (auto at = std::sregex_iterator{html.begin(), html.end(), tag}; at != std::sregex_iterator{}; ++at) {
    const auto text = at->str();
    all.push_back({attribute_of(text, "type").value_or(""), attribute_of(text, "name").value_or(""),
                   attribute_of(text, "value").value_or("")});
  }
  return all;
}

/// Each form of a page: its opening tag and its content.
std::vector<std::pair<std::string, std::string>> forms_in(const std::string& html) {
  static const std::regex opening{"<form\\b[^>]*>", std::regex::icase};
  std::vector<std::pair<std::string, std::string>> all;
  for (auto at = std::sregex_iterator{html.begin(), html.end(), opening}; at != std::sregex_iterator{}; ++at) {
    const auto from = static_cast<std::size_t>(at->position() + at->length());
    all.emplace_back(at->str(), html.substr(from, html.find("</form>", from) - from));
  }
  return all;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

const reply& visitor::send(http_request what) {
  std::string jar;
  for (const auto& [name, value] : cookies) jar += (jar.empty() ? "" : "; ") + name + '=' + value;
  if (!jar.empty()) what.headers.emplace_back("Cookie", jar);
  target_ = what.target;
  left_for_.clear();
  answer_ = client_.send(what);
  html_ = unescape_html(answer_.body);
  for (const auto& [name, value] : answer_.headers) {
    if (name != "Set-Cookie" && name != "set-cookie") continue;
    const auto pair = value.substr(0, value.find(';'));
    const auto equals = pair.find('=');
    const bool gone = value.find("Max-Age=0") != std::string::npos;
    if (gone)
      cookies.erase(pair.substr(0, equals));
    else
      cookies[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return answer_;
}

void visitor::follow() {
  for (int i = 0; i < most_redirects && (answer_.status == 302 || answer_.status == 303); ++i) {
    const auto to = answer_.header("Location").value_or("");
    if (to.starts_with(base_url_)) {
      send({"GET", target_of_url(to), {}, {}});
    } else if (to.starts_with('/') && !to.starts_with("//")) {
      send({"GET", to, {}, {}});
    } else {
      left_for_ = to;
      return;
    }
  }
}

const reply& visitor::open(const std::string& target) {
  send({"GET", target.starts_with('/') ? target : target_of_url(target), {}, {}});
  follow();
  return answer_;
}

const reply& visitor::click(const std::string& action, const fields& filled_in) {
  for (const auto& [opening, inside] : forms_in(answer_.body)) {
    std::string form;
    const auto add = [&](const std::string& name, const std::string& value) {
      form += (form.empty() ? "" : "&") + percent_encode(name) + '=' + percent_encode(value);
    };
    bool is_here = false, is_another = false;
    auto left = filled_in;
    for (const auto& each : controls_in(inside)) {
      if (each.name == "action" && each.value == action) is_here = true;
      if (each.type != "hidden") continue;
      add(each.name, each.value);
      std::erase(left, std::pair{each.name, each.value});
      is_another |= std::ranges::any_of(left, [&](const auto& field) { return field.first == each.name; });
    }
    if (!is_here || is_another) continue;
    for (const auto& [name, value] : left) add(name, value);
    add("action", action);
    auto to = attribute_of(opening, "action").value_or(target_);
    if (to.empty()) to = target_;
    if (!to.starts_with('/')) to = target_of_url(to);
    send({"POST", to, {{"Content-Type", "application/x-www-form-urlencoded"}}, form});
    follow();
    return answer_;
  }
  throw std::runtime_error{"the page " + target_ + " has no button " + action + ": " + html_.substr(0, 2'000)};
}

const reply& visitor::post(const std::string& target, const std::string& form) {
  return send({"POST", target, {{"Content-Type", "application/x-www-form-urlencoded"}}, form});
}

const reply& visitor::post_confirmed(const std::string& target, const std::string& form) {
  post(target, form);
  if (answer_.status != 200) return answer_;
  for (const auto& each : controls_in(answer_.body))
    if (each.name == "confirm") return post(target, form + "&confirm=" + percent_encode(each.value));
  throw std::runtime_error{"the page " + target + " does not ask: " + html_.substr(0, 2'000)};
}

std::string visitor::brought(const std::string& parameter) const {
  auto query = left_for_.substr(std::min(left_for_.find('?'), left_for_.size() - 1) + 1);
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    if (pair.starts_with(parameter + '=')) return decoded(std::string_view{pair}.substr(parameter.size() + 1));
    query = end == std::string::npos ? "" : query.substr(end + 1);
  }
  return {};
}

std::vector<std::string> visitor::actions() const {
  std::vector<std::string> all;
  for (const auto& each : controls_in(answer_.body))
    if (each.name == "action") all.push_back(each.value);
  return all;
}

std::string visitor::csrf() const {
  for (const auto& each : controls_in(answer_.body))
    if (each.name == "csrf") return each.value;
  return {};
}

}  // namespace gateway::e2e
