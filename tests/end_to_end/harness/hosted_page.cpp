#include "hosted_page.hpp"

#include <regex>

#include "text.hpp"

namespace gateway::e2e {

namespace {

std::vector<std::string> tags(const std::string& html) {
  static const std::regex control{"<(?:input|button)\\b[^>]*>", std::regex::icase};
  std::vector<std::string> all;
  for (auto at = std::sregex_iterator{html.begin(), html.end(), control}; at != std::sregex_iterator{}; ++at)
    all.push_back(at->str());
  return all;
}

}  // namespace

hosted_page::hosted_page(const gateway_process& gateway, const std::string& hosted_url)
    : client_{gateway.connect()}, target_{target_of_url(hosted_url)} {
  answer_ = client_.send({"GET", target_, {}, {}});
  html_ = unescape_html(answer_.body);
  for (const auto& tag : tags(answer_.body)) {
    const auto name = attribute_of(tag, "name");
    if (name == "csrf") csrf_ = attribute_of(tag, "value").value_or("");
    if (name == "action") actions_.push_back(attribute_of(tag, "value").value_or(""));
  }
  for (const auto& [name, value] : answer_.headers)
    if (name == "Set-Cookie" || name == "set-cookie")
      cookie_ += (cookie_.empty() ? "" : "; ") + value.substr(0, value.find(';'));
}

reply hosted_page::act(const std::string& action) {
  return submit("action=" + percent_encode(action) + "&csrf=" + percent_encode(csrf_), true);
}

reply hosted_page::submit(const std::string& form, bool with_cookie) {
  header_list headers{{"Content-Type", "application/x-www-form-urlencoded"}};
  if (with_cookie && !cookie_.empty()) headers.emplace_back("Cookie", cookie_);
  return client_.send({"POST", target_, headers, form});
}

}  // namespace gateway::e2e
