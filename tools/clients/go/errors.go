package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A WebhookError is about a webhook that is not genuine. Reason says why.
type WebhookError struct{ Reason string }

func (e *WebhookError) Error() string { return "gateway: " + e.Reason }

// A NoAnswerError means that there was no usable answer, after all attempts. A write may have been carried out: call again
// with IdempotencyKey and the same arguments to learn what happened. It is carried out once.
type NoAnswerError struct {
	IdempotencyKey string
	Request        string // the method and the path
	Err            error
}

func (e *NoAnswerError) Error() string { return "gateway: " + e.Request + ": " + e.Err.Error() }

// Unwrap returns the cause, such as context.Canceled.
func (e *NoAnswerError) Unwrap() error { return e.Err }

// A FieldFault is what is wrong with a field of a request's body.
type FieldFault struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

// An APIError is a refusal or a failure of the gateway. errors.As finds it in each of the more specific errors. Decide by their
// types, or by Status and Code; Message is for people and changes. Body can contain a link that must not be logged, so it is not
// part of the text.
type APIError struct {
	Status         int
	Code           string
	Message        string
	DocsURL        string
	Fields         []FieldFault // each fault of the body's fields
	RequestID      string
	IdempotencyKey string
	RetryAfter     time.Duration
	Replayed       bool // whether it is the stored answer to an earlier attempt
	Body           []byte
}

func (e *APIError) Error() string {
	code, message := e.Code, ""
	if code == "" {
		code = "without a code"
	}
	if e.Message != "" {
		message = ": " + e.Message
	}
	return fmt.Sprintf("gateway: %d %s%s", e.Status, code, message)
}

// The more specific errors. Each wraps the more general one.
type (
	// InvalidRequestError is 400, 405, 413, 415 or 431: the request is wrong.
	InvalidRequestError struct{ *APIError }
	// AuthenticationError is 401: the key, the signature or the clock.
	AuthenticationError struct{ *APIError }
	// ForbiddenError is 403: the scope or the grant.
	ForbiddenError struct{ *APIError }
	// NotFoundError is 404: there is none, or this key may not see it.
	NotFoundError struct{ *APIError }
	// ConflictError is 409: the state does not allow it.
	ConflictError struct{ *APIError }
	// IdempotencyKeyReusedError is 409 `IDEMPOTENCY_KEY_REUSED`: the key was used for another request.
	IdempotencyKeyReusedError struct{ *ConflictError }
	// StillProcessingError is 409 `request already processing`, also after the last attempt. Call again with the same key.
	StillProcessingError struct{ *ConflictError }
	// CursorExpiredError is 410 `cursor_expired`: the events after the cursor are no longer kept.
	CursorExpiredError struct{ *APIError }
	// BusinessError is 422: a rule of the business.
	BusinessError struct{ *APIError }
	// NotChargeCapableError is 422 `merchant_not_charge_capable`: the merchant has not finished its set-up at a provider.
	NotChargeCapableError struct{ *BusinessError }
	// RateLimitedError is 429, also after the last attempt.
	RateLimitedError struct{ *APIError }
	// ServerError is 5xx, also after the last attempt. A write may have been carried out: call again with its key.
	ServerError struct{ *APIError }
	// OutcomeUnknownError is 502 `provider outcome unknown`: the provider did not answer. The gateway asks it until it knows.
	// Read the payment until its state is final (WaitForPayment). Make no second payment before that.
	OutcomeUnknownError struct{ *ServerError }
)

func (e *InvalidRequestError) Unwrap() error       { return e.APIError }
func (e *AuthenticationError) Unwrap() error       { return e.APIError }
func (e *ForbiddenError) Unwrap() error            { return e.APIError }
func (e *NotFoundError) Unwrap() error             { return e.APIError }
func (e *ConflictError) Unwrap() error             { return e.APIError }
func (e *IdempotencyKeyReusedError) Unwrap() error { return e.ConflictError }
func (e *StillProcessingError) Unwrap() error      { return e.ConflictError }
func (e *CursorExpiredError) Unwrap() error        { return e.APIError }
func (e *BusinessError) Unwrap() error             { return e.APIError }
func (e *NotChargeCapableError) Unwrap() error     { return e.BusinessError }
func (e *RateLimitedError) Unwrap() error          { return e.APIError }
func (e *ServerError) Unwrap() error               { return e.APIError }
func (e *OutcomeUnknownError) Unwrap() error       { return e.ServerError }

// ProviderSetup is how far a merchant's account at a provider is.
type ProviderSetup struct {
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	Status      string `json:"status"`
	Source      string `json:"source"`
}

// A Setup leads the merchant's owner to the set-up at a provider. The URL works once: do not log, cache or forward it.
type Setup struct {
	URL       string          `json:"setup_url"`
	ExpiresAt string          `json:"setup_url_expires_at"`
	Providers []ProviderSetup `json:"providers"`
}

// Setup returns what the answer says about the set-up.
func (e *NotChargeCapableError) Setup() Setup {
	var body struct {
		Error Setup `json:"error"`
	}
	_ = json.Unmarshal(e.Body, &body) // an answer without it has an empty URL
	return body.Error
}

// errorDetail is where an error's body has its code and its texts.
type errorDetail struct {
	Code             string `json:"code"`
	Message          string `json:"message"`
	ErrorDescription string `json:"error_description"`
	DocsURL          string `json:"docs_url"`
}

// newAPIError reads a body in any of the shapes of errors.
func newAPIError(status int, body []byte) *APIError {
	failed := &APIError{Status: status, Body: body}
	var whole struct {
		errorDetail
		Error  json.RawMessage `json:"error"`
		Fields []FieldFault    `json:"fields"`
	}
	if json.Unmarshal(body, &whole) != nil {
		return failed
	}
	detail := whole.errorDetail
	if json.Unmarshal(whole.Error, &failed.Code) != nil && json.Unmarshal(whole.Error, &detail) == nil {
		failed.Code = detail.Code
	}
	failed.Message, failed.DocsURL, failed.Fields = detail.Message, detail.DocsURL, whole.Fields
	if failed.Message == "" {
		failed.Message = detail.ErrorDescription
	}
	return failed
}

// specific returns the error in its most specific type.
func (e *APIError) specific() error {
	switch {
	case e.Status == http.StatusConflict && e.Code == "IDEMPOTENCY_KEY_REUSED":
		return &IdempotencyKeyReusedError{&ConflictError{e}}
	case e.isInFlight():
		return &StillProcessingError{&ConflictError{e}}
	case e.Status == http.StatusGone && e.Code == "cursor_expired":
		return &CursorExpiredError{e}
	case e.Status == http.StatusUnprocessableEntity && e.Code == "merchant_not_charge_capable":
		return &NotChargeCapableError{&BusinessError{e}}
	case e.Status == http.StatusBadGateway && e.Code == "provider outcome unknown":
		return &OutcomeUnknownError{&ServerError{e}}
	case e.Status >= http.StatusInternalServerError:
		return &ServerError{e}
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusRequestHeaderFieldsTooLarge:
		return &InvalidRequestError{e}
	case http.StatusUnauthorized:
		return &AuthenticationError{e}
	case http.StatusForbidden:
		return &ForbiddenError{e}
	case http.StatusNotFound:
		return &NotFoundError{e}
	case http.StatusConflict:
		return &ConflictError{e}
	case http.StatusUnprocessableEntity:
		return &BusinessError{e}
	case http.StatusTooManyRequests:
		return &RateLimitedError{e}
	}
	return e
}

func (e *APIError) isInFlight() bool {
	return e.Status == http.StatusConflict && e.Code == "request already processing"
}

// mayPass reports whether the same request may get another answer later. A replayed answer is the stored one: it stays.
func (e *APIError) mayPass() bool {
	if e.Status >= http.StatusInternalServerError {
		return !e.Replayed
	}
	return e.isInFlight() || e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests
}
