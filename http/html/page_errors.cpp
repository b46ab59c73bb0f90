#include "page_errors.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace gateway::http {
namespace {

constexpr auto page_errors = std::to_array<page_error_row>({
    {page_error::incomplete_form, 400, "The form is not complete",
     "Please go back, reload the payment page and try again."},
    {page_error::doubtful_return, 400, "This page cannot be shown",
     "What your browser brought does not come from the wallet. Nothing was changed: the shop receives the outcome of "
     "the "
     "payment."},
    {page_error::malformed_form, 400, "The form is not complete",
     "Please go back, reload the page and try again. Nothing was changed."},
    {page_error::authorize_link, 400, "This link cannot be followed", ""},
    {page_error::stale_form, 403, "Please open the payment page again",
     "This form does not belong to your browser's session. Go back, reload the payment page and try again."},
    {page_error::forged_form, 403, "Please open the page again",
     "This form does not belong to your browser's session, or is too old. Go back, reload the page and try again. "
     "Nothing was changed."},
    {page_error::not_an_owner, 403, "Only an owner can do this",
     "Your account may not do this. Ask an owner, or sign in with another account: a link is for the owner it was made "
     "for."},
    {page_error::not_permitted, 403, "Your role does not permit this",
     "Nothing was changed. Go back, and ask an operator whose role permits it."},
    {page_error::nothing_here, 404, "Page not found",
     "There is nothing at this address for the account that you are signed in with."},
    {page_error::unknown_page, 404, "Page not found",
     "This payment page does not exist. Please return to the shop and try again."},
    {page_error::unknown_document, 404, "Page not found", "The documentation has no such page. It begins at /docs."},
    {page_error::unknown_address, 404, "Page not found",
     "There is nothing at this address. The gateway's documentation says what it offers."},
    {page_error::closed_page, 410, "This page is no longer open",
     "The payment does not wait for you any more: it was completed, declined or cancelled, or has expired."},
    {page_error::unusable_link, 410, "This link cannot be used",
     "It was used before, has expired, or was not made here. Ask the sender for a new one."},
    {page_error::closed_onboarding, 410, "This page is no longer open",
     "The connection was finished or given up, or the page has expired."},
    {page_error::wrong_method, 405, "This cannot be done here",
     "The address is one of the portal's, but not for what your browser asked of it. Nothing was changed."},
    {page_error::refused_form, 422, "", ""},
    {page_error::slowed_down, 429, "", ""},
    {page_error::internal_error, 500, "Something went wrong",
     "The gateway made a mistake, and has recorded it. Look whether your change was made before you repeat it."},
    {page_error::silent_provider, 503, "The payment provider did not answer",
     "Your account there could not be opened. Go back and try again in a few minutes. If this goes on, inform the "
     "operator "
     "of this gateway."},
    {page_error::busy, 503, "One moment, please",
     "The payment service is busy. Please reload this page in a few seconds."},
    {page_error::recovering, 503, "Not possible at the moment",
     "The payment service is being restored after a fault. Nothing was changed. Please try again later."},
    {page_error::unknown_outcome, 503, "The outcome is not known",
     "It is not known whether this was done. Please reload this page in a few seconds, and let your browser send the "
     "form again. That is safe: it repeats the same request, and moves the money once at most."},
    {page_error::too_many_requests, 429, "One moment, please",
     "Too many requests have come from your network. Please wait a few seconds and load this page again."},
});

}  // namespace

const page_error_row& row_of(page_error what) noexcept {
  const auto at = std::ranges::find(page_errors, what, &page_error_row::what);
  assert(at != page_errors.end());
  return *at;
}

}  // namespace gateway::http
