package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Page says how a list is read.
type Page struct {
	Limit int    // the size of a page; 100 if it is zero
	After string // the `next` of an earlier page
}

// PaymentFilter chooses payments.
type PaymentFilter struct {
	Page
	States      []PaymentState
	Currency    string
	CreatedFrom time.Time // included
	CreatedTo   time.Time // not included
	CustomerRef string
	ProviderRef string
}

// DisputeFilter chooses disputes.
type DisputeFilter struct {
	Page
	Status    DisputeStatus
	PaymentID string
}

// CustomerFilter chooses customers.
type CustomerFilter struct {
	Page
	CustomerRef string
}

// SubscriptionFilter chooses subscriptions.
type SubscriptionFilter struct {
	Page
	Status      SubscriptionStatus
	CustomerRef string
}

// EventFilter says where to begin, and which events. Without After and From it begins at the oldest event that is kept.
type EventFilter struct {
	Page
	From  time.Time
	Types []string
}

// FollowOptions say where to begin and how to follow. After "end" begins now.
type FollowOptions struct {
	EventFilter
	Wait time.Duration // how long the gateway waits for an event, in whole seconds; 30 s if it is zero, which is the most
}

// EventPage has events, oldest first, and where to go on.
type EventPage struct {
	Events []Event `json:"events"`
	Next   string  `json:"next"`
}

// EventType is a type of events, and the JSON Schema of its data.
type EventType struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// ListPayments reads payments, newest first, a page when it is needed. An error ends the iteration.
func (c *Client) ListPayments(ctx context.Context, filter PaymentFilter) iter.Seq2[Payment, error] {
	states := make([]string, len(filter.States))
	for i, each := range filter.States {
		states[i] = string(each)
	}
	query := url.Values{"state": {strings.Join(states, ",")}, "currency": {filter.Currency}, "created_from": {moment(filter.CreatedFrom)},
		"created_to": {moment(filter.CreatedTo)}, "customer_ref": {filter.CustomerRef}, "provider_ref": {filter.ProviderRef}}
	return list(ctx, c, "/v1/payment_intents", query, filter.Page, func(page PaymentList) ([]Payment, string) {
		return page.Payments, page.Next
	})
}

// ListDisputes reads disputes, newest first.
func (c *Client) ListDisputes(ctx context.Context, filter DisputeFilter) iter.Seq2[Dispute, error] {
	query := url.Values{"status": {string(filter.Status)}, "payment_id": {filter.PaymentID}}
	return list(ctx, c, "/v1/disputes", query, filter.Page, func(page DisputeList) ([]Dispute, string) {
		return page.Disputes, page.Next
	})
}

// ListCustomers reads a platform's customers, newest first.
func (c *Client) ListCustomers(ctx context.Context, filter CustomerFilter) iter.Seq2[ListedCustomer, error] {
	query := url.Values{"customer_ref": {filter.CustomerRef}}
	return list(ctx, c, "/v1/customers", query, filter.Page, func(page CustomerList) ([]ListedCustomer, string) {
		return page.Customers, page.Next
	})
}

// ListSubscriptions reads a platform's subscriptions, newest first.
func (c *Client) ListSubscriptions(ctx context.Context, filter SubscriptionFilter) iter.Seq2[Subscription, error] {
	query := url.Values{"status": {string(filter.Status)}, "customer_ref": {filter.CustomerRef}}
	return list(ctx, c, "/v1/subscriptions", query, filter.Page, func(page SubscriptionList) ([]Subscription, string) {
		return page.Subscriptions, page.Next
	})
}

// ListEvents reads the events that there are, oldest first.
func (c *Client) ListEvents(ctx context.Context, filter EventFilter) iter.Seq2[Event, error] {
	query := url.Values{"from": {moment(filter.From)}, "types": {strings.Join(filter.Types, ",")}}
	return list(ctx, c, "/v1/events", query, filter.Page, func(page EventPage) ([]Event, string) {
		return page.Events, page.Next
	})
}

// list reads page after page. parts returns the entries of a page and its `next`.
func list[Item, Answer any](
	ctx context.Context, c *Client, path string, query url.Values, page Page, parts func(Answer) ([]Item, string),
) iter.Seq2[Item, error] {
	if page.Limit == 0 {
		page.Limit = 100
	}
	return func(yield func(Item, error) bool) {
		for after := page.After; ; {
			each := url.Values{"limit": {strconv.Itoa(page.Limit)}, "after": {after}}
			for name, values := range query {
				if after == "" || name != "from" { // a cursor includes the position
					each[name] = values
				}
			}
			var answer Answer
			if err := c.read(ctx, withQuery(path, each), "", &answer); err != nil {
				yield(*new(Item), err)
				return
			}
			items, next := parts(answer)
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			// The list of events always has a `next`: an empty page is its end.
			if next == "" || len(items) == 0 {
				return
			}
			after = next
		}
	}
}

// FollowEventPages yields pages of events until ctx is done, also while the gateway restarts. Each committed event is in one page.
//
// Store Next together with the results of the page's events, and begin there, as After, the next time. A page is empty when no
// event came for the wait. A CursorExpiredError ends it if the events at that point are no longer kept; the end of ctx ends it
// without an error.
func (c *Client) FollowEventPages(ctx context.Context, options FollowOptions) iter.Seq2[EventPage, error] {
	if options.Limit == 0 {
		options.Limit = 100
	}
	if options.Wait == 0 {
		options.Wait = 30 * time.Second
	}
	with := func(query url.Values) string {
		query.Set("limit", strconv.Itoa(options.Limit))
		query.Set("types", strings.Join(options.Types, ","))
		return withQuery("/v1/events", query)
	}
	return func(yield func(EventPage, error) bool) {
		// The first page is asked for without a wait: its `next` fixes the place of `end` before an event can be missed.
		var page EventPage
		begin := with(url.Values{"after": {options.After}, "from": {moment(options.From)}})
		if err := c.read(ctx, begin, "", &page); err != nil {
			if ctx.Err() == nil {
				yield(EventPage{}, err)
			}
			return
		}
		for yield(page, nil) {
			asked := time.Now()
			target := with(url.Values{"after": {page.Next}, "wait": {strconv.Itoa(int(options.Wait / time.Second))}})
			next, err := c.eventPage(ctx, target, options.Wait)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(EventPage{}, err)
				return
			}
			page = next
			if len(page.Events) == 0 && time.Since(asked) < time.Second && pause(ctx, time.Second) != nil {
				return
			}
		}
	}
}

// FollowEvents yields the events of FollowEventPages. To go on after a restart, follow the pages and store Next.
func (c *Client) FollowEvents(ctx context.Context, options FollowOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for page, err := range c.FollowEventPages(ctx, options) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, event := range page.Events {
				if !yield(event, nil) {
					return
				}
			}
		}
	}
}

// eventPage repeats for as long as it takes. Only the gateway's own refusal ends it, or the end of ctx.
func (c *Client) eventPage(ctx context.Context, target string, wait time.Duration) (EventPage, error) {
	r := request{method: http.MethodGet, target: target, timeout: wait + 15*time.Second}
	for tries := 0; ; tries++ {
		var page EventPage
		err := c.attempt(ctx, r, &page)
		if err == nil {
			return page, nil
		}
		var asked time.Duration
		var refused *APIError
		var broken brokenExchange
		switch {
		case errors.As(err, &refused):
			if refused.Status < 500 && refused.Status != http.StatusRequestTimeout && refused.Status != http.StatusTooManyRequests {
				return page, err
			}
			asked = min(refused.RetryAfter, longestRetryAfter)
		case errors.As(err, &broken) && !isUntrusted(broken):
		default:
			return page, &NoAnswerError{"", "GET /v1/events", err}
		}
		if err := pause(ctx, max(pauseAfter(tries), asked)); err != nil {
			return page, err
		}
	}
}
