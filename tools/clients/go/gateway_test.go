package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// The scenarios in tests/clients/ test how requests are repeated.

type signed struct{ Name, Method, Target, Timestamp, Body, Signature string }

type webhook struct {
	Name, Header, Body, Secret string
	Now                        int64
	Tolerance                  int
	Valid                      bool
}

func vectors(t *testing.T) (found struct {
	Secret             string
	Requests, Rejected []signed
	Webhooks           []webhook
}) {
	t.Helper()
	text, err := os.ReadFile("../../../tests/data/signing.json")
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRequestsAreSignedAsTheVectors(t *testing.T) {
	given := vectors(t)
	for _, each := range given.Requests {
		if found := RequestSignature(given.Secret, each.Method, each.Target, each.Timestamp, []byte(each.Body)); found != each.Signature {
			t.Errorf("%s: %s", each.Name, found)
		}
	}
	for _, each := range given.Rejected {
		if RequestSignature(given.Secret, each.Method, each.Target, each.Timestamp, []byte(each.Body)) == each.Signature {
			t.Errorf("%s has the same signature", each.Name)
		}
	}
}

func TestWebhooksAreVerifiedAsTheVectors(t *testing.T) {
	for _, each := range vectors(t).Webhooks {
		verifier := WebhookVerifier{each.Secret, time.Duration(each.Tolerance) * time.Second, func() time.Time { return time.Unix(each.Now, 0) }}
		event, err := verifier.Verify(each.Header, []byte(each.Body))
		var refused *WebhookError
		if each.Valid && (err != nil || event.ID != "evt_01" || event.Merchant.EntityID != "ent_1") {
			t.Errorf("%s: %v %v", each.Name, event, err)
		} else if !each.Valid && !errors.As(err, &refused) {
			t.Errorf("%s: %v", each.Name, err)
		}
	}
}

func TestHeadersOfWebhooks(t *testing.T) {
	fresh := vectors(t).Webhooks[0]
	stamp, signature, _ := strings.Cut(fresh.Header, ",")
	verify := func(header, secret string) error {
		_, err := WebhookVerifier{Secret: secret, Now: func() time.Time { return time.Unix(fresh.Now, 0) }}.Verify(header, []byte(fresh.Body))
		return err
	}
	if err := verify(stamp+",v1="+strings.Repeat("0", 64)+","+signature+",v2=other", fresh.Secret); err != nil {
		t.Error("one of several signatures is enough:", err)
	}
	upper := "v1=" + strings.ToUpper(strings.TrimPrefix(signature, "v1="))
	for _, header := range []string{"", stamp, signature, stamp + "," + stamp + "," + signature, "t=," + signature, stamp + "," + upper,
		"t=-1," + signature, "t=+1," + signature, stamp + ".0," + signature, stamp + "," + signature[:60], stamp + ",v1=é"} {
		var refused *WebhookError
		if err := verify(header, fresh.Secret); !errors.As(err, &refused) {
			t.Errorf("%q: %v", header, err)
		}
	}
	var refused *WebhookError
	if err := verify(fresh.Header, "whsec_other"); !errors.As(err, &refused) {
		t.Error("another secret:", err)
	}
	if err := verify(fresh.Header, ""); err == nil || errors.As(err, &refused) {
		t.Error("an empty secret is a mistake:", err)
	}
}

func TestEachAnswerHasTheMostSpecificType(t *testing.T) {
	for _, each := range []struct {
		status int
		code   string
		kind   error
	}{
		{400, "invalid_request", &InvalidRequestError{}},
		{401, "PLATFORM_KEY_INVALID", &AuthenticationError{}},
		{403, "SCOPE_DENIED", &ForbiddenError{}},
		{404, "payment_not_found", &NotFoundError{}},
		{409, "payment disputed", &ConflictError{}},
		{409, "IDEMPOTENCY_KEY_REUSED", &IdempotencyKeyReusedError{}},
		{409, "request already processing", &StillProcessingError{}},
		{410, "cursor_expired", &CursorExpiredError{}},
		{410, "token_unusable", &APIError{}},
		{422, "platform_key_required", &BusinessError{}},
		{422, "merchant_not_charge_capable", &NotChargeCapableError{}},
		{429, "rate_limited", &RateLimitedError{}},
		{502, "refund rejected by provider", &ServerError{}},
		{502, "provider outcome unknown", &OutcomeUnknownError{}},
	} {
		for _, body := range []string{`{"error":%q}`, `{"error":{"code":%q,"setup_url":"https://x.example"}}`} {
			err := newAPIError(each.status, fmt.Appendf(nil, body, each.code)).specific()
			var general *APIError
			if reflect.TypeOf(err) != reflect.TypeOf(each.kind) || !errors.As(err, &general) || general.Code != each.code {
				t.Errorf("%d %s is %T", each.status, each.code, err)
			}
			if strings.Contains(err.Error(), "x.example") {
				t.Error("the text has the link")
			}
		}
	}
	var conflict *ConflictError
	var server *ServerError
	var business *BusinessError
	if !errors.As(newAPIError(409, []byte(`{"error":"IDEMPOTENCY_KEY_REUSED"}`)).specific(), &conflict) ||
		!errors.As(newAPIError(502, []byte(`{"error":"provider outcome unknown"}`)).specific(), &server) ||
		!errors.As(newAPIError(422, []byte(`{"error":{"code":"merchant_not_charge_capable"}}`)).specific(), &business) {
		t.Error("the more general types are not found")
	}
	for _, body := range []string{"", "null", "[]", `"text"`, "{}", `{"error":7}`, `{"error":null}`} {
		if err := newAPIError(500, []byte(body)); err.Code != "" {
			t.Errorf("%s has the code %q", body, err.Code)
		}
	}
}

func TestAddressesAreHTTPS(t *testing.T) {
	for _, address := range []string{"http://gateway.example", "ftp://localhost", "gateway.example", "https://gateway.example/v1", "https://"} {
		if _, err := New(Config{URL: address, KeyID: "mk_test_1", Secret: "secret"}); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	if _, err := New(Config{URL: "https://gateway.example", KeyID: "mk_test_1"}); err == nil {
		t.Error("an empty secret is accepted")
	}
}

func TestAPlatformSendsMerchantAndEnvironment(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.String(), r.Header.Get("Service-Merchant"))
		_, _ = w.Write([]byte(`{"payments":[]}`))
	}))
	defer server.Close()
	platform, err := New(Config{URL: server.URL, KeyID: "mk_platform_1", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	filter := PaymentFilter{States: []PaymentState{PaymentStateCaptured, PaymentStateFailed}, CreatedFrom: noon}
	for _, err := range platform.OnBehalfOf("merch_1", "test").ListPayments(ctx, filter) {
		t.Error(err)
	}
	for _, err := range platform.ListPayments(ctx, PaymentFilter{Page: Page{Limit: 7}}) {
		t.Error(err)
	}
	expected := []string{"/v1/payment_intents?created_from=2026-11-20T12%3A00%3A00.000Z&limit=100&state=captured%2Cfailed&environment=test",
		"merch_1", "/v1/payment_intents?limit=7", ""}
	if !slices.Equal(seen, expected) {
		t.Error(seen)
	}
	if _, err := platform.GetPayment(ctx, ""); err == nil {
		t.Error("an empty id is accepted")
	}
}

func TestACancelledContextEndsARequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Close()
	client, err := New(Config{URL: server.URL, KeyID: "mk_test_1", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var none *NoAnswerError
	if _, err := client.GetPayment(ctx, "pay_1"); !errors.As(err, &none) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, err := range client.FollowEvents(ctx, FollowOptions{}) {
		t.Error("following ends without an error:", err)
	}
}
