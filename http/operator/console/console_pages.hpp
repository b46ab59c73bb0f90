// Renders the pages of the operators' console as blocks (http/html/blocks.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gateway/ports/store/operator_questions.hpp"
#include "http/html/blocks.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The console's paths on the operator listener.
inline constexpr std::string_view console_path = "/console";
inline constexpr std::string_view console_search_path = "/console/search";
inline constexpr std::string_view console_sign_in_path = "/console/sign-in";
inline constexpr std::string_view console_setup_path = "/console/setup";
inline constexpr std::string_view console_operators_path = "/console/operators";

/// The frame of every page after sign-in.
struct console_frame {
  std::string node;    ///< this node's name; empty without a cluster
  std::string csrf;    ///< for every form
  std::string query;   ///< the last search
  std::string notice;  ///< what was done; may be empty
  std::string fault;   ///< why an action changed nothing
  std::string user;    ///< the operator's name
  operator_role role = operator_role::viewer;
  bool at_overview = false;
  bool at_operators = false;
};

/// Removes the buttons of acts that the frame's role does not permit.
response console_page(const console_frame& frame, std::string_view title, std::vector<blocks::section> sections);

struct console_sign_in_view {
  std::string csrf{};
  std::string name{};
  std::string notice{};
  std::string fault{};
};
response console_sign_in_page(const console_sign_in_view& view);

/// The page where an operator sets a password and a second factor.
struct console_setup_view {
  std::string csrf{};
  std::string name{};
  std::string uri{};     ///< otpauth://…
  std::string qr_svg{};  ///< of `uri`
  std::string secret{};  ///< in base32, for typing
  std::string password_fault{};
  std::string code_fault{};
};
response console_setup_page(const console_setup_view& view);

struct operators_view {
  std::string csrf;
  std::vector<listed_operator> operators;
  std::string present;  ///< the name of the operator who is signed in
  std::string link_for{};  ///< the operator whose link was just made; empty: none
  std::string link{};      ///< shown once
};
std::vector<blocks::section> operators_sections(const operators_view& view);

/// A link to the search result for an id.
blocks::link console_link(const std::string& id);
blocks::link console_link(std::string text, const std::string& query);

/// A form with one button. The hidden field `field` has the subject `value`.
blocks::act_form console_button(const std::string& csrf, std::string action, std::string label, std::string about,
                                std::string field, std::string value);

}  // namespace gateway::http
