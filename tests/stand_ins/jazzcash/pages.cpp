#include "pages.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <set>

#include "tests/stand_ins/common/text.hpp"

namespace gateway::jazzcash_stand_in {

using stand_in::escaped;

namespace {

constexpr std::string_view page_prefix = "/wallet/";

bool is_alphanumeric(const std::string& text, std::size_t most, bool blanks = false) {
  return text.size() <= most &&
         std::ranges::all_of(text, [&](unsigned char c) { return std::isalnum(c) != 0 || (blanks && c == ' '); });
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 13 && text[0] != '0' && text.find_first_not_of("0123456789") == text.npos;
}

const std::set<std::string> documented{
    "pp_Version",     "pp_TxnType",     "pp_Language",      "pp_MerchantID",  "pp_SubMerchantID",
    "pp_Password",    "pp_BankID",      "pp_ProductID",     "pp_TxnRefNo",    "pp_Amount",
    "pp_TxnCurrency", "pp_TxnDateTime", "pp_BillReference", "pp_Description", "pp_TxnExpiryDateTime",
    "pp_ReturnURL",   "pp_SecureHash",  "ppmpf_1",          "ppmpf_2",        "ppmpf_3",
    "ppmpf_4",        "ppmpf_5"};

/// The response codes of the page's buttons.
const std::map<std::string, std::string> outcomes{{"pay", "121"},  {"decline", "060"}, {"pin", "024"},
                                                  {"low", "004"},  {"cancel", "112"},  {"fault", "199"},
                                                  {"leave", "157"}};
/// After these the page takes another try.
const std::set<std::string> repeatable{"024", "004"};

std::string message_of(const std::string& code) {
  return code == "121" || code == "000" ? "Thank you for Using JazzCash, your transaction was successful."
                                        : "Sorry! Your transaction was not successful. Please try again later.";
}

std::string status_of(const std::string& code) {
  if (code == "121") return "Completed";
  return code == "157" ? "Pending" : "Failed";
}

/// Whether it has no outcome yet.
bool is_open(const transaction& one) { return one.code.empty() || one.code == "157"; }

bool has_expired(const transaction& one) {
  return read_pakistan_time(value_of(one.form, "pp_TxnExpiryDateTime")).value_or(now()) < now();
}

std::string page(const std::string& inside) {
  return "<!DOCTYPE html><html lang=\"en\"><head><title>Wallet</title></head><body>" + inside + "</body></html>";
}

answer refused(const std::string& why) {
  return answer_of(400, "text/html; charset=utf-8", page("<p>" + escaped(why) + "</p>"));
}

std::string button(const std::string& name) {
  return "<button type=\"submit\" name=\"action\" value=\"" + name + "\">" + name + "</button>";
}

}  // namespace

std::string pages::fault_of(const fields& form) const {
  const auto is = [&](const char* name, const std::string& wanted) { return value_of(form, name) == wanted; };
  for (const auto& [name, value] : form)
    if (!documented.contains(name)) return "there is no field " + name;
  for (const auto& name : documented)
    if (!form.contains(name)) return name + " is missing";
  if (!is("pp_SecureHash", hash_of(form, who_.salt))) return "pp_SecureHash";
  if (!is("pp_MerchantID", who_.id) || !is("pp_Password", who_.password)) return "the merchant's credentials";
  if (!is("pp_Version", "1.1") || !is("pp_TxnType", "MWALLET") || !is("pp_Language", "EN") ||
      !is("pp_TxnCurrency", "PKR"))
    return "a fixed value";
  for (const char* name : {"pp_SubMerchantID", "pp_BankID", "pp_ProductID"})
    if (!is(name, "")) return std::string{name} + " is to be empty";
  for (const char* name : {"pp_TxnRefNo", "pp_BillReference"})
    if (is(name, "") || !is_alphanumeric(value_of(form, name), 20)) return name;
  if (!is_number(value_of(form, "pp_Amount"))) return "pp_Amount";
  if (is("pp_Description", "") || !is_alphanumeric(value_of(form, "pp_Description"), 200, true))
    return "pp_Description";
  for (const char* name : {"ppmpf_1", "ppmpf_2", "ppmpf_3", "ppmpf_4", "ppmpf_5"})
    if (!is_alphanumeric(value_of(form, name), 255)) return name;
  const auto back = value_of(form, "pp_ReturnURL");
  if (!back.starts_with("https://") || back.size() > 200) return "pp_ReturnURL";
  const auto made = read_pakistan_time(value_of(form, "pp_TxnDateTime"));
  const auto ends = read_pakistan_time(value_of(form, "pp_TxnExpiryDateTime"));
  using namespace std::chrono;
  if (!made || *made > now() + minutes{5} || *made < now() - hours{1}) return "pp_TxnDateTime";
  if (!ends || *ends < *made || *ends > *made + days{90}) return "pp_TxnExpiryDateTime";
  if (*ends < now()) return "116 the transaction has expired";
  return {};
}

answer pages::serve(const request& asked) {
  if (asked.method != "POST") return answer_of(405, "text/plain", "POST");
  if (asked.path == form_path) return take_form(asked);
  if (asked.path.starts_with(page_prefix)) return act(asked.path.substr(page_prefix.size()), asked);
  return answer_of(404, "text/plain", "there is no such page");
}

answer pages::take_form(const request& asked) {
  const auto form = read_form(asked.body);
  if (!form) return refused("it is no form");
  if (const auto fault = fault_of(*form); !fault.empty()) return refused(fault);
  const auto ref = value_of(*form, "pp_TxnRefNo");
  if (all_.find(ref)) return refused("110 pp_TxnRefNo is not unique");
  all_.open(ref, *form);
  std::string buttons;
  for (const auto& [name, code] : outcomes) buttons += button(name);
  return answer_of(200, "text/html; charset=utf-8",
                   page("<p>" + escaped(value_of(*form, "pp_Amount")) + " paisa</p><form method=\"post\" action=\"" +
                        std::string{page_prefix} + ref + "\">" + buttons + "</form>"));
}

void pages::expire(const std::string& ref) {
  const auto& one = *all_.find(ref);
  if (is_open(one) && has_expired(one)) all_.end(ref, "116");
}

answer pages::act(const std::string& ref, const request& asked) {
  const auto* one = all_.find(ref);
  const auto pressed = outcomes.find(value_of(read_form(asked.body).value_or(fields{}), "action"));
  if (!one || pressed == outcomes.end()) return refused("there is no such transaction, or no such button");
  expire(ref);
  if (is_open(*one) || (repeatable.contains(one->code) && !has_expired(*one))) all_.end(ref, pressed->second);
  return way_back(ref);
}

/// Returns the browser by a form that the customer submits with a button; JazzCash's page uses a script.
answer pages::way_back(const std::string& ref) {
  const auto& one = *all_.find(ref);
  fields back;
  for (const char* name : {"pp_Version", "pp_TxnType", "pp_Language", "pp_MerchantID", "pp_SubMerchantID",
                           "pp_TxnRefNo", "pp_Amount", "pp_TxnCurrency", "pp_TxnDateTime", "pp_BillReference",
                           "pp_BankID", "ppmpf_1", "ppmpf_2", "ppmpf_3", "ppmpf_4", "ppmpf_5"})
    back[name] = value_of(one.form, name);
  back["pp_ResponseCode"] = one.code == "121" ? "000" : one.code;
  back["pp_ResponseMessage"] = message_of(one.code);
  back["pp_RetreivalReferenceNo"] = one.number;
  back["pp_AuthCode"] = "";
  back["pp_SettlementExpiry"] = "";
  std::string form = "<form method=\"post\" action=\"" + escaped(value_of(one.form, "pp_ReturnURL")) + "\">";
  for (const auto& [name, value] : hashed(back, who_.salt))
    form += "<input type=\"hidden\" name=\"" + name + "\" value=\"" + escaped(value) + "\">";
  return answer_of(200, "text/html; charset=utf-8", page(form + button("return") + "</form>"));
}

/// The fields of the documented example, none of which is specific to the merchant.
std::optional<fields> pages::notification_of(const std::string& ref) const {
  const auto* one = all_.find(ref);
  if (!one || one->code.empty()) return std::nullopt;
  return hashed({{"pp_Version", "2.0"},
                 {"pp_TxnType", "MWALLET"},
                 {"pp_BankID", ""},
                 {"pp_ProductID", ""},
                 {"pp_Password", who_.password},
                 {"pp_TxnRefNo", ref},
                 {"pp_TxnDateTime", value_of(one->form, "pp_TxnDateTime")},
                 {"pp_ResponseCode", one->code},
                 {"pp_ResponseMessage", message_of(one->code)},
                 {"pp_AuthCode", ""},
                 {"pp_SettlementExpiry", ""},
                 {"pp_RetreivalReferenceNo", one->number}},
                who_.salt);
}

fields pages::inquire(const request& asked) {
  const auto* type = asked.header("Content-Type");
  const auto question = type && *type == "application/json" ? read_json(asked.body) : std::nullopt;
  const std::set<std::string> wanted{"pp_TxnRefNo", "pp_MerchantID", "pp_Password", "pp_SecureHash"};
  const bool whole = question && question->size() == wanted.size() &&
                     std::ranges::all_of(*question, [&](const auto& each) { return wanted.contains(each.first); });
  if (!whole) return {{"pp_ResponseCode", "110"}, {"pp_ResponseMessage", "Invalid value."}};
  if (value_of(*question, "pp_SecureHash") != hash_of(*question, who_.salt))
    return {{"pp_ResponseCode", "115"}, {"pp_ResponseMessage", "Invalid hash received."}};
  if (value_of(*question, "pp_MerchantID") != who_.id || value_of(*question, "pp_Password") != who_.password)
    return {{"pp_ResponseCode", "101"}, {"pp_ResponseMessage", "Invalid merchant credentials."}};
  const auto ref = value_of(*question, "pp_TxnRefNo");
  const auto* one = all_.find(ref);
  if (!one) return {{"pp_ResponseCode", "109"}, {"pp_ResponseMessage", "Transaction does not exist"}};
  expire(ref);
  const auto code = one->code.empty() ? "157" : one->code;
  return {{"pp_ResponseCode", "000"},
          {"pp_ResponseMessage", "Thank you for using JazzCash. Your operation was processed successfully."},
          {"pp_PaymentResponseCode", code},
          {"pp_PaymentResponseMessage", message_of(code)},
          {"pp_Status", status_of(code)},
          {"pp_MerchantID", who_.id},
          {"pp_RetrievalReferenceNo", one->number},
          {"pp_TxnRefNo", ref},
          {"pp_TxnType", "MWALLET"},
          {"pp_Amount", value_of(one->form, "pp_Amount")},
          {"pp_TxnDateTime", value_of(one->form, "pp_TxnDateTime")},
          {"pp_BillReference", value_of(one->form, "pp_BillReference")},
          {"pp_SettlementDate", ""},
          {"pp_AuthCode", ""}};
}

}  // namespace gateway::jazzcash_stand_in
