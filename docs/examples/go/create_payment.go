// Signs one create and sends it. Needs Go 1.19 and nothing else: go run create_payment.go
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
// GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
// PAYMENT_ID                                    optional: your id of the payment
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

// Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent.
func sign(request *http.Request, body []byte) {
	at := time.Now().UTC().Format("2006-01-02T15:04:05Z")
	hash := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(os.Getenv("GATEWAY_SECRET")))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", request.Method, request.URL.EscapedPath(), at, hash)
	request.Header.Set("X-Service-Key-Id", os.Getenv("GATEWAY_KEY_ID"))
	request.Header.Set("X-Service-Timestamp", at)
	request.Header.Set("X-Service-Signature", hex.EncodeToString(mac.Sum(nil)))
}

func newUUID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		log.Fatal(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
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
	return &http.Client{Transport: transport, Timeout: 40 * time.Second}
}

func main() {
	payment := os.Getenv("PAYMENT_ID")
	if payment == "" {
		payment = fmt.Sprintf("pay_%d", time.Now().Unix())
	}
	body, err := json.Marshal(map[string]any{
		"payment_id": payment, "amount": 4200, "currency": "HKD", "payment_method": "pm_card_visa",
	})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", os.Getenv("GATEWAY_URL")+"/v1/payment_intents", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	sign(request, body)
	request.Header.Set("Idempotency-Key", newUUID())
	request.Header.Set("Content-Type", "application/json")

	answer, err := newClient().Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	if answer.StatusCode != http.StatusOK {
		os.Exit(1)
	}
}
