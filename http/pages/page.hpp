// HTML pages: templates embedded, every value escaped for the place it stands in, one strict policy.
#pragma once

#include <string>
#include <string_view>

#include "http/errors.hpp"
#include "http/message.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

enum class page_template : unsigned char {
  checkout,
  wallet,
  notice,
  document,
  sign_in,
  invitation,
  consent,
  buttons,
  member,
  console
};

std::string render(page_template which, const ctemplate::TemplateDictionary& values);

/// What a page may do beyond showing itself. Empty: nothing.
struct page_policy {
  std::string form_targets;     ///< CSP sources for form-action, redirects after the post included
  std::string frame_ancestors;  ///< CSP sources of pages that may embed this one
};

std::string content_security_policy(const page_policy& policy);

/// An HTML answer under status 200, with the headers that every page has.
response page_response(std::string body, const page_policy& policy = {});

/// Where a page leads on.
struct page_link {
  std::string_view address;  ///< absolute URL; empty: nowhere
  std::string_view label;
};

/// A page that says one thing, under status 200: a result.
response notice_page(std::string_view title, std::string_view message, const page_policy& policy = {},
                     const page_link& onward = {});
/// The same for what went wrong, with the status and the text of the table of errors.
response error_page(page_error what);

}  // namespace gateway::http
