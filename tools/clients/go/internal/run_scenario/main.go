// Command run_scenario runs the steps that are given on standard input, and prints the result or the error of each: see
// tests/clients/.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log"
	"os"
	"reflect"
	"strings"
	"time"

	gateway "gateway.example/client"
)

type step struct {
	Do     string          `json:"do"`
	Path   []string        `json:"path"`
	Body   json.RawMessage `json:"body"`
	Query  query           `json:"query"`
	Key    string          `json:"key"`
	Take   int             `json:"take"`
	Method string          `json:"method"`
	Target string          `json:"target"`
}

type query struct {
	State    string    `json:"state"`
	Currency string    `json:"currency"`
	Types    string    `json:"types"`
	After    string    `json:"after"`
	Limit    int       `json:"limit"`
	Wait     int       `json:"wait"`
	From     time.Time `json:"from"`
}

func (q query) page() gateway.Page { return gateway.Page{Limit: q.Limit, After: q.After} }

func (q query) events() gateway.EventFilter {
	filter := gateway.EventFilter{Page: q.page(), From: q.From}
	if q.Types != "" {
		filter.Types = strings.Split(q.Types, ",")
	}
	return filter
}

func (q query) following() gateway.FollowOptions {
	return gateway.FollowOptions{EventFilter: q.events(), Wait: time.Duration(q.Wait) * time.Second}
}

// as reads the body of a step into the type that an operation takes.
func as[Body any](s step) Body {
	var body Body
	if len(s.Body) > 0 {
		if err := json.Unmarshal(s.Body, &body); err != nil {
			log.Fatal(err)
		}
	}
	return body
}

// taken collects the entries of a list.
func taken[Item any](s step, items iter.Seq2[Item, error]) (any, error) {
	all := []Item{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		if all = append(all, item); len(all) == s.Take {
			break
		}
	}
	return all, nil
}

func (s step) options() []gateway.WriteOption {
	if s.Key == "" {
		return nil
	}
	return []gateway.WriteOption{gateway.WithIdempotencyKey(s.Key)}
}

func call(ctx context.Context, c *gateway.Client, s step) (any, error) {
	id := append(s.Path, "")[0]
	switch s.Do {
	case "call":
		var answer any
		err := c.Call(ctx, s.Method, s.Target, nil, &answer)
		return answer, err
	case "createPayment":
		return c.CreatePayment(ctx, as[gateway.CreatePayment](s), s.options()...)
	case "getPayment":
		return c.GetPayment(ctx, id)
	case "getPaymentTimeline":
		return c.GetPaymentTimeline(ctx, id)
	case "listRefunds":
		return c.ListRefunds(ctx, id)
	case "capturePayment":
		return c.CapturePayment(ctx, id, as[gateway.CapturePayment](s), s.options()...)
	case "refundPayment":
		return c.RefundPayment(ctx, id, as[gateway.RefundPayment](s), s.options()...)
	case "voidPayment":
		return c.VoidPayment(ctx, id, as[gateway.VoidPayment](s), s.options()...)
	case "cancelPayment":
		return c.CancelPayment(ctx, id, as[gateway.CancelPayment](s), s.options()...)
	case "waitForPayment":
		return c.WaitForPayment(ctx, id)
	case "getDispute":
		return c.GetDispute(ctx, id)
	case "chargeSavedMethod":
		return c.ChargeSavedMethod(ctx, as[gateway.ChargeSavedMethod](s), s.options()...)
	case "getCustomerByRef":
		return c.GetCustomerByRef(ctx, id)
	case "createSubscriptionCheckout":
		return c.CreateSubscriptionCheckout(ctx, as[gateway.CreateSubscriptionCheckout](s), s.options()...)
	case "getSubscription":
		return c.GetSubscription(ctx, id)
	case "cancelSubscription":
		return c.CancelSubscription(ctx, id, s.options()...)
	case "exchangeConnectToken":
		return c.ExchangeConnectToken(ctx, as[gateway.ExchangeConnectToken](s), s.options()...)
	case "revokeGrant":
		return nil, c.RevokeGrant(ctx, id, as[gateway.RevokeGrant](s), s.options()...)
	case "revokePlatformKey":
		return nil, c.RevokePlatformKey(ctx, id, s.options()...)
	}
	return list(ctx, c, s, id)
}

func list(ctx context.Context, c *gateway.Client, s step, id string) (any, error) {
	switch s.Do {
	case "listPayments":
		filter := gateway.PaymentFilter{Page: s.Query.page(), Currency: s.Query.Currency}
		if s.Query.State != "" {
			filter.States = []gateway.PaymentState{gateway.PaymentState(s.Query.State)}
		}
		return taken(s, c.ListPayments(ctx, filter))
	case "listDisputes":
		return taken(s, c.ListDisputes(ctx, gateway.DisputeFilter{Page: s.Query.page()}))
	case "listCustomers":
		return taken(s, c.ListCustomers(ctx, gateway.CustomerFilter{Page: s.Query.page()}))
	case "listSubscriptions":
		return taken(s, c.ListSubscriptions(ctx, gateway.SubscriptionFilter{Page: s.Query.page()}))
	case "getEvent":
		return c.GetEvent(ctx, id)
	case "listEventTypes":
		return c.ListEventTypes(ctx)
	case "listEvents":
		return taken(s, c.ListEvents(ctx, s.Query.events()))
	case "followEvents":
		return taken(s, c.FollowEvents(ctx, s.Query.following()))
	case "followEventPages":
		return taken(s, c.FollowEventPages(ctx, s.Query.following()))
	}
	log.Fatalf("there is no %s", s.Do)
	return nil, nil
}

func described(err error) map[string]any {
	kind := strings.TrimSuffix(reflect.TypeOf(err).Elem().Name(), "Error")
	told := map[string]any{"kind": strings.Replace(kind, "API", "Api", 1), "text": err.Error()}
	var none *gateway.NoAnswerError
	if errors.As(err, &none) {
		told["idempotency_key"] = none.IdempotencyKey
	}
	var refused *gateway.APIError
	if errors.As(err, &refused) {
		fields := []string{}
		for _, each := range refused.Fields {
			fields = append(fields, each.Name)
		}
		told["status"], told["code"], told["docs_url"], told["request_id"] = refused.Status, refused.Code, refused.DocsURL, refused.RequestID
		told["retry_after"], told["fields"], told["idempotency_key"] = refused.RetryAfter.Seconds(), fields, refused.IdempotencyKey
	}
	var setup *gateway.NotChargeCapableError
	if errors.As(err, &setup) {
		told["setup_url"] = setup.Setup().URL
	}
	return told
}

func main() {
	var given struct {
		Steps   []step `json:"steps"`
		Options struct {
			Timeout  float64 `json:"timeout"`
			Attempts int     `json:"attempts"`
		} `json:"options"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		log.Fatal(err)
	}
	client, err := gateway.FromEnvironment(gateway.Config{
		Timeout: time.Duration(given.Options.Timeout * float64(time.Second)), Attempts: given.Options.Attempts,
	})
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, each := range given.Steps {
		result, err := call(context.Background(), client, each)
		line := map[string]any{"result": result}
		if err != nil {
			line = map[string]any{"error": described(err)}
		}
		if err := out.Encode(line); err != nil {
			log.Fatal(err)
		}
	}
}
