#include "browser_words.hpp"

#include <algorithm>
#include <array>

#include "http/codec/header_lines.hpp"

namespace gateway::http {
namespace {

struct agent_words {
  std::string_view part;  ///< of the header
  std::string_view name;
};
// The order matters: a browser's header also names the browsers that it imitates, so the most specific part comes
// first.
constexpr auto browser_names = std::to_array<agent_words>({{"Edg/", "Edge"},
                                                           {"EdgA/", "Edge"},
                                                           {"EdgiOS/", "Edge"},
                                                           {"OPR/", "Opera"},
                                                           {"SamsungBrowser/", "Samsung Internet"},
                                                           {"Firefox/", "Firefox"},
                                                           {"FxiOS/", "Firefox"},
                                                           {"CriOS/", "Chrome"},
                                                           {"Chrome/", "Chrome"},
                                                           {"Chromium/", "Chromium"},
                                                           {"Safari/", "Safari"},
                                                           {"curl/", "curl"}});
constexpr auto system_names = std::to_array<agent_words>({{"iPhone", "iPhone"},
                                                          {"iPad", "iPad"},
                                                          {"Android", "Android"},
                                                          {"Windows", "Windows"},
                                                          {"CrOS", "ChromeOS"},
                                                          {"Macintosh", "macOS"},
                                                          {"Linux", "Linux"}});

template <class Names>
std::string_view name_in(std::string_view agent, const Names& names) {
  const auto at =
      std::ranges::find_if(names, [&](const agent_words& each) { return agent.find(each.part) != agent.npos; });
  return at == names.end() ? std::string_view{} : at->name;
}

}  // namespace

std::string browser_in_words(std::string_view user_agent) {
  const auto browser = name_in(user_agent, browser_names), system = name_in(user_agent, system_names);
  std::string words{browser};
  if (!browser.empty() && !system.empty()) words += " on ";
  return words.append(system);
}

std::string browser_of(const request& in) { return browser_in_words(first_header(in.head, "user-agent").value_or("")); }

}  // namespace gateway::http
