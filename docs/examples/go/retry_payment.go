// Creates a payment however often the network, the gateway or the provider fails. Needs Go 1.19 and nothing else.
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.go
// PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program
//
//	continues with the same two
//
// PAYMENT_METHOD                optional: a sandbox token
// GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
package main

import (
	"bytes"
	"crypto/hmac"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

const payments = "/v1/payment_intents"

// The result of one attempt: status 0 if there was no answer, answer nil if it was no JSON.
type outcome struct {
	status     int
	retryAfter string
	answer     map[string]any
}

type gateway struct {
	client *http.Client
	key    string // Idempotency-Key
}

// Each attempt is signed anew, with its own time.
func (g gateway) call(method, path string, body []byte) outcome {
	request, err := http.NewRequest(method, os.Getenv("GATEWAY_URL")+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	at := time.Now().UTC().Format("2006-01-02T15:04:05Z")
	mac := hmac.New(sha256.New, []byte(os.Getenv("GATEWAY_SECRET")))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", method, path, at, sha256.Sum256(body))
	request.Header.Set("X-Service-Key-Id", os.Getenv("GATEWAY_KEY_ID"))
	request.Header.Set("X-Service-Timestamp", at)
	request.Header.Set("X-Service-Signature", hex.EncodeToString(mac.Sum(nil)))
	request.Header.Set("Content-Type", "application/json")
	if method == "POST" {
		request.Header.Set("Idempotency-Key", g.key)
	}
	response, err := g.client.Do(request)
	if err != nil {
		return outcome{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return outcome{}
	}
	got := outcome{status: response.StatusCode, retryAfter: response.Header.Get("Retry-After")}
	if json.Unmarshal(text, &got.answer) != nil {
		got.answer = nil
	}
	return got
}

// Whether the same request, with the same key and body, is to be sent again.
func (o outcome) mustRepeat() bool {
	switch o.status {
	case 0, 408, 429, 500, 503, 504: // no answer, or not now
		return true
	case 409: // the first attempt is still under way
		return o.answer["error"] == "request already processing"
	case 502: // a proxy's, unless it is the gateway's about an unknown outcome
		return o.answer["error"] != "provider outcome unknown"
	}
	return false
}

// The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence.
func pause(attempt int, retryAfter string) {
	seconds, err := strconv.ParseUint(retryAfter, 10, 16)
	if err != nil {
		seconds = 1 << min(attempt, 5)
	}
	time.Sleep(time.Duration(seconds)*time.Second + time.Duration(rand.Int63n(int64(time.Second))))
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func (g gateway) create(payment string, body []byte) outcome {
	var got outcome
	for attempt := 0; attempt < 10; attempt++ {
		if got = g.call("POST", payments, body); !got.mustRepeat() {
			break
		}
		pause(attempt, got.retryAfter)
	}
	if got.status != http.StatusBadGateway {
		return got
	}
	// The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended.
	// Never start a second payment for the order before the outcome is known.
	for attempt := 0; attempt < 10; attempt++ {
		pause(attempt, "")
		got = g.call("GET", payments+"/"+payment, nil)
		if got.status == http.StatusOK && got.answer["state"] != "processing" {
			break
		}
	}
	return got
}

func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if file := os.Getenv("GATEWAY_CA_FILE"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
	}
	seconds, err := strconv.Atoi(setting("GATEWAY_TIMEOUT", "40"))
	if err != nil {
		log.Fatal(err)
	}
	return &http.Client{Transport: transport, Timeout: time.Duration(seconds) * time.Second}
}

func newUUID() string {
	var b [16]byte
	if _, err := cryptorand.Read(b[:]); err != nil {
		log.Fatal(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	rand.Seed(time.Now().UnixNano())
	payment := setting("PAYMENT_ID", fmt.Sprintf("pay_%d", time.Now().Unix()))
	body, err := json.Marshal(map[string]any{
		"payment_id": payment, "amount": 4200, "currency": "HKD", "payment_method": setting("PAYMENT_METHOD", "pm_card_visa"),
	})
	if err != nil {
		log.Fatal(err)
	}
	g := gateway{client: newClient(), key: setting("IDEMPOTENCY_KEY", newUUID())}
	got := g.create(payment, body)
	text, _ := json.Marshal(got.answer)
	fmt.Println(got.status, string(text))
	if got.status != http.StatusOK || got.answer["state"] != "authorized" {
		os.Exit(1)
	}
}
