package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	firstPause        = 200 * time.Millisecond
	longestPause      = 5 * time.Second
	longestRetryAfter = time.Minute
	mostAnswerBytes   = 64 << 20
)

// Config is what a Client needs. URL, KeyID and Secret are required.
type Config struct {
	URL    string // such as https://gateway.example
	KeyID  string
	Secret string
	CAFile string // a PEM file of authorities that are trusted besides the system's

	Merchant    string // for a platform's key: the merchant for whom it acts
	Environment string // for a platform's key: test or live

	Timeout    time.Duration // for one attempt; 40 s by default, because the gateway answers within 35 s
	Attempts   int           // how often a request is sent at most; 8 by default
	HTTPClient *http.Client  // sends the requests; by default one that trusts CAFile, too. It must not follow redirects
}

// A Client calls a gateway with a key. It is safe for several goroutines.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a client. TLS certificates are verified; plain http is for this machine only.
func New(config Config) (*Client, error) {
	base, err := url.Parse(config.URL)
	if err != nil {
		return nil, err
	}
	if config.KeyID == "" || config.Secret == "" {
		return nil, errors.New("gateway: the key's id or secret is empty")
	}
	host := base.Hostname()
	local := host == "localhost" || host == "127.0.0.1" || host == "::1"
	if base.Scheme != "https" && (base.Scheme != "http" || !local) {
		return nil, errors.New("gateway: the address must be https; http is used on this machine only")
	}
	if host == "" || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" || base.User != nil {
		return nil, errors.New("gateway: the address has a host and a port only")
	}
	config.URL = base.Scheme + "://" + base.Host
	if config.Timeout == 0 {
		config.Timeout = 40 * time.Second
	}
	if config.Attempts == 0 {
		config.Attempts = 8
	}
	if config.HTTPClient == nil {
		if config.HTTPClient, err = newHTTPClient(config.CAFile); err != nil {
			return nil, err
		}
	}
	return &Client{config, config.HTTPClient}, nil
}

// FromEnvironment returns a client from GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET and GATEWAY_CA_FILE. The fields of more that
// are set come first.
func FromEnvironment(more Config) (*Client, error) {
	for name, field := range map[string]*string{"GATEWAY_URL": &more.URL, "GATEWAY_KEY_ID": &more.KeyID,
		"GATEWAY_SECRET": &more.Secret, "GATEWAY_CA_FILE": &more.CAFile} {
		if *field == "" {
			*field = os.Getenv(name)
		}
		if *field == "" && name != "GATEWAY_CA_FILE" {
			return nil, fmt.Errorf("gateway: missing in the environment: %s", name)
		}
	}
	return New(more)
}

func newHTTPClient(caFile string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, err
		}
		trusted, err := x509.SystemCertPool()
		if err != nil {
			trusted = x509.NewCertPool()
		}
		if !trusted.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("gateway: %s has no certificate", caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, nil
}

// OnBehalfOf returns a client of the same platform's key for a merchant. It shares the connections.
func (c *Client) OnBehalfOf(merchant, environment string) *Client {
	config := c.config
	config.Merchant, config.Environment = merchant, environment
	return &Client{config, c.http}
}

// A WriteOption changes how a write is sent.
type WriteOption func(*request)

// WithIdempotencyKey names the intention of a write by a UUID. Give the same one to repeat; a new one is made without it.
func WithIdempotencyKey(key string) WriteOption { return func(r *request) { r.key = key } }

// request is one operation, which may take several attempts.
type request struct {
	method, target string
	body           []byte
	key            string
	about          string // the payment to which the answer must belong
	alone          bool   // names no merchant
	timeout        time.Duration
}

// brokenExchange: there is no usable answer.
type brokenExchange struct{ error }

func (b brokenExchange) Unwrap() error { return b.error }

func (c *Client) read(ctx context.Context, target, about string, answer any) error {
	return c.repeat(ctx, request{method: http.MethodGet, target: target, about: about}, answer)
}

func (c *Client) write(ctx context.Context, r request, body, answer any, options []WriteOption) error {
	if body != nil {
		sent, err := encoded(body)
		if err != nil {
			return err
		}
		if string(sent) != "{}" {
			r.body = sent
		}
	}
	for _, option := range options {
		option(&r)
	}
	if r.key == "" {
		r.key = NewIdempotencyKey()
	}
	return c.repeat(ctx, r, answer)
}

// Call sends any other request. It is signed and repeated as all others; body and answer may be nil.
func (c *Client) Call(ctx context.Context, method, target string, body, answer any, options ...WriteOption) error {
	if method == http.MethodGet {
		return c.read(ctx, target, "", answer)
	}
	return c.write(ctx, request{method: method, target: target}, body, answer, options)
}

// repeat sends a request with the same key and body until there is an answer that says what happened.
func (c *Client) repeat(ctx context.Context, r request, answer any) error {
	r.timeout = c.config.Timeout
	for tries := 0; ; tries++ {
		err := c.attempt(ctx, r, answer)
		if err == nil {
			return nil
		}
		var asked time.Duration
		var refused *APIError
		var broken brokenExchange
		switch {
		case errors.As(err, &refused):
			if !refused.mayPass() {
				return err
			}
			asked = refused.RetryAfter
		case errors.As(err, &broken):
			path, _, _ := strings.Cut(r.target, "?")
			err = &NoAnswerError{r.key, r.method + " " + path, broken.error}
			if ctx.Err() != nil || isUntrusted(broken) {
				return err
			}
		default:
			return err
		}
		if tries+1 >= c.config.Attempts || asked > longestRetryAfter {
			return err
		}
		if pause(ctx, max(pauseAfter(tries), asked)) != nil {
			return err
		}
	}
}

// attempt sends one signed request. It returns an APIError, wrapped, for a refusal, and a brokenExchange without a usable answer.
func (c *Client) attempt(ctx context.Context, r request, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	target := r.target
	if !r.alone && c.config.Environment != "" {
		target = withQuery(target, url.Values{"environment": {c.config.Environment}})
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, c.config.URL+target, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	at := time.Now().UTC().Format("2006-01-02T15:04:05Z")
	sent.Header.Set("X-Service-Key-Id", c.config.KeyID)
	sent.Header.Set("X-Service-Timestamp", at)
	sent.Header.Set("X-Service-Signature", RequestSignature(c.config.Secret, r.method, target, at, r.body))
	sent.Header.Set("User-Agent", "gateway-client-go/1.0.0")
	sent.Header.Set("Accept", "application/json")
	if !r.alone && c.config.Merchant != "" {
		sent.Header.Set("Service-Merchant", c.config.Merchant)
	}
	if r.key != "" {
		sent.Header.Set("Idempotency-Key", r.key)
	}
	if len(r.body) > 0 {
		sent.Header.Set("Content-Type", "application/json")
	}
	got, err := c.http.Do(sent)
	if err != nil {
		return brokenExchange{err}
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, mostAnswerBytes+1))
	if err != nil {
		return brokenExchange{err}
	}
	if len(body) > mostAnswerBytes {
		return errors.New("gateway: the answer is too large")
	}
	if got.StatusCode < 200 || got.StatusCode > 299 {
		return refusal(got, body, r.key)
	}
	if got.StatusCode == http.StatusNoContent {
		return nil
	}
	return decoded(body, r.about, answer)
}

func decoded(body []byte, about string, answer any) error {
	if !json.Valid(body) {
		return brokenExchange{errors.New("the answer is not JSON")}
	}
	var named struct {
		PaymentID string `json:"payment_id"`
	}
	if about != "" && json.Unmarshal(body, &named) == nil && named.PaymentID != "" && named.PaymentID != about {
		return brokenExchange{errors.New("the answer belongs to another payment")}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(body, answer)
}

func refusal(got *http.Response, body []byte, key string) error {
	failed := newAPIError(got.StatusCode, body)
	failed.RequestID = got.Header.Get("Request-Id")
	failed.IdempotencyKey = key
	failed.RetryAfter = retryAfter(got.Header.Get("Retry-After"))
	failed.Replayed = got.Header.Get("Idempotent-Replayed") != ""
	return failed.specific()
}

// retryAfter is a number of seconds, or the time until a date; zero without either.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

func isUntrusted(err error) bool {
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted)
}

// pauseAfter grows, and is random so that many clients do not return at one moment.
func pauseAfter(tries int) time.Duration {
	longest := min(firstPause<<min(tries, 16), longestPause)
	return longest/2 + mathrand.N(longest/2)
}

func pause(ctx context.Context, how time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(how):
		return nil
	}
}

// NewIdempotencyKey returns a random UUID, version 4.
func NewIdempotencyKey() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // without random numbers nothing may be sent
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// encoded is JSON without the escapes for HTML.
func encoded(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

func withQuery(target string, query url.Values) string {
	for name, values := range query {
		if values[0] == "" {
			query.Del(name)
		}
	}
	if len(query) == 0 {
		return target
	}
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	return target + separator + query.Encode()
}
