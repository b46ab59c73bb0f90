#include "browser.hpp"

#include <algorithm>
#include <stdexcept>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::load {

namespace {

constexpr int most_redirects = 8;

/// The value of a hidden field. The gateway uses only characters that need no escape.
std::string hidden_field(std::string_view page, const std::string& name) {
  const auto begin = "name=\"" + name + "\" value=\"";
  const auto at = page.find(begin);
  if (at == std::string_view::npos) return {};
  const auto from = at + begin.size();
  return std::string{page.substr(from, page.find('"', from) - from)};
}

}  // namespace

const answer& browser::open(const std::string& where) {
  auto path = where;
  if (path.starts_with(to_->url())) path.erase(0, to_->url().size());
  if (!path.starts_with('/')) throw std::runtime_error("no page of this gateway: " + where);
  at_ = std::move(path);
  return send("GET", at_, {});
}

const answer& browser::press(const std::string& button, const fields& filled_in) {
  std::string form = "csrf=" + percent_encoded(hidden_field(page_, "csrf")) + "&action=" + percent_encoded(button);
  for (const auto& [name, value] : filled_in) form += '&' + percent_encoded(name) + '=' + percent_encoded(value);
  return send("POST", at_, form);
}

std::string browser::follow() {
  for (int i = 0; i < most_redirects && !location_.empty(); ++i) {
    const auto to = location_;
    if (!to.starts_with('/') && !to.starts_with(to_->url() + '/')) return to;
    open(to);
  }
  return {};
}

const answer& browser::send(const char* method, const std::string& path, const std::string& form) {
  wire_.assign(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: ").append(to_->authority());
  std::string jar;
  for (const auto& [name, value] : cookies_) jar += (jar.empty() ? "" : "; ") + name + '=' + value;
  if (!jar.empty()) wire_.append("\r\nCookie: ").append(jar);
  if (!form.empty())
    wire_.append("\r\nOrigin: ").append(to_->url()).append("\r\nContent-Type: application/x-www-form-urlencoded");
  if (!form.empty()) wire_.append("\r\nContent-Length: ").append(std::to_string(form.size()));
  wire_.append("\r\n\r\n").append(form);
  const auto& got = link_.send(wire_);
  location_.clear();
  page_ = got.body;
  if (got.status != 0) read_head(link_.head());
  return got;
}

void browser::read_head(std::string_view head) {
  while (!head.empty()) {
    const auto line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const auto name = line.substr(0, colon), value = line.substr(colon + 2);
    if (equal_ignoring_case(name, "location")) location_ = value;
    if (!equal_ignoring_case(name, "set-cookie")) continue;
    const auto pair = value.substr(0, value.find(';'));
    const auto equals = std::min(pair.find('='), pair.size());
    cookies_[std::string{pair.substr(0, equals)}] = pair.substr(std::min(pair.size(), equals + 1));
  }
}

}  // namespace gateway::load
