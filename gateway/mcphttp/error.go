package mcphttp

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The codes of JSON-RPC and of the protocol. A refusal that the protocol gives no code, such as a missing credential,
// has the HTTP status as its code, which lies outside the range that JSON-RPC reserves.
const (
	CodeParseError         = -32700 // the body is not JSON
	CodeInvalidRequest     = -32600 // the body is no JSON-RPC message
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020 // a header is missing, or contradicts the body
	CodeMissingCapability  = -32021 // the client did not declare a capability that is needed
	CodeUnsupportedVersion = -32022
)

// An Error is a failure of the protocol: it is answered as a JSON-RPC error, where a failure that the model should
// read is a [Result] with IsError set.
type Error struct {
	Code    int
	Message string
	Data    any         // encoded as JSON; nil for none
	Status  int         // the HTTP status; 0 for the one that the era gives to Code
	Header  http.Header // added to the response
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// MissingCapability is the refusal of a request that needs something which the client did not declare. names are
// capabilities such as "sampling".
func MissingCapability(names ...string) *Error {
	required := map[string]struct{}{}
	for _, name := range names {
		required[name] = struct{}{}
	}
	return &Error{
		Code:    CodeMissingCapability,
		Message: fmt.Sprintf("the client has not declared what this needs: %v", names),
		Data:    map[string]any{"requiredCapabilities": required},
	}
}

func refusal(status int, format string, args ...any) *Error {
	return &Error{Code: status, Status: status, Message: fmt.Sprintf(format, args...)}
}

func parseError(reason string) *Error {
	return &Error{Code: CodeParseError, Status: http.StatusBadRequest, Message: "the body is not usable JSON: " + reason}
}

func invalidRequest(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidRequest, Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

func invalidParams(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func headerMismatch(format string, args ...any) *Error {
	return &Error{Code: CodeHeaderMismatch, Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

func methodNotFound(method string) *Error {
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q here", clip(method))}
}

// InputRequired is the error of a call or a method that cannot go on without something from the person or the client.
// In the modern era it becomes a result of type input_required, which the client answers by asking again with
// inputResponses and the same state; the handshake era has no such result, and gets a MissingCapability error.
//
// State travels through the client: whoever reads it back must be able to tell that it was not changed.
type InputRequired struct {
	Requests json.RawMessage // an object: id to request, such as {"name":{"method":"elicitation/create","params":{…}}}
	State    string
}

func (e *InputRequired) Error() string { return "input from the client is needed" }
