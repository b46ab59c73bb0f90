// Renders the pages of the operators' console as blocks (http/html/blocks.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/html/blocks.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The console's paths on the operator listener.
inline constexpr std::string_view console_path = "/console";
inline constexpr std::string_view console_search_path = "/console/search";
inline constexpr std::string_view console_sign_in_path = "/console/sign-in";

/// The frame of every page after sign-in.
struct console_frame {
  std::string node;    ///< this node's name; empty without a cluster
  std::string csrf;    ///< for every form
  std::string query;   ///< the last search
  std::string notice;  ///< what was done; may be empty
  std::string fault;   ///< why an action changed nothing
  bool at_overview = false;
};

response console_page(const console_frame& frame, std::string_view title, const std::vector<blocks::section>& sections);
response console_sign_in_page(const std::string& csrf, const std::string& fault);

/// A link to the search result for an id.
blocks::link console_link(const std::string& id);
blocks::link console_link(std::string text, const std::string& query);

/// A form with one button that acts on one thing.
blocks::act_form console_button(const std::string& csrf, std::string action, std::string label, std::string about,
                                std::string field, std::string value);

}  // namespace gateway::http
