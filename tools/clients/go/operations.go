package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

var errEmptyID = errors.New("gateway: an id is empty")

// path puts an escaped id between the two parts of a path.
func path(before, id, after string) (string, error) {
	if id == "" {
		return "", errEmptyID
	}
	return before + url.PathEscape(id) + after, nil
}

func get[Answer any](ctx context.Context, c *Client, before, id, after, about string) (*Answer, error) {
	target, err := path(before, id, after)
	if err != nil {
		return nil, err
	}
	answer := new(Answer)
	if err = c.read(ctx, target, about, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

func post[Answer any](ctx context.Context, c *Client, r request, body any, options []WriteOption) (*Answer, error) {
	r.method = http.MethodPost
	answer := new(Answer)
	if err := c.write(ctx, r, body, answer, options); err != nil {
		return nil, err
	}
	return answer, nil
}

func act[Answer any](ctx context.Context, c *Client, id, operation string, body any, options []WriteOption) (*Answer, error) {
	target, err := path("/v1/payment_intents/", id, operation)
	if err != nil {
		return nil, err
	}
	return post[Answer](ctx, c, request{target: target, about: id}, body, options)
}

// CreatePayment creates a payment, and usually charges it. A declined payment is a result: its state is PaymentStateFailed.
func (c *Client) CreatePayment(ctx context.Context, payment CreatePayment, options ...WriteOption) (*PaymentResult, error) {
	r := request{target: "/v1/payment_intents", about: payment.PaymentID}
	return post[PaymentResult](ctx, c, r, payment, options)
}

// GetPayment reads a payment.
func (c *Client) GetPayment(ctx context.Context, paymentID string) (*Payment, error) {
	return get[Payment](ctx, c, "/v1/payment_intents/", paymentID, "", paymentID)
}

// GetPaymentTimeline reads what happened to a payment, oldest first.
func (c *Client) GetPaymentTimeline(ctx context.Context, paymentID string) (*Timeline, error) {
	return get[Timeline](ctx, c, "/v1/payment_intents/", paymentID, "/timeline", paymentID)
}

// ListRefunds reads the refunds of a payment.
func (c *Client) ListRefunds(ctx context.Context, paymentID string) (*Refunds, error) {
	return get[Refunds](ctx, c, "/v1/payment_intents/", paymentID, "/refunds", "")
}

// CapturePayment takes the authorized money, or an amount of it.
func (c *Client) CapturePayment(ctx context.Context, paymentID string, capture CapturePayment, options ...WriteOption) (*CaptureResult, error) {
	return act[CaptureResult](ctx, c, paymentID, "/capture", capture, options)
}

// RefundPayment refunds an amount, or what remains. Each intended refund has a key of its own; its repeats have the same.
func (c *Client) RefundPayment(ctx context.Context, paymentID string, refund RefundPayment, options ...WriteOption) (*RefundResult, error) {
	return act[RefundResult](ctx, c, paymentID, "/refund", refund, options)
}

// VoidPayment releases the authorized money.
func (c *Client) VoidPayment(ctx context.Context, paymentID string, void VoidPayment, options ...WriteOption) (*PaymentResult, error) {
	return act[PaymentResult](ctx, c, paymentID, "/void", void, options)
}

// CancelPayment ends a payment that the customer has not paid yet.
func (c *Client) CancelPayment(ctx context.Context, paymentID string, cancel CancelPayment, options ...WriteOption) (*PaymentResult, error) {
	return act[PaymentResult](ctx, c, paymentID, "/cancel", cancel, options)
}

// WaitForPayment reads a payment until it is no longer created or processing, or ctx is done: then it returns the payment as it
// was read last, and the context's error. For payments whose outcome is unknown (OutcomeUnknownError).
func (c *Client) WaitForPayment(ctx context.Context, paymentID string) (*Payment, error) {
	for tries := 0; ; tries++ {
		payment, err := c.GetPayment(ctx, paymentID)
		if err != nil || (payment.State != PaymentStateCreated && payment.State != PaymentStateProcessing) {
			return payment, err
		}
		if err := pause(ctx, pauseAfter(tries)); err != nil {
			return payment, err
		}
	}
}

// GetDispute reads a dispute.
func (c *Client) GetDispute(ctx context.Context, disputeID string) (*Dispute, error) {
	return get[Dispute](ctx, c, "/v1/disputes/", disputeID, "", "")
}

// ChargeSavedMethod charges a saved payment method, for a platform's key. A declined charge is a result: its status is `failed`.
func (c *Client) ChargeSavedMethod(ctx context.Context, charge ChargeSavedMethod, options ...WriteOption) (*ChargeResult, error) {
	return post[ChargeResult](ctx, c, request{target: "/v1/charges/saved", about: charge.PaymentID}, charge, options)
}

// GetCustomerByRef reads a customer by the platform's own name for it.
func (c *Client) GetCustomerByRef(ctx context.Context, customerRef string) (*Customer, error) {
	answer := new(Customer)
	if err := c.read(ctx, withQuery("/v1/customers/by_ref", url.Values{"ref": {customerRef}}), "", answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// CreateSubscriptionCheckout opens a hosted page on which the customer subscribes.
func (c *Client) CreateSubscriptionCheckout(ctx context.Context, checkout CreateSubscriptionCheckout, options ...WriteOption) (*SubscriptionCheckout, error) {
	return post[SubscriptionCheckout](ctx, c, request{target: "/v1/subscription_checkouts"}, checkout, options)
}

// GetSubscription reads a subscription.
func (c *Client) GetSubscription(ctx context.Context, subscriptionID string) (*Subscription, error) {
	return get[Subscription](ctx, c, "/v1/subscriptions/", subscriptionID, "", "")
}

// CancelSubscription ends a subscription at once.
func (c *Client) CancelSubscription(ctx context.Context, subscriptionID string, options ...WriteOption) (*SubscriptionCancel, error) {
	target, err := path("/v1/subscriptions/", subscriptionID, "")
	if err != nil {
		return nil, err
	}
	answer := new(SubscriptionCancel)
	if err = c.write(ctx, request{method: http.MethodDelete, target: target}, nil, answer, options); err != nil {
		return nil, err
	}
	return answer, nil
}

// ExchangeConnectToken exchanges the code of the consent screen for the merchant's id and the grant's.
func (c *Client) ExchangeConnectToken(ctx context.Context, token ExchangeConnectToken, options ...WriteOption) (*GrantedAccess, error) {
	return post[GrantedAccess](ctx, c, request{target: "/v1/public/connect/token", alone: true}, token, options)
}

// RevokeGrant ends a platform's access to a merchant.
func (c *Client) RevokeGrant(ctx context.Context, grantID string, revoke RevokeGrant, options ...WriteOption) error {
	target, err := path("/v1/grants/", grantID, "/revoke")
	if err != nil {
		return err
	}
	return c.write(ctx, request{method: http.MethodPost, target: target, alone: true}, revoke, nil, options)
}

// RevokePlatformKey ends a key of the platform.
func (c *Client) RevokePlatformKey(ctx context.Context, keyID string, options ...WriteOption) error {
	target, err := path("/v1/platform_keys/", keyID, "/revoke")
	if err != nil {
		return err
	}
	return c.write(ctx, request{method: http.MethodPost, target: target, alone: true}, nil, nil, options)
}

// GetEvent reads an event.
func (c *Client) GetEvent(ctx context.Context, eventID string) (*Event, error) {
	return get[Event](ctx, c, "/v1/events/", eventID, "", "")
}

// ListEventTypes reads the types of events.
func (c *Client) ListEventTypes(ctx context.Context) ([]EventType, error) {
	var answer struct {
		EventTypes []EventType `json:"event_types"`
	}
	err := c.read(ctx, "/v1/event_types", "", &answer)
	return answer.EventTypes, err
}

func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
