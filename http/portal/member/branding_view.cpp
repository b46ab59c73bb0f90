#include "branding_view.hpp"

#include <utility>

#include "gateway/domain/branding.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

act_form branding_form(const branding_view& view) {
  auto form = act_form_of(view.frame, "branding");
  form.inputs.push_back({input_kind::text,
                         "name",
                         "Shop name",
                         "What customers know you as. Empty: " + view.frame.merchant + ".",
                         view.shop_name,
                         {},
                         most_shop_name});
  form.inputs.push_back(
      {input_kind::text,
       "colour",
       "Colour",
       "Of the main buttons, as # and six hexadecimal digits, such as #2350c8. It has to stand out on "
       "white; on a dark page it is made lighter.",
       view.colour,
       {},
       7});
  form.inputs.push_back({input_kind::text,
                         "support",
                         "Support contact",
                         "An e-mail address, a telephone number, or an address that begins with https://.",
                         view.support,
                         {},
                         most_support});
  form.inputs.push_back(
      {input_kind::picture,
       "logo",
       "Logo",
       "A PNG file of at most 64 KiB and 1024 by 1024 pixels. Without a file the logo stays as it is.",
       {{}, view.logo_fault},
       {}});
  form.buttons.push_back({"save", "Save", true});
  return form;
}

facts branding_facts(const branding_view& view) {
  facts shown;
  add_fact(shown, "Shop name", view.shop_name.value.empty() ? view.frame.merchant : view.shop_name.value);
  add_fact(shown, "Colour", view.colour.value);
  add_fact(shown, "Support contact", view.support.value);
  return shown;
}

}  // namespace

response branding_page(const branding_view& view) {
  member_page page;
  page.title = "Branding";
  const bool acts = may_act(view.frame);
  section look{"look", "What customers see", {}};
  look.blocks.push_back(
      paragraph{{"Your shop's name, colour and logo stand on the pages where customers pay, in test and in live."}});
  if (acts)
    look.blocks.push_back(branding_form(view));
  else
    look.blocks.push_back(branding_facts(view));
  page.sections.push_back(std::move(look));
  if (!view.logo_url.empty()) {
    section logo{"logo", "Your logo", {paragraph{{link{"Look at the logo", view.logo_url}}}}};
    if (acts) {
      auto removal = act_form_of(view.frame, "remove-logo");
      removal.buttons.push_back({"remove-logo", "Remove the logo", false});
      logo.blocks.push_back(std::move(removal));
    }
    page.sections.push_back(std::move(logo));
  }
  return member_response(view.frame, page);
}

}  // namespace gateway::http
