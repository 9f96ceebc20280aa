package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	var given struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	webhook, err := standardwebhooks.NewWebhook(given.Secret)
	if err != nil {
		panic(err)
	}
	if err := webhook.Verify([]byte(given.Body), headers); err != nil {
		panic(err)
	}
	fmt.Println(given.Body)
}
