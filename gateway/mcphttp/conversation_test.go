package mcphttp_test

import (
	"flag"
	"net/http"
	"testing"

	"github.com/notelatch/notelatch/gateway/mcphttp/mcphttptest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txtar")

func TestConversations(t *testing.T) {
	common := http.Header{"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer alice-token"}}
	mcphttptest.Conversations(t, "testdata/*.txtar", common, *update, func(t *testing.T) http.Handler { return newFixture().handler(t) })
}
