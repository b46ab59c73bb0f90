// The pages of the operators' console: what each shows, as blocks (http/pages/blocks.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/message.hpp"
#include "http/pages/blocks.hpp"

namespace gateway::http {

/// Where the console is, on the operator listener.
inline constexpr std::string_view console_path = "/console";
inline constexpr std::string_view console_search_path = "/console/search";
inline constexpr std::string_view console_sign_in_path = "/console/sign-in";

/// Around every page of somebody who has signed in.
struct console_frame {
  std::string node;    ///< whose console it is; empty: the gateway serves alone
  std::string csrf;    ///< of every form
  std::string query;   ///< what was searched for
  std::string notice;  ///< what was done; empty: nothing to tell
  std::string fault;   ///< why an act changed nothing
  bool at_overview = false;
};

response console_page(const console_frame& frame, std::string_view title, const std::vector<blocks::section>& sections);
response console_sign_in_page(const std::string& csrf, const std::string& fault);

/// A link to what is known of something.
blocks::link console_link(const std::string& id);
blocks::link console_link(std::string text, const std::string& query);

/// A button of a form that acts on one thing.
blocks::act_form console_button(const std::string& csrf, std::string action, std::string label, std::string about,
                                std::string field, std::string value);

}  // namespace gateway::http
