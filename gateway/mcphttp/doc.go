// Package mcphttp is a kit for serving the Model Context Protocol over HTTP: one stateless handler that speaks both
// eras of the protocol, the handshake revisions (2024-10-07 to 2025-11-25) and the modern one (2026-07-28), and
// chooses between them for each request. Any replica can answer any request; there are no sessions.
//
// A program gives [New] its tools as data ([Tool]: a name and the descriptor's JSON) and as one function
// ([Tools.Call]: arguments as JSON in, the result's JSON out). The kit does what the protocol asks for around them:
// allow-lists for Host and Origin, the bearer challenge, media types and sizes, a strict JSON-RPC envelope, the
// headers that must agree with the body, version negotiation, lists that were encoded once, progress over
// server-sent events, cancellation when the client goes away, and errors that are always JSON-RPC bodies with the
// request's own id.
//
// # Order
//
// A request meets its checks in this order, and the first refusal answers it:
//
//	Host and Origin → credential → method → media type and size → envelope → Accept → era → headers against body → Options.Admit → method and tool
//
// So a probe of any kind and any method meets the 401 challenge before it can learn anything else.
//
// What is refused before its body was read is answered at once, with Connection: close if there is more of the body to
// come. Bodies grow in memory as they arrive, out of one budget (Options.BodyMemory), and must keep up a pace; the
// handler sets the deadlines for that itself, in place of the server's ReadTimeout. A client that stops reading its
// answer counts as gone after a while, so no WriteTimeout is needed, which would end long streams.
//
// # What a reader must know before changing it
//
// The rules that differ between revisions are in era.go, and nowhere else does code compare revisions. The bytes of a
// request belong to that request alone (bodies are not pooled), so that a tool may keep its arguments. What is written
// is never escaped for HTML, and numbers are never decoded: an integer above 2^53 keeps its digits.
//
// The package imports nothing of the program that it serves.
package mcphttp
