#include "views.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "http/codec/web_address.hpp"
#include "http/errors.hpp"
#include "http/html/fill.hpp"
#include "scope_words.hpp"

namespace gateway::http {
namespace {

using ctemplate::TemplateDictionary;

void show_user(TemplateDictionary& values, const page_user& user) {
  if (user.email.empty()) return;
  auto& section = *values.AddSectionDictionary("SIGNED_IN");
  set(section, "EMAIL", user.email);
  set(section, "SIGN_OUT", user.sign_out_url);
  set(section, "SIGN_OUT_CSRF", user.sign_out_csrf);
}

/// Marks a field and shows its fault beside it.
void show_fault(TemplateDictionary& values, const char* section, const char* name, std::string_view fault) {
  if (fault.empty()) return;
  values.ShowSection(section);
  set(values, name, fault);
}

void show_scopes(TemplateDictionary& values, const char* section, scope_set scopes) {
  if (scopes.bits == 0) return;
  auto& list = *values.AddSectionDictionary(section);
  for (const auto& row : scope_table) {
    if ((scopes.bits & static_cast<std::uint32_t>(row.value)) == 0) continue;
    auto& item = *list.AddSectionDictionary("SCOPE");
    set(item, "WORDS", row.title);
    set(item, "DETAIL", row.detail);
  }
}

std::string titles_of(scope_set scopes) {
  std::string text;
  for (const auto& row : scope_table)
    if (scopes.bits & static_cast<std::uint32_t>(row.value)) text.append(text.empty() ? "" : ", ").append(row.title);
  return text;
}

std::string note_on(const consent_choice& choice, scope_set asked) {
  if (!choice.may_consent) return "You only look at this merchant; an owner has to connect it.";
  if (choice.given.bits == 0) return {};
  if (choice.given == asked) return "The platform may do all of this already.";
  return "The platform may do this already: " + titles_of(choice.given) + ".";
}

void show_choices(TemplateDictionary& values, const consent_view& view) {
  auto& list = *values.AddSectionDictionary("CHOICES");
  show_fault(list, "CHOICE_FAULTY", "CHOICE_FAULT", view.choice_fault);
  for (const auto& choice : view.choices) {
    auto& item = *list.AddSectionDictionary("CHOICE");
    set(item, "MERCHANT_ID", choice.merchant_id);
    set(item, "MERCHANT", choice.name);
    if (!choice.may_consent) item.ShowSection("DISABLED");
    if (choice.may_consent && choice.merchant_id == view.chosen) item.ShowSection("CHECKED");
    set_if_any(item, "NOTED", "NOTE", note_on(choice, view.asked));
  }
}

std::string_view description_of(authorize_fault what) noexcept {
  switch (what) {
    case authorize_fault::client_id_missing: return "It does not say, once and clearly, which platform sent you here.";
    case authorize_fault::unknown_client: return "The platform that it names is not known here.";
    case authorize_fault::client_suspended: return "The platform that it names is suspended, and cannot be connected.";
    case authorize_fault::redirect_uri_missing:
      return "It does not say, once and clearly, where you would go afterwards.";
    case authorize_fault::redirect_uri_not_registered:
      return "The address that it would send you to afterwards is not one that the platform has registered.";
  }
  return {};
}

}  // namespace

// ---- signing in -----------------------------------------------------------------------------------

response sign_in_page(const sign_in_view& view, const page_policy& policy) {
  TemplateDictionary values{"sign_in"};
  set(values, "TITLE", "Sign in");
  set(values, "CSRF", view.csrf);
  set(values, "EMAIL_TYPED", view.email);
  set_if_any(values, "NOTICED", "NOTICE", view.notice);
  show_fault(values, "EMAIL_FAULTY", "EMAIL_FAULT", view.email_fault);
  show_fault(values, "PASSWORD_FAULTY", "PASSWORD_FAULT", view.password_fault);
  set_if_any(values, "FORGOTTEN", "FORGOTTEN_URL", view.forgotten_url);
  values.ShowSection(view.asks_code ? "SECOND_STEP" : "FIRST_STEP");
  show_fault(values, "CODE_FAULTY", "CODE_FAULT", view.code_fault);
  return page_response(render(page_template::sign_in, values), policy);
}

response forgotten_page(const forgotten_view& view) {
  TemplateDictionary values{"forgotten"};
  set(values, "TITLE", "Forgot your password?");
  set(values, "CSRF", view.csrf);
  set(values, "EMAIL_TYPED", view.email);
  set(values, "SIGN_IN_URL", view.sign_in_url);
  show_fault(values, "EMAIL_FAULTY", "EMAIL_FAULT", view.email_fault);
  return page_response(render(page_template::forgotten, values), {"'self'", {}});
}

response invitation_page(const invitation_view& view) {
  TemplateDictionary values{"invitation"};
  set(values, "TITLE", "Choose your password");
  set(values, "CSRF", view.csrf);
  set(values, "MERCHANT", view.merchant);
  set(values, "EMAIL_TYPED", view.email);
  show_fault(values, "PASSWORD_FAULTY", "PASSWORD_FAULT", view.password_fault);
  return page_response(render(page_template::invitation, values), {"'self'", {}});
}

// ---- consent --------------------------------------------------------------------------------------

response consent_page(const consent_view& view, const page_policy& policy) {
  const bool one = view.choices.size() == 1;
  const auto given = one ? view.choices.front().given : scope_set{};
  TemplateDictionary values{"consent"};
  set(values, "TITLE", view.platform + (given.bits ? " asks for more" : " asks to act for you"));
  set(values, "PLATFORM", view.platform);
  set(values, "ENVIRONMENT", view.env == environment::live ? "Live: real payments" : "Test");
  if (view.env == environment::test) values.ShowSection("TEST");
  set(values, "NEW_TITLE", given.bits ? "It asks for this in addition" : "It will be able to do this");
  set(values, "CSRF", view.csrf);
  set(values, "DESTINATION", view.destination);
  show_scopes(values, "NEW_SCOPES", without(view.asked, given));
  show_scopes(values, "GIVEN_SCOPES", given);
  if (one) {
    set_if_any(values, "ONE_MERCHANT", "MERCHANT", view.choices.front().name);
    set_if_any(values, "MERCHANT_ID_FIXED", "MERCHANT_ID", view.choices.front().merchant_id);
  } else {
    show_choices(values, view);
  }
  show_user(values, view.user);
  return page_response(render(page_template::consent, values), policy);
}

std::string shown_origin(std::string_view redirect_uri) {
  auto origin = origin_of(redirect_uri);
  return origin.empty() ? std::string{redirect_uri} : origin;
}

// ---- other pages ----------------------------------------------------------------------------------

response buttons_page(const buttons_view& view, const page_policy& policy) {
  TemplateDictionary values{"buttons"};
  set(values, "TITLE", view.title);
  set(values, "MESSAGE", view.message);
  if (view.is_status) values.ShowSection("IS_STATUS");
  set_if_any(values, "TEST", "BADGE", view.badge);
  set_if_any(values, "OVER", "EYEBROW", view.eyebrow);
  if (!view.facts.empty()) {
    auto& facts = *values.AddSectionDictionary("FACTS");
    for (const auto& fact : view.facts) {
      auto& item = *facts.AddSectionDictionary("FACT");
      set(item, "NAME", fact.name);
      set(item, "VALUE", fact.value);
    }
  }
  if (!view.csrf.empty()) {
    auto& form = *values.AddSectionDictionary("FORM");
    set(form, "CSRF", view.csrf);
    if (!view.providers.empty()) {
      auto& list = *form.AddSectionDictionary("PROVIDERS");
      show_fault(list, "CHOICE_FAULTY", "CHOICE_FAULT", view.choice_fault);
      for (const auto& provider : view.providers) {
        auto& item = *list.AddSectionDictionary("CHOICE");
        set(item, "PROVIDER", provider.value);
        set(item, "NAME", provider.name);
        set(item, "STATUS", provider.status);
        if (view.providers.size() == 1) item.ShowSection("CHECKED");
      }
    }
    for (const auto& button : view.buttons) {
      auto& item = *form.AddSectionDictionary("BUTTON");
      set(item, "ACTION", button.action);
      set(item, "LABEL", button.label);
      if (button.primary) item.ShowSection("PRIMARY");
    }
  }
  show_user(values, view.user);
  return page_response(render(page_template::buttons, values), policy);
}

response with_status(page_error what, response page) {
  page.status = row_of(what).status;
  return page;
}

response authorize_fault_page(authorize_fault what) {
  std::string message{description_of(what)};
  message += " Nothing was sent to anybody. Go back to the platform, and begin again from there.";
  return with_status(page_error::authorize_link, notice_page(row_of(page_error::authorize_link).title, message));
}

}  // namespace gateway::http
