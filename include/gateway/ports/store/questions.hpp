// All questions to the store's readers, in one list. The reply to a question is the answer that it names, or a
// caf::error of actor_errc::store_unavailable.
#pragma once

#include <type_traits>
#include <variant>

#include "gateway/base/compiled_once.hpp"
#include "gateway/ports/store/audit_questions.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "gateway/ports/store/entity_questions.hpp"
#include "gateway/ports/store/erasure_questions.hpp"
#include "gateway/ports/store/event_log_questions.hpp"
#include "gateway/ports/store/event_questions.hpp"
#include "gateway/ports/store/ledger_questions.hpp"
#include "gateway/ports/store/mail_questions.hpp"
#include "gateway/ports/store/master_key_rows.hpp"
#include "gateway/ports/store/operator_questions.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "gateway/ports/store/people_questions.hpp"
#include "gateway/ports/store/search_questions.hpp"

namespace gateway {

/// A new question is added here. The messages of the readers, ask() of http/call/ask.hpp and the readers of the tests
/// come from this list; `run()` in persistence/tables/queries.hpp answers it.
using store_questions = std::variant<
    find_entity, find_command, find_timeline, find_due, find_directory, find_directory_updates, find_due_deliveries,
    find_backlog, find_deliveries, count_deliveries, find_events, find_grant, find_grants, find_customers,
    find_customer_keys, find_subscription_keys, find_subscriptions, find_user, find_session, find_destinations,
    find_payments, find_payments_by_ref, find_daily_totals, find_ledger_sums, find_ledger, find_sessions, find_audit,
    find_notifications, find_payment_key, find_spent_token, find_invitations, find_disputes, find_customers_of_platform,
    find_subscriptions_of_platform, find_payments_of_merchants, find_unknown_payments, find_event_lists,
    find_sandbox_events, find_destination_health, find_waiting_deliveries, count_payments, find_merchants, find_people,
    find_payments_everywhere, find_events_by_id, find_requests, find_logged_events, find_event_news, find_logo,
    find_master_keys, find_sealed, find_due_mail, find_mail, find_password_link, find_operator, find_operators,
    find_audit_entries, find_audit_chain, find_audit_heads, find_purged_payment, find_personal_texts>;

/// The answers to a list of questions, each type once.
template <class Found, class... More>
struct answers_once {
  using type = Found;
};
template <class... Found, class Next, class... More>
struct answers_once<std::variant<Found...>, Next, More...>
    : answers_once<std::conditional_t<(std::is_same_v<Found, typename Next::answer> || ...), std::variant<Found...>,
                                      std::variant<Found..., typename Next::answer>>,
                   More...> {};
template <class Questions>
struct answers_to;
template <class First, class... More>
struct answers_to<std::variant<First, More...>> : answers_once<std::variant<typename First::answer>, More...> {};

struct store_question : compiled_once<store_questions> {
  using compiled_once::compiled_once;
};
struct store_answer : compiled_once<answers_to<store_questions>::type> {
  using compiled_once::compiled_once;
};

}  // namespace gateway
