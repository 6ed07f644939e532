package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

// What the scenarios of the conformance suite look for by name: test_* tools, test:// resources, prompts.

const (
	redPixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence  = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

	imageBlock = `{"type":"image","data":"` + redPixel + `","mimeType":"image/png"}`
	audioBlock = `{"type":"audio","data":"` + silence + `","mimeType":"audio/wav"}`
)

func textBlock(text string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, text) }

func resourceBlock(uri, text string) string {
	return fmt.Sprintf(`{"type":"resource","resource":{"uri":%q,"mimeType":"text/plain","text":%q}}`, uri, text)
}

func blocks(content ...string) (mcphttp.Result, error) {
	return mcphttp.Result{Content: json.RawMessage("[" + strings.Join(content, ",") + "]")}, nil
}

func content(content ...string) handlerFunc {
	return func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) { return blocks(content...) }
}

const schemaTool = `{"name":"json_schema_2020_12_tool","description":"A schema of the whole 2020-12 vocabulary","inputSchema":{
	"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}}`

// conformanceServer is a server without authentication, which the suite cannot send.
func conformanceServer() mcphttp.Options[string] {
	tools := &registry{}
	tools.add("test_simple_text", "", content(textBlock("This is a simple text response for testing.")))
	tools.add("test_image_content", "", content(imageBlock))
	tools.add("test_audio_content", "", content(audioBlock))
	tools.add("test_embedded_resource", "", content(resourceBlock("test://embedded-resource", "This is an embedded resource")))
	tools.add("test_multiple_content_types", "", content(textBlock("This is text content"), imageBlock,
		resourceBlock("test://embedded-in-multiple", "This is an embedded resource")))
	tools.add("test_tool_with_logging", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		for _, step := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			r.Log("info", "", json.RawMessage(fmt.Sprintf("%q", step)))
		}
		return blocks(textBlock("Tool with logging executed successfully"))
	})
	tools.add("test_tool_with_progress", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		for _, done := range []float64{0, 50, 100} {
			r.Progress(done, 100, fmt.Sprintf("Completed step %.0f of 100", done))
		}
		return blocks(textBlock(string(r.Meta("progressToken"))))
	})
	tools.add("test_error_handling", "", func(context.Context, string, *mcphttp.Request) (mcphttp.Result, error) {
		return mcphttp.Result{IsError: true, Content: json.RawMessage("[" + textBlock("This tool intentionally returns an error for testing") + "]")}, nil
	})
	tools.add("json_schema_2020_12_tool", schemaTool, structured(`{}`))
	tools.add("test_x_mcp_header", `{"name":"test_x_mcp_header","description":"Mirrors its region in a header","inputSchema":{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}}`, structured(`{}`))
	tools.add("test_missing_capability", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		if !r.Declares("sampling") {
			return mcphttp.Result{}, mcphttp.MissingCapability("sampling")
		}
		return blocks(textBlock("The client can sample."))
	})
	tools.add("test_streaming_elicitation", "", content(textBlock("Only a result.")))
	tools.add("test_logging_tool", "", func(_ context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		r.Log("info", "", json.RawMessage(`"test_logging_tool ran"`))
		return blocks(textBlock("Tried to log."))
	})
	addInputTools(tools)
	return mcphttp.Options[string]{
		Name: "conformance-fixture", Version: "1.0.0", Tools: tools, Methods: conformanceMethods(),
		Capabilities: json.RawMessage(`{"resources":{"subscribe":false},"prompts":{},"completions":{},"logging":{}}`),
	}
}

func fixed(object string) mcphttp.Method[string] {
	return mcphttp.Method[string]{Public: true, Call: func(context.Context, string, *mcphttp.Request) (json.RawMessage, error) {
		return json.RawMessage(object), nil
	}}
}

func conformanceMethods() map[string]mcphttp.Method[string] {
	return map[string]mcphttp.Method[string]{
		"logging/setLevel":      fixed(`{}`),
		"resources/subscribe":   fixed(`{}`),
		"resources/unsubscribe": fixed(`{}`),
		"completion/complete":   fixed(`{"completion":{"values":[],"total":0,"hasMore":false}}`),
		"resources/list": fixed(`{"resources":[
			{"uri":"test://static-text","name":"static-text","description":"A static text","mimeType":"text/plain"},
			{"uri":"test://static-binary","name":"static-binary","description":"A static picture","mimeType":"image/png"}]}`),
		"resources/templates/list": fixed(`{"resourceTemplates":[
			{"uriTemplate":"test://template/{id}/data","name":"template","description":"A template","mimeType":"application/json"}]}`),
		"resources/read": {Call: readResource},
		"prompts/list": fixed(`{"prompts":[
			{"name":"test_simple_prompt","description":"Without arguments"},
			{"name":"test_prompt_with_arguments","description":"With two","arguments":[
				{"name":"arg1","description":"The first","required":true},{"name":"arg2","description":"The second","required":true}]},
			{"name":"test_prompt_with_embedded_resource","description":"With a resource","arguments":[
				{"name":"resourceUri","description":"Which","required":true}]},
			{"name":"test_prompt_with_image","description":"With a picture"},
			{"name":"test_input_required_result_prompt","description":"Asks for context"}]}`),
		"prompts/get": {Call: getPrompt},
	}
}

func readResource(_ context.Context, _ string, r *mcphttp.Request) (json.RawMessage, error) {
	var uri string
	json.Unmarshal(r.Param("uri"), &uri)
	id, isTemplate := strings.CutPrefix(uri, "test://template/")
	switch {
	case uri == "test://static-text":
		return json.RawMessage(`{"contents":[{"uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource."}]}`), nil
	case uri == "test://static-binary":
		return json.RawMessage(`{"contents":[{"uri":"test://static-binary","mimeType":"image/png","blob":"` + redPixel + `"}]}`), nil
	case isTemplate && strings.HasSuffix(id, "/data"):
		id = strings.TrimSuffix(id, "/data")
		text := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)
		return json.RawMessage(fmt.Sprintf(`{"contents":[{"uri":%q,"mimeType":"application/json","text":%q}]}`, uri, text)), nil
	}
	return nil, &mcphttp.Error{Code: mcphttp.CodeInvalidParams, Message: "resource not found", Data: map[string]string{"uri": uri}}
}

func getPrompt(_ context.Context, _ string, r *mcphttp.Request) (json.RawMessage, error) {
	var params struct {
		Name      string
		Arguments map[string]string
		Responses map[string]struct {
			Action  string
			Content map[string]string
		} `json:"inputResponses"`
	}
	if err := json.Unmarshal(r.Params, &params); err != nil {
		return nil, err
	}
	say := func(content ...string) (json.RawMessage, error) {
		messages := make([]string, len(content))
		for i, c := range content {
			messages[i] = `{"role":"user","content":` + c + `}`
		}
		return json.RawMessage(`{"messages":[` + strings.Join(messages, ",") + `]}`), nil
	}
	switch params.Name {
	case "test_simple_prompt":
		return say(textBlock("This is a simple prompt for testing."))
	case "test_prompt_with_arguments":
		return say(textBlock(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", params.Arguments["arg1"], params.Arguments["arg2"])))
	case "test_prompt_with_embedded_resource":
		return say(resourceBlock(params.Arguments["resourceUri"], "Embedded resource content for testing."), textBlock("Please process the embedded resource above."))
	case "test_prompt_with_image":
		return say(imageBlock, textBlock("Please analyze the image above."))
	case "test_input_required_result_prompt":
		if answer, ok := params.Responses["user_context"]; ok {
			return say(textBlock("Context: " + answer.Content["context"]))
		}
		return nil, &mcphttp.InputRequired{Requests: json.RawMessage(`{"user_context":` + elicit("Please provide context", "context", "string") + `}`)}
	}
	return nil, &mcphttp.Error{Code: mcphttp.CodeInvalidParams, Message: "no such prompt"}
}
