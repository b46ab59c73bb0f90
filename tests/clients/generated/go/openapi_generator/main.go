// A create and a capture through the client that openapi-generator makes for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"generated/gateway"
	"generated/signing"

	"github.com/google/uuid"
)

// check ends the program with the body of a refusal.
func check(err error) {
	var refused *gateway.GenericOpenAPIError
	if errors.As(err, &refused) {
		log.Fatal(err, string(refused.Body()))
	} else if err != nil {
		log.Fatal(err)
	}
}

func main() {
	payment := os.Getenv("PAYMENT_ID")
	settings := gateway.NewConfiguration()
	settings.Servers = gateway.ServerConfigurations{{URL: os.Getenv("GATEWAY_URL")}}
	settings.HTTPClient = signing.NewClient()
	payments := gateway.NewAPIClient(settings).PaymentsAPI

	body := gateway.NewCreatePayment(payment, 4200, "HKD")
	body.SetPaymentMethod("pm_card_visa")
	created, _, err := payments.CreatePayment(context.Background()).IdempotencyKey(uuid.NewString()).CreatePayment(*body).Execute()
	check(err)
	if created.State != gateway.PaymentStateAuthorized {
		log.Fatal("the payment is ", created.State)
	}
	// Without a body it would send null, which is no object.
	captured, _, err := payments.CapturePayment(context.Background(), payment).IdempotencyKey(uuid.NewString()).
		CapturePayment(*gateway.NewCapturePayment()).Execute()
	check(err)
	fmt.Println(captured.State, captured.CapturedAmount)
}
