// Errors that are shown as pages.
#pragma once

#include <string_view>

namespace gateway::http {

enum class page_error : unsigned char {
  incomplete_form,  ///< of a payment page
  doubtful_return,  ///< a return from a provider's page lacks the provider's signature
  malformed_form,  ///< of any other page
  authorize_link,  ///< the message names the fault
  stale_form,  ///< of a payment page
  forged_form,  ///< of any other page
  not_an_owner,
  not_permitted,  ///< by the operator's role on the console
  nothing_here,  ///< no such page of the portal, or not this member's
  unknown_page,  ///< of a payment
  unknown_document,  ///< of /docs
  unknown_address,  ///< of the whole gateway
  closed_page,  ///< of a payment
  unusable_link,  ///< an invitation or a setup link that is used, expired or forged
  closed_onboarding,
  silent_provider,  ///< an account could not be opened: the provider does not answer
  refused_form,  ///< the form is shown again
  slowed_down,
  wrong_method,  ///< of an address of the portal
  internal_error,  ///< of a page of the portal
  busy,
  recovering,  ///< the database lacks writes that were answered
  unknown_outcome,  ///< of a form that moves money, if its page cannot be shown again
  too_many_requests,  ///< from one address
};

struct page_error_row {
  page_error what;
  int status;
  std::string_view title;
  std::string_view message;
};
const page_error_row& row_of(page_error what) noexcept;

}  // namespace gateway::http
