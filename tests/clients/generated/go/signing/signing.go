// Package signing has an HTTP client that signs each request.
package signing

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type transport struct{ http.Transport }

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	at := time.Now().UTC().Format(time.RFC3339)
	mac := hmac.New(sha256.New, []byte(os.Getenv("GATEWAY_SECRET")))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", request.Method, request.URL.EscapedPath(), at, sha256.Sum256(body))
	request.Header.Set("X-Service-Key-Id", os.Getenv("GATEWAY_KEY_ID"))
	request.Header.Set("X-Service-Timestamp", at)
	request.Header.Set("X-Service-Signature", hex.EncodeToString(mac.Sum(nil)))
	return t.Transport.RoundTrip(request)
}

// NewClient trusts GATEWAY_CA_FILE, and signs with GATEWAY_KEY_ID and GATEWAY_SECRET.
func NewClient() *http.Client {
	pem, err := os.ReadFile(os.Getenv("GATEWAY_CA_FILE"))
	if err != nil {
		log.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	return &http.Client{Transport: &transport{http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}}
}
