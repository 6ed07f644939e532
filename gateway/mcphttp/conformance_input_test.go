package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

// Tools that cannot answer without asking the client back, as the scenarios input-required-result-* use them.

const (
	sampleCapital = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}`
	listRoots     = `{"method":"roots/list","params":{}}`
)

func elicit(message, field, kind string) string {
	return fmt.Sprintf(`{"method":"elicitation/create","params":{"mode":"form","message":%q,"requestedSchema":{"type":"object","properties":{%q:{"type":%q}},"required":[%[2]q]}}}`,
		message, field, kind)
}

// responses are what the client sent with its second attempt.
type responses map[string]struct {
	Action  string
	Content json.RawMessage
	Roots   []struct{ URI string }
}

func answered(r *mcphttp.Request) (in responses, state string) {
	json.Unmarshal(r.Param("inputResponses"), &in)
	json.Unmarshal(r.Param("requestState"), &state)
	return in, state
}

// accepted is a member of what an elicitation brought, as text.
func (in responses) accepted(id, field string) (string, bool) {
	answer, ok := in[id]
	if !ok || answer.Action != "accept" {
		return "", false
	}
	var fields map[string]any
	if json.Unmarshal(answer.Content, &fields) != nil || fields[field] == nil {
		return "", false
	}
	return fmt.Sprint(fields[field]), true
}

func (in responses) has(id string) bool { _, ok := in[id]; return ok }

func ask(state string, requests ...string) (mcphttp.Result, error) {
	return mcphttp.Result{}, &mcphttp.InputRequired{State: state, Requests: json.RawMessage("{" + strings.Join(requests, ",") + "}")}
}

func addInputTools(tools *registry) {
	add := func(name string, f func(in responses, state string, r *mcphttp.Request) (mcphttp.Result, error)) {
		tools.add("test_input_required_result_"+name, "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
			in, state := answered(r)
			return f(in, state, r)
		})
	}
	askName := `"user_name":` + elicit("What is your name?", "name", "string")
	add("elicitation", func(in responses, _ string, _ *mcphttp.Request) (mcphttp.Result, error) {
		if name, ok := in.accepted("user_name", "name"); ok {
			return blocks(textBlock("Hello, " + name + "!"))
		}
		return ask("", askName)
	})
	add("sampling", func(in responses, _ string, _ *mcphttp.Request) (mcphttp.Result, error) {
		if in.has("capital_question") {
			return blocks(textBlock("Sampling response: " + string(in["capital_question"].Content)))
		}
		return ask("", `"capital_question":`+sampleCapital)
	})
	add("list_roots", func(in responses, _ string, _ *mcphttp.Request) (mcphttp.Result, error) {
		if in.has("client_roots") {
			return blocks(textBlock(fmt.Sprintf("Client exposed %d root(s)", len(in["client_roots"].Roots))))
		}
		return ask("", `"client_roots":`+listRoots)
	})
	confirm := func(minted string) func(responses, string, *mcphttp.Request) (mcphttp.Result, error) {
		return func(in responses, state string, _ *mcphttp.Request) (mcphttp.Result, error) {
			if state != "" && state != minted {
				return mcphttp.Result{}, &mcphttp.Error{Code: mcphttp.CodeInvalidParams, Message: "this requestState was not made here"}
			}
			if _, ok := in.accepted("confirm", "ok"); ok && state != "" {
				return blocks(textBlock("state-ok: requestState received and confirmation accepted"))
			}
			return ask(minted, `"confirm":`+elicit("Please confirm", "ok", "boolean"))
		}
	}
	add("request_state", confirm("request_state"))
	add("tampered_state", confirm("tampered_state"))
	add("multiple_inputs", func(in responses, _ string, _ *mcphttp.Request) (mcphttp.Result, error) {
		name, ok := in.accepted("user_name", "name")
		if ok && in.has("greeting") && in.has("client_roots") {
			return blocks(textBlock("Hello " + name))
		}
		return ask("multiple_inputs", askName, `"greeting":`+sampleCapital, `"client_roots":`+listRoots)
	})
	add("multi_round", func(in responses, state string, _ *mcphttp.Request) (mcphttp.Result, error) {
		name, second := strings.CutPrefix(state, "round=2;name=")
		switch {
		case second:
			color, _ := in.accepted("step2", "color")
			return blocks(textBlock(fmt.Sprintf("Multi-round complete: %s likes %s", name, color)))
		case state == "round=1":
			name, _ := in.accepted("step1", "name")
			return ask("round=2;name="+name, `"step2":`+elicit("Step 2: What is your favorite color?", "color", "string"))
		}
		return ask("round=1", `"step1":`+elicit("Step 1: What is your name?", "name", "string"))
	})
	add("capabilities", func(in responses, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		if len(in) > 0 {
			return blocks(textBlock("Answered."))
		}
		var requests []string
		for capability, request := range map[string]string{
			"elicitation": askName, "sampling": `"greeting":` + sampleCapital, "roots": `"client_roots":` + listRoots,
		} {
			if r.Declares(capability) {
				requests = append(requests, request)
			}
		}
		if len(requests) == 0 {
			return blocks(textBlock("The client can be asked nothing."))
		}
		return ask("", requests...)
	})
}
