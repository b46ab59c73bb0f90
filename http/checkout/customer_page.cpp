#include "customer_page.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "brand_style.hpp"
#include "customer_texts.hpp"
#include "gateway/domain/branding.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/fill.hpp"

namespace gateway::http {
namespace {

using ctemplate::TemplateDictionary;

struct error_words {
  page_error what;
  customer_text title;
  customer_text message;
};
constexpr error_words words_of_errors[] = {
    {page_error::incomplete_form, customer_text::incomplete_form, customer_text::incomplete_form_message},
    {page_error::doubtful_return, customer_text::doubtful_return, customer_text::doubtful_return_message},
    {page_error::stale_form, customer_text::stale_form, customer_text::stale_form_message},
    {page_error::unknown_page, customer_text::unknown_page, customer_text::unknown_page_message},
    {page_error::closed_page, customer_text::closed, customer_text::closed_message},
    {page_error::busy, customer_text::busy, customer_text::busy_message},
};

void show_languages(TemplateDictionary& values, const checkout_view& seen) {
  auto& list = *values.AddSectionDictionary("LANGUAGES");
  set(list, "LABEL", say(seen.reads, customer_text::languages_label));
  for (const auto& each : languages) {
    auto& item = *list.AddSectionDictionary("IN");
    set(item, "TAG", each.tag);
    set(item, "NAME", each.name);
    set(item, "DIRECTION", each.right_to_left ? "rtl" : "ltr");
    if (each.value == seen.reads) item.ShowSection("HERE");
  }
}

/// Each kind of link has its own part of the template, because ctemplate lets a value be an http or https address only.
void show_support(TemplateDictionary& values, const checkout_view& seen) {
  const auto& contact = seen.shop.support;
  const auto kind = kind_of_contact(contact);
  if (kind == contact_kind::none) return;
  auto& support = *values.AddSectionDictionary("SUPPORT");
  set(support, "QUESTION", say(seen.reads, customer_text::support));
  set(support, "CONTACT", contact);
  if (kind == contact_kind::website) set_if_any(support, "WEBSITE", "URL", contact);
  if (kind == contact_kind::telephone) set_if_any(support, "TELEPHONE", "DIGITS", dialled(contact));
  if (kind != contact_kind::email) return;
  auto& mail = *support.AddSectionDictionary("EMAIL");
  std::string_view host = contact;
  set(mail, "USER", cut_before(host, '@'));
  set(mail, "HOST", host);
}

void show_frame(TemplateDictionary& values, const checkout_view& seen) {
  const auto& reads = traits_of(seen.reads);
  set(values, "LANGUAGE", reads.tag);
  set(values, "DIRECTION", reads.right_to_left ? "rtl" : "ltr");
  if (!seen.shop.name.empty()) {
    auto& shop = *values.AddSectionDictionary("SHOP");
    set(shop, "MERCHANT", seen.shop.name);
    set_if_any(shop, "LOGO", "URL", seen.shop.logo_url);
  }
  show_support(values, seen);
  if (seen.offers_languages) show_languages(values, seen);
}

}  // namespace

checkout_view plain_view(const request& in) { return {language_of(in), {}, in.method == "GET"}; }

boost::asio::awaitable<checkout_view> view_for(call& c, merchant_id shop) {
  checkout_view seen;
  seen.reads = language_of(c.in);
  auto making = make_known(c.here, shop);
  co_await std::move(making);
  const auto who = c.here.shared.merchants.find_merchant(shop);
  if (!who) co_return seen;
  const auto& look = who->look;
  seen.shop.name = look.shop_name.empty() ? who->name : look.shop_name;
  seen.shop.colour = look.colour;
  seen.shop.support = look.support;
  // The file's hash gives each new logo a new address.
  if (!look.logo.empty())
    seen.shop.logo_url = c.here.shared.base_url + "/checkout/logo/" + shop.value + "?v=" + look.logo.substr(0, 16);
  co_return seen;
}

response customer_response(page_template which, TemplateDictionary& values, std::string_view title,
                           const checkout_view& seen, page_policy policy) {
  set(values, "TITLE", title);
  show_frame(values, seen);
  policy.style = page_styles::customers;
  policy.own_style = brand_style(seen.shop.colour);
  policy.images = !seen.shop.logo_url.empty();
  return page_response(render(which, values), policy);
}

response customer_notice_page(const customer_notice& what, const checkout_view& seen, const page_policy& policy) {
  TemplateDictionary values{"outcome"};
  set(values, "MESSAGE", what.message);
  if (what.good) values.ShowSection("GOOD");
  set_if_any(values, "PRICED", "AMOUNT", what.amount);
  set_if_any(values, "ADVISED", "ADVICE", what.advice);
  if (!what.url.empty()) {
    auto& onward = *values.AddSectionDictionary("ONWARD");
    set(onward, "URL", what.url);
    set(onward, "LABEL",
        seen.shop.name.empty() ? std::string{say(seen.reads, customer_text::back_to_shop)}
                               : say(seen.reads, customer_text::back_to_named_shop, {{"shop", seen.shop.name}}));
    if (!policy.frame_ancestors.empty()) onward.ShowSection("FRAMED");
  }
  return customer_response(page_template::outcome, values, what.title, seen, policy);
}

response customer_error(page_error what, const checkout_view& seen) {
  auto plain = error_page(what);
  const auto words = std::ranges::find(words_of_errors, what, &error_words::what);
  if (words == std::end(words_of_errors)) return plain;
  auto page = customer_notice_page(
      {std::string{say(seen.reads, words->title)}, std::string{say(seen.reads, words->message)}}, seen);
  page.status = plain.status;
  page.error_page = plain.error_page;
  add_retry_after(page);
  return page;
}

boost::asio::awaitable<response> show_logo(call& c) {
  const merchant_id id{std::string{c.path.merchant}};
  constexpr std::size_t longest_id = 64;
  if (id.value.size() > longest_id) co_return error_response(error_code::not_found);
  auto making = make_known(c.here, id);
  co_await std::move(making);
  const auto who = c.here.shared.merchants.find_merchant(id);
  if (!who || who->look.logo.empty()) co_return error_response(error_code::not_found);
  auto asking = ask(c.here, find_logo{id});
  auto found = co_await std::move(asking);
  if (!found) co_return error_response(code_of(found.error()));
  if (found->png.empty()) co_return error_response(error_code::not_found);
  response out;
  out.content_type = "image/png";
  out.body = std::move(found->png);
  // If the file is opened on its own, it may load nothing and run nothing.
  out.headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  out.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  co_return out;
}

}  // namespace gateway::http
