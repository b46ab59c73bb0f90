// What each kind of mail says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/ports/mail.hpp"

namespace gateway::http {

struct mail_fact {
  std::string_view name;
  std::string value;
};

/// The parts of a mail, from the top. Both its text and its HTML consist of them.
struct mail_text {
  std::string subject;  ///< also the heading
  std::vector<std::string> paragraphs;
  std::vector<mail_fact> facts;
  std::string link;  ///< empty: no button
  std::string_view label;
  std::vector<std::string> closing;  ///< in small print
};

struct mail_addresses {
  std::string portal_url;  ///< without a trailing slash
  crypto::derived_keys invitation_key;  ///< signs invitations' links
};

/// mail_texts.cpp lists the values that each kind reads.
mail_text text_of_mail(const mail_content& what, const mail_addresses& known);

std::string mail_as_text(const mail_text& what);
std::string mail_as_html(const mail_text& what);

}  // namespace gateway::http
