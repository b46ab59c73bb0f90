// A create and a capture through the client that oapi-codegen makes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"generated/gateway"
	"generated/signing"

	"github.com/google/uuid"
)

func main() {
	payment, method := os.Getenv("PAYMENT_ID"), "pm_card_visa"
	client, err := gateway.NewClientWithResponses(os.Getenv("GATEWAY_URL"), gateway.WithHTTPClient(signing.NewClient()))
	if err != nil {
		log.Fatal(err)
	}
	created, err := client.CreatePaymentWithResponse(context.Background(),
		&gateway.CreatePaymentParams{IdempotencyKey: uuid.NewString()},
		gateway.CreatePayment{PaymentId: payment, Amount: 4200, Currency: "HKD", PaymentMethod: &method})
	if err != nil {
		log.Fatal(err)
	}
	if created.JSON200 == nil || created.JSON200.State != gateway.PaymentStateAuthorized {
		log.Fatal(created.Status(), string(created.Body))
	}
	captured, err := client.CapturePaymentWithResponse(context.Background(), payment,
		&gateway.CapturePaymentParams{IdempotencyKey: uuid.NewString()}, gateway.CapturePayment{})
	if err != nil {
		log.Fatal(err)
	}
	if captured.JSON200 == nil {
		log.Fatal(captured.Status(), string(captured.Body))
	}
	fmt.Println(captured.JSON200.State, captured.JSON200.CapturedAmount)
}
