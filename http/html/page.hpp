// HTML pages: embedded templates, values escaped for their context, one strict policy.
#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"
#include "page_errors.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

enum class page_template : unsigned char {
  checkout,
  wallet,
  outcome,
  notice,
  document,
  sign_in,
  forgotten,
  invitation,
  consent,
  buttons,
  member,
  console
};

std::string render(page_template which, const ctemplate::TemplateDictionary& values);

/// style.css, and customer.css for customers' pages.
enum class page_styles : unsigned char { people, customers };

/// What a page may do beyond showing itself; nothing by default.
struct page_policy {
  std::string form_targets{};     ///< CSP sources for form-action, including redirects after the post
  std::string frame_ancestors{};  ///< CSP sources of pages that may embed this one
  page_styles style = page_styles::people;
  std::string own_style{};  ///< CSS that this page alone has, made by the gateway; may be empty
  bool images = false;      ///< whether it shows pictures of this site
  bool scripts = false;     ///< whether it runs scripts of this site: the documents alone do
};

std::string content_security_policy(const page_policy& policy);

/// An HTML answer under status 200, with the headers that every page has.
response page_response(std::string body, const page_policy& policy = {});

/// A link to continue.
struct page_link {
  std::string_view address;  ///< absolute URL; empty: no link
  std::string_view label;
};

/// A page with one message and status 200: a result.
response notice_page(std::string_view title, std::string_view message, const page_policy& policy = {},
                     const page_link& onward = {});
/// The same for an error, with the status and the text in the table of page errors.
response error_page(page_error what);
/// Adds a link to an error's page.
void add_way_on(response& page, const page_link& onward);

}  // namespace gateway::http
