// Payments as callers see them: results of operations, the payment itself, its timeline, the data of its events. A
// payment with a hidden provider shows neither the provider's name nor its references, and its errors are neutral.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/domain/payment.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway {
struct disputes_lookup;
struct timeline_view;
}  // namespace gateway

namespace gateway::http {

class json_object;

/// Encodes the results of the payment actors.
std::unique_ptr<payment_encoder> make_payment_encoder(std::string base_url);

/// The body of GET /v1/payment_intents/{payment_id}.
/// `whole`: with its customer and its metadata, which platforms that did not make the payment may not see.
std::string encode_payment(const payment& subject, bool whole);
/// The members of that body.
void append_payment(json_object& body, const payment& subject, bool whole);
/// The body of GET /v1/payment_intents/{payment_id}/timeline.
std::string encode_timeline(const timeline_view& view);

/// The body of GET /v1/payment_intents/{payment_id}/refunds.
std::string encode_refunds(const payment& subject);
/// One object of the payment's `refunds`, or of its `disputes`.
void append_refund(std::string& out, const payment& subject, const refund& one);
void append_dispute(std::string& out, const payment& subject, const dispute& one);
/// The body of GET /v1/disputes. `next`: the cursor of the next page; empty on the last page.
std::string encode_disputes(const disputes_lookup& page, std::string_view next);
/// The dispute of that id, or null.
const dispute* find_dispute(const payment& of, std::string_view dispute_id);

/// A member of that name; nothing if there is no metadata.
void append_metadata(json_object& to, std::string_view name, const metadata_map& metadata);
/// An `error` object.
void append_error(std::string& out, const provider_error& error);
/// A provider's error without anything that identifies the provider.
provider_error neutral_error(const provider_error& native);

}  // namespace gateway::http
