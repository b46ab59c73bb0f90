package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RequestSignature is the value of X-Service-Signature. The query of target is not signed; the body counts as it is sent.
func RequestSignature(secret, method, target, timestamp string, body []byte) string {
	path, _, _ := strings.Cut(target, "?")
	hash := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join([]string{method, path, timestamp, hex.EncodeToString(hash[:])}, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}
