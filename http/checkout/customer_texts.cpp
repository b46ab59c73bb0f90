#include "customer_texts.hpp"

#include <array>

namespace gateway::http {
namespace {

struct customer_text_row {
  customer_text what;
  std::array<std::string_view, language_count> in;
};

constexpr auto customer_text_count = static_cast<std::size_t>(customer_text::count);

// English, Chinese (traditional), Urdu.
constexpr std::array<customer_text_row, customer_text_count> customer_texts{{
    {customer_text::languages_label, {"Language", "語言", "زبان"}},
    {customer_text::sandbox_badge,
     {"Sandbox: no money moves", "測試環境：不會動用真實款項", "آزمائشی ماحول: کوئی رقم منتقل نہیں ہوتی"}},
    {customer_text::complete_payment, {"Complete your payment", "完成付款", "اپنی ادائیگی مکمل کریں"}},
    {customer_text::confirm_payment, {"Confirm your payment", "確認付款", "اپنی ادائیگی کی تصدیق کریں"}},
    {customer_text::confirm_subscription, {"Confirm your subscription", "確認訂閱", "اپنی سبسکرپشن کی تصدیق کریں"}},
    {customer_text::pay_with_wallet, {"Pay with your wallet", "使用電子錢包付款", "اپنے والٹ سے ادائیگی کریں"}},
    {customer_text::pay, {"Pay", "付款", "ادا کریں"}},
    {customer_text::decline, {"Decline", "拒絕", "مسترد کریں"}},
    {customer_text::approve, {"Approve", "核准", "منظور کریں"}},
    {customer_text::fail, {"Fail", "驗證失敗", "ناکام کریں"}},
    {customer_text::cancel, {"Cancel", "取消", "منسوخ کریں"}},
    {customer_text::subscribe, {"Subscribe", "訂閱", "سبسکرائب کریں"}},
    {customer_text::start_trial, {"Start the free trial", "開始免費試用", "مفت آزمائش شروع کریں"}},
    {customer_text::go_to_wallet, {"Continue to the wallet", "前往電子錢包", "والٹ پر جائیں"}},
    {customer_text::quick_heading, {"Choose the outcome", "選擇測試結果", "نتیجہ منتخب کریں"}},
    {customer_text::quick_hint,
     {"This is a test. Each button acts at once, without a card.", "這是測試。按下按鈕即可得到結果，無需卡片。",
      "یہ ایک آزمائش ہے۔ ہر بٹن کارڈ کے بغیر فوراً کام کرتا ہے۔"}},
    {customer_text::card_heading, {"Or pay with a test card", "或使用測試卡付款", "یا آزمائشی کارڈ سے ادائیگی کریں"}},
    {customer_text::card_warning,
     {"Only the test numbers below work. Do not enter a real card.", "只接受下列測試卡號。請勿輸入真實卡號。",
      "صرف نیچے دیے گئے آزمائشی نمبر کام کرتے ہیں۔ اصلی کارڈ درج نہ کریں۔"}},
    {customer_text::card_number, {"Card number", "卡號", "کارڈ نمبر"}},
    {customer_text::card_expiry, {"Expiry date (MM/YY)", "有效期限（月/年）", "میعاد کی تاریخ (مہینہ/سال)"}},
    {customer_text::card_cvc, {"Security code (CVC)", "安全碼（CVC）", "سیکیورٹی کوڈ (CVC)"}},
    {customer_text::pay_amount, {"Pay {amount}", "付款 {amount}", "{amount} ادا کریں"}},
    {customer_text::test_cards, {"Test card numbers", "測試卡號", "آزمائشی کارڈ نمبر"}},
    {customer_text::outcome_approved, {"is approved", "核准", "منظور ہوتا ہے"}},
    {customer_text::outcome_declined, {"is declined", "遭拒絕", "مسترد ہوتا ہے"}},
    {customer_text::outcome_insufficient_funds, {"has insufficient funds", "餘額不足", "رقم ناکافی ہے"}},
    {customer_text::outcome_expired_card, {"has expired", "已過期", "میعاد ختم ہو چکی ہے"}},
    {customer_text::outcome_incorrect_cvc, {"has a wrong security code", "安全碼不符", "سیکیورٹی کوڈ مختلف ہے"}},
    {customer_text::outcome_processing_error, {"cannot be processed", "處理時發生錯誤", "کارروائی نہیں ہو سکتی"}},
    {customer_text::check_card,
     {"You have not paid. Please correct the card's details.", "尚未付款。請更正卡片資料。",
      "ادائیگی نہیں ہوئی۔ براہ کرم کارڈ کی تفصیلات درست کریں۔"}},
    {customer_text::number_missing, {"Enter the card number.", "請輸入卡號。", "کارڈ نمبر درج کریں۔"}},
    {customer_text::number_not_for_tests,
     {"This is not a test card. Use one of the numbers below.", "這不是測試卡。請使用下列卡號。",
      "یہ آزمائشی کارڈ نہیں ہے۔ نیچے دیے گئے نمبروں میں سے کوئی استعمال کریں۔"}},
    {customer_text::expiry_malformed,
     {"Write month and year, such as 08/30.", "請輸入月份及年份，例如 08/30。", "مہینہ اور سال لکھیں، مثلاً 08/30۔"}},
    {customer_text::expiry_past, {"This date is in the past.", "此日期已過。", "یہ تاریخ گزر چکی ہے۔"}},
    {customer_text::cvc_malformed,
     {"Enter three digits, such as 123.", "請輸入三位數字，例如 123。", "تین ہندسے درج کریں، مثلاً 123۔"}},
    {customer_text::card_declined,
     {"The card was declined. Nothing was charged; try another card.", "此卡遭拒絕，並未扣款。請改用其他卡片。",
      "کارڈ مسترد ہو گیا۔ کوئی رقم وصول نہیں ہوئی؛ دوسرا کارڈ آزمائیں۔"}},
    {customer_text::insufficient_funds,
     {"The card has insufficient funds. Nothing was charged; try another card.",
      "此卡餘額不足，並未扣款。請改用其他卡片。",
      "کارڈ میں رقم ناکافی ہے۔ کوئی رقم وصول نہیں ہوئی؛ دوسرا کارڈ آزمائیں۔"}},
    {customer_text::expired_card,
     {"The card has expired. Nothing was charged; try another card.", "此卡已過期，並未扣款。請改用其他卡片。",
      "کارڈ کی میعاد ختم ہو چکی ہے۔ کوئی رقم وصول نہیں ہوئی؛ دوسرا کارڈ آزمائیں۔"}},
    {customer_text::incorrect_cvc,
     {"The security code is not the card's. Nothing was charged; check it and try again.",
      "安全碼不正確，並未扣款。請檢查後再試。",
      "سیکیورٹی کوڈ درست نہیں۔ کوئی رقم وصول نہیں ہوئی؛ جانچ کر دوبارہ کوشش کریں۔"}},
    {customer_text::processing_error,
     {"The card could not be processed. Nothing was charged; try again.", "無法處理此卡，並未扣款。請再試一次。",
      "کارڈ پر کارروائی نہ ہو سکی۔ کوئی رقم وصول نہیں ہوئی؛ دوبارہ کوشش کریں۔"}},
    {customer_text::every_day, {"every day", "每日", "ہر روز"}},
    {customer_text::every_week, {"every week", "每週", "ہر ہفتے"}},
    {customer_text::every_month, {"every month", "每月", "ہر مہینے"}},
    {customer_text::every_year, {"every year", "每年", "ہر سال"}},
    {customer_text::every_days, {"every {count} days", "每 {count} 日", "ہر {count} دن بعد"}},
    {customer_text::every_weeks, {"every {count} weeks", "每 {count} 週", "ہر {count} ہفتے بعد"}},
    {customer_text::every_months, {"every {count} months", "每 {count} 個月", "ہر {count} مہینے بعد"}},
    {customer_text::every_years, {"every {count} years", "每 {count} 年", "ہر {count} سال بعد"}},
    {customer_text::after_free_day, {"{period}, after 1 free day", "{period}，首日免費", "{period}، 1 مفت دن کے بعد"}},
    {customer_text::after_free_days,
     {"{period}, after {count} free days", "{period}，首 {count} 日免費", "{period}، {count} مفت دنوں کے بعد"}},
    {customer_text::support, {"Questions about this payment?", "對此付款有疑問？", "اس ادائیگی کے بارے میں سوالات؟"}},
    {customer_text::the_shop, {"the shop", "商店", "دکان"}},
    {customer_text::back_to_shop, {"Return to the shop", "返回商店", "دکان پر واپس جائیں"}},
    {customer_text::back_to_named_shop, {"Return to {shop}", "返回 {shop}", "{shop} پر واپس جائیں"}},
    {customer_text::approved, {"Payment approved", "付款成功", "ادائیگی منظور ہو گئی"}},
    {customer_text::was_paid,
     {"Thank you. You have paid {amount} to {shop}.", "謝謝。您已向 {shop} 支付 {amount}。",
      "شکریہ۔ آپ نے {shop} کو {amount} ادا کر دیے ہیں۔"}},
    {customer_text::was_authorized,
     {"Thank you. Your payment of {amount} to {shop} is approved.", "謝謝。您向 {shop} 支付的 {amount} 已獲核准。",
      "شکریہ۔ {shop} کو {amount} کی آپ کی ادائیگی منظور ہو گئی ہے۔"}},
    {customer_text::close_page,
     {"You can close this page and return to the shop.", "您可以關閉此頁面並返回商店。",
      "آپ یہ صفحہ بند کر کے دکان پر واپس جا سکتے ہیں۔"}},
    {customer_text::was_refunded_title, {"Payment refunded", "已退款", "ادائیگی واپس کر دی گئی"}},
    {customer_text::was_refunded,
     {"{shop} has refunded your payment of {amount}.", "{shop} 已退還您支付的 {amount}。",
      "{shop} نے {amount} کی آپ کی ادائیگی واپس کر دی ہے۔"}},
    {customer_text::was_voided_title, {"Payment released", "付款已撤銷", "ادائیگی منسوخ کر دی گئی"}},
    {customer_text::was_voided,
     {"Your payment of {amount} to {shop} was released. Nothing was charged.",
      "您向 {shop} 支付的 {amount} 已撤銷，並未扣款。",
      "{shop} کو {amount} کی آپ کی ادائیگی منسوخ کر دی گئی۔ کوئی رقم وصول نہیں ہوئی۔"}},
    {customer_text::declined, {"Payment declined", "付款遭拒絕", "ادائیگی مسترد ہو گئی"}},
    {customer_text::was_declined,
     {"Your payment of {amount} to {shop} was declined. Nothing was charged.",
      "您向 {shop} 支付的 {amount} 遭拒絕，並未扣款。",
      "{shop} کو {amount} کی آپ کی ادائیگی مسترد ہو گئی۔ کوئی رقم وصول نہیں ہوئی۔"}},
    {customer_text::try_again_at_shop,
     {"To try again, return to the shop and pay there once more.", "如要再試，請返回商店重新付款。",
      "دوبارہ کوشش کے لیے دکان پر واپس جائیں اور پھر سے ادائیگی کریں۔"}},
    {customer_text::expired, {"This page has expired", "此頁面已過期", "اس صفحے کی میعاد ختم ہو گئی"}},
    {customer_text::has_expired,
     {"The payment of {amount} to {shop} was not made in time. Nothing was charged.",
      "未在時限內向 {shop} 支付 {amount}，並未扣款。",
      "{shop} کو {amount} کی ادائیگی وقت پر نہیں ہوئی۔ کوئی رقم وصول نہیں ہوئی۔"}},
    {customer_text::closed, {"This page is no longer open", "此頁面已關閉", "یہ صفحہ اب کھلا نہیں ہے"}},
    {customer_text::was_cancelled,
     {"{shop} has cancelled the payment of {amount}. Nothing was charged.", "{shop} 已取消 {amount} 的付款，並未扣款。",
      "{shop} نے {amount} کی ادائیگی منسوخ کر دی ہے۔ کوئی رقم وصول نہیں ہوئی۔"}},
    {customer_text::subscribed, {"You have subscribed", "您已完成訂閱", "آپ سبسکرائب کر چکے ہیں"}},
    {customer_text::has_subscribed,
     {"Thank you. Nothing more is needed on this page.", "謝謝。此頁面無需再作任何操作。",
      "شکریہ۔ اس صفحے پر مزید کچھ کرنے کی ضرورت نہیں۔"}},
    {customer_text::subscription_closed,
     {"The subscription does not wait for you any more: it was cancelled, or this page has expired.",
      "此訂閱已取消，或此頁面已過期。",
      "یہ سبسکرپشن اب آپ کی منتظر نہیں: یہ منسوخ ہو چکی ہے، یا اس صفحے کی میعاد ختم ہو گئی ہے۔"}},
    {customer_text::not_paid, {"Not paid", "尚未付款", "ادائیگی نہیں ہوئی"}},
    {customer_text::still_open,
     {"The payment is still open. You can close this page.", "付款仍未完成。您可以關閉此頁面。",
      "ادائیگی ابھی باقی ہے۔ آپ یہ صفحہ بند کر سکتے ہیں۔"}},
    {customer_text::try_failed, {"The payment was not made", "付款未成功", "ادائیگی نہیں ہو سکی"}},
    {customer_text::wallet_try_failed,
     {"The wallet did not take the payment, and nothing was paid. You can go back to the wallet's page and try again, "
      "or "
      "return to the shop.",
      "電子錢包未能完成付款，並未扣款。您可以返回電子錢包頁面再試，或返回商店。",
      "والٹ نے ادائیگی قبول نہیں کی اور کچھ ادا نہیں ہوا۔ آپ والٹ کے صفحے پر واپس جا کر دوبارہ کوشش کر سکتے ہیں، یا "
      "دکان پر "
      "واپس جا سکتے ہیں۔"}},
    {customer_text::being_confirmed,
     {"Your payment is being confirmed", "正在確認您的付款", "آپ کی ادائیگی کی تصدیق ہو رہی ہے"}},
    {customer_text::wallet_confirms,
     {"The wallet has not confirmed it yet, which can take some minutes. Please do not pay again: the shop is informed "
      "as "
      "soon as it is known.",
      "電子錢包尚未確認付款，可能需要幾分鐘。請勿重複付款：有結果後會立即通知商店。",
      "والٹ نے ابھی تصدیق نہیں کی، اس میں چند منٹ لگ سکتے ہیں۔ براہ کرم دوبارہ ادائیگی نہ کریں: نتیجہ معلوم ہوتے ہی "
      "دکان کو "
      "اطلاع دی جاتی ہے۔"}},
    {customer_text::bank_answered, {"Your bank has answered", "您的銀行已回覆", "آپ کے بینک نے جواب دے دیا ہے"}},
    {customer_text::bank_tells_shop,
     {"You can close this page. The shop receives the outcome of the payment.",
      "您可以關閉此頁面。商店會收到付款結果。", "آپ یہ صفحہ بند کر سکتے ہیں۔ دکان کو ادائیگی کا نتیجہ مل جاتا ہے۔"}},
    {customer_text::incomplete_form, {"The form is not complete", "表格未填妥", "فارم مکمل نہیں ہے"}},
    {customer_text::incomplete_form_message,
     {"Please go back, reload the payment page and try again.", "請返回上一頁，重新載入付款頁面後再試。",
      "براہ کرم واپس جائیں، ادائیگی کا صفحہ دوبارہ لوڈ کریں اور پھر کوشش کریں۔"}},
    {customer_text::doubtful_return, {"This page cannot be shown", "無法顯示此頁面", "یہ صفحہ نہیں دکھایا جا سکتا"}},
    {customer_text::doubtful_return_message,
     {"What your browser brought does not come from the wallet. Nothing was changed: the shop receives the outcome of "
      "the "
      "payment.",
      "瀏覽器傳來的資料並非來自電子錢包。沒有任何變更：商店會收到付款結果。",
      "آپ کے براؤزر کا بھیجا ہوا ڈیٹا والٹ کا نہیں ہے۔ کچھ تبدیل نہیں ہوا: دکان کو ادائیگی کا نتیجہ مل جاتا ہے۔"}},
    {customer_text::stale_form,
     {"Please open the payment page again", "請重新開啟付款頁面", "براہ کرم ادائیگی کا صفحہ دوبارہ کھولیں"}},
    {customer_text::stale_form_message,
     {"This form does not belong to your browser's session. Go back, reload the payment page and try again.",
      "此表格不屬於您目前的瀏覽階段。請返回上一頁，重新載入付款頁面後再試。",
      "یہ فارم آپ کے براؤزر کے سیشن کا نہیں ہے۔ واپس جائیں، ادائیگی کا صفحہ دوبارہ لوڈ کریں اور پھر کوشش کریں۔"}},
    {customer_text::unknown_page, {"Page not found", "找不到頁面", "صفحہ نہیں ملا"}},
    {customer_text::unknown_page_message,
     {"This payment page does not exist. Please return to the shop and try again.",
      "此付款頁面不存在。請返回商店再試。",
      "ادائیگی کا یہ صفحہ موجود نہیں۔ براہ کرم دکان پر واپس جائیں اور دوبارہ کوشش کریں۔"}},
    {customer_text::closed_message,
     {"The payment does not wait for you any more: it was completed, declined or cancelled, or has expired.",
      "此付款已完成、遭拒絕、已取消或已過期，不再需要您處理。",
      "یہ ادائیگی اب آپ کی منتظر نہیں: یہ مکمل، مسترد یا منسوخ ہو چکی ہے، یا اس کی میعاد ختم ہو گئی ہے۔"}},
    {customer_text::busy, {"One moment, please", "請稍候", "براہ کرم ذرا انتظار کریں"}},
    {customer_text::busy_message,
     {"The payment service is busy. Please reload this page in a few seconds.",
      "付款服務繁忙。請於數秒後重新載入此頁面。",
      "ادائیگی کی سروس مصروف ہے۔ براہ کرم چند سیکنڈ بعد یہ صفحہ دوبارہ لوڈ کریں۔"}},
}};

static_assert(
    [] {
      for (std::size_t i = 0; i < customer_text_count; ++i) {
        if (customer_texts[i].what != static_cast<customer_text>(i)) return false;
        for (const auto words : customer_texts[i].in)
          if (words.empty()) return false;
      }
      return true;
    }(),
    "each text stands at its place, in every language");

}  // namespace

std::string_view say(language in, customer_text what) noexcept {
  return customer_texts[static_cast<std::size_t>(what)].in[static_cast<std::size_t>(in)];
}

std::string say(language in, customer_text what, std::initializer_list<text_slot> parts) {
  std::string made;
  auto rest = say(in, what);
  while (!rest.empty()) {
    const auto open = rest.find('{');
    const auto close = rest.find('}', open);
    made += rest.substr(0, open);
    if (open == rest.npos || close == rest.npos) break;
    const auto name = rest.substr(open + 1, close - open - 1);
    for (const auto& part : parts)
      if (part.name == name) made += part.value;
    rest.remove_prefix(close + 1);
  }
  return made;
}

}  // namespace gateway::http
