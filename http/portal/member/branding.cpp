#include <utility>

#include "branding_view.hpp"
#include "gateway/domain/branding.hpp"
#include "gateway/domain/text.hpp"
#include "handlers.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
namespace {

branding_view branding_screen(const call& c) {
  const auto& who = *c.visit->who;
  branding_view view;
  view.frame = frame_of(c, member_place::branding);
  view.shop_name.value = who.look.shop_name;
  view.colour.value = who.look.colour;
  view.support.value = who.look.support;
  if (!who.look.logo.empty())
    view.logo_url = c.here.shared.base_url + "/checkout/logo/" + who.id.value + "?v=" + who.look.logo.substr(0, 16);
  return view;
}

std::string trimmed_field(const call& c, std::string_view name) {
  return std::string{trimmed(c.visit->sent.text(name))};
}

boost::asio::awaitable<response> change_branding(call& c, set_branding wanted, std::string_view verb) {
  auto changing = change(c, std::move(wanted), note_of(c, "change branding", c.visit->who->id.value));
  auto made = co_await std::move(changing);
  if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
  if (!std::holds_alternative<named_result>(std::get<operator_result>(made))) co_return error_page(page_error::busy);
  co_return redirect_after_success(c, verb);
}

boost::asio::awaitable<response> save_branding_here(call& c) {
  auto view = branding_screen(c);
  const auto take = [&](field& into, std::string_view name, auto find_fault) {
    into.value = trimmed_field(c, name);
    into.fault = find_fault(into.value).value_or(std::string{});
    return into.fault.empty();
  };
  bool fits = take(view.shop_name, "name", fault_of_shop_name);
  fits = take(view.colour, "colour", fault_of_colour) && fits;
  fits = take(view.support, "support", fault_of_support) && fits;
  set_branding wanted{c.visit->who->id, view.shop_name.value, view.colour.value, view.support.value};
  if (auto file = c.visit->sent.text("logo"); !file.empty()) {
    view.logo_fault = fault_of_logo(file).value_or(std::string{});
    wanted.logo = std::move(file);
  }
  if (!fits || !view.logo_fault.empty()) co_return refused_form(branding_page(view));
  auto changing = change_branding(c, std::move(wanted), "save-branding");
  co_return co_await std::move(changing);
}

}  // namespace

boost::asio::awaitable<response> show_branding(call& c) { co_return branding_page(branding_screen(c)); }

boost::asio::awaitable<response> act_on_branding(call& c) {
  const auto action = c.visit->sent.text("action");
  if (action == "save") return save_branding_here(c);
  if (action != "remove-logo") return unknown_action();
  set_branding wanted{c.visit->who->id};
  wanted.logo = std::string{};
  return change_branding(c, std::move(wanted), "remove-logo");
}

}  // namespace gateway::http
