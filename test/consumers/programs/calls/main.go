// A first program with what oapi-codegen generates.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func clientOf(url, token string) *ClientWithResponses {
	client, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	return must(client, err)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// good returns the record of a response.
func good[T any](record *T, response *http.Response, body []byte) *T {
	if record == nil {
		panic(fmt.Sprintf("%s: %s", response.Status, body))
	}
	return record
}

func main() {
	ctx := context.Background()
	url, fan, owner := os.Args[1], clientOf(os.Args[1], os.Args[2]), clientOf(os.Args[1], os.Args[3])
	one, five := int64(1), int64(5)

	explored := must(fan.DiscoveryExploreWithResponse(ctx, &DiscoveryExploreParams{Per: &one}))
	id := good(explored.JSON200, explored.HTTPResponse, explored.Body).Data[0].CommunityId
	shown := must(fan.CommunitiesShowWithResponse(ctx, id, nil))
	community := good(shown.JSON200, shown.HTTPResponse, shown.Body)
	listed := must(fan.TiersListWithResponse(ctx, id, nil))
	tiers := good(listed.JSON200, listed.HTTPResponse, listed.Body)
	request := CheckoutRequest{TierId: tiers.Data[0].Id, SuccessUrl: url + "/", CancelUrl: url + "/"}
	opened := must(fan.CheckoutCreateSessionWithResponse(ctx, id, nil, request))
	session := good(opened.JSON201, opened.HTTPResponse, opened.Body)
	asked := must(fan.MembershipShowWithResponse(ctx, id))
	membership := good(asked.JSON200, asked.HTTPResponse, asked.Body)
	page := must(owner.MembersListWithResponse(ctx, id, &MembersListParams{Per: &five}))
	members := good(page.JSON200, page.HTTPResponse, page.Body)
	counted := must(owner.CommunitiesStatsWithResponse(ctx, id))
	stats := good(counted.JSON200, counted.HTTPResponse, counted.Body)
	body := BenefitCreate{}
	body.Benefit.Name = "Made with Go"
	created := must(owner.BenefitsCreateWithResponse(ctx, id, nil, body))
	benefit := good(created.JSON201, created.HTTPResponse, created.Body)
	refused := must(fan.MembersListWithResponse(ctx, id, nil))

	out := must(json.Marshal(map[string]any{
		"community": community.Id == id,
		"hosted":    strings.HasPrefix(session.Url, "http"),
		"reason":    membership.Access.Reason,
		"members":   len(members.Data),
		"active":    stats.ByStatus.Active > 0,
		"benefit":   benefit.Name,
		"refused":   refused.ApplicationproblemJSON403.Code,
	}))
	fmt.Println(string(out))
}
