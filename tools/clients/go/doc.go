// Package gateway is a client of the payments gateway. It signs requests, repeats them safely under one idempotency key, pages
// through lists, follows events, and verifies webhooks. It needs the standard library only.
package gateway
