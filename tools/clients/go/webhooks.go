package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// DefaultTolerance is how far the time of a webhook's signature may be from now.
const DefaultTolerance = 300 * time.Second

// Event is what a webhook carries, and what the list of events has. Into reads its data.
type Event struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Created  string `json:"created"`
	Merchant struct {
		ID       string `json:"id"`
		EntityID string `json:"entity_id"`
	} `json:"merchant"`
	Data json.RawMessage `json:"data"`
}

// Into reads the event's data into target, such as a *PaymentEventData or a *Dispute.
func (e Event) Into(target any) error { return json.Unmarshal(e.Data, target) }

// A WebhookVerifier holds the secret of a destination. Secret has its `whsec_`. Tolerance is DefaultTolerance if it is zero; Now is
// the clock's if it is nil.
type WebhookVerifier struct {
	Secret    string
	Tolerance time.Duration
	Now       func() time.Time
}

// VerifyWebhook returns the event of a genuine webhook, and a *WebhookError for any other. The header is X-Service-Signature; the
// body is what was posted, byte for byte, before anything parses it.
func VerifyWebhook(header string, body []byte, secret string) (*Event, error) {
	return WebhookVerifier{Secret: secret}.Verify(header, body)
}

// Verify is VerifyWebhook with the verifier's settings.
func (v WebhookVerifier) Verify(header string, body []byte) (*Event, error) {
	if v.Secret == "" {
		return nil, errors.New("gateway: the signing secret is empty")
	}
	stamp, given := readSignature(header)
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > 12 || strings.Trim(stamp, "0123456789") != "" {
		return nil, &WebhookError{"the signature has no time"}
	}
	if len(given) == 0 {
		return nil, &WebhookError{"the header has no v1 signature"}
	}
	mac := hmac.New(sha256.New, []byte(v.Secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	// While a secret is being changed there are two signatures: one match is enough. hmac.Equal takes constant time.
	fits := false
	for _, each := range given {
		fits = hmac.Equal(expected, each) || fits
	}
	if !fits {
		return nil, &WebhookError{"no signature fits the body and the secret"}
	}
	now, tolerance := time.Now, v.Tolerance
	if v.Now != nil {
		now = v.Now
	}
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	if now().Sub(time.Unix(at, 0)).Abs() > tolerance {
		return nil, &WebhookError{"the signature's time is too far from now"}
	}
	event := new(Event)
	if json.Unmarshal(body, event) != nil {
		return nil, &WebhookError{"the body is not JSON"}
	}
	return event, nil
}

// readSignature returns the time, empty unless there is exactly one, and the well-formed v1 signatures.
func readSignature(header string) (stamp string, given [][]byte) {
	times := 0
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			stamp = value
			times++
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil && len(signature) == sha256.Size && value == strings.ToLower(value) {
				given = append(given, signature)
			}
		}
	}
	if times != 1 {
		stamp = ""
	}
	return stamp, given
}
