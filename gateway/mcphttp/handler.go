package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"
)

// Options are what an endpoint is made of. Name, Version and Tools are required.
type Options[P any] struct {
	Name         string
	Title        string // for people; "" for none
	Version      string
	Instructions string // for the model, sent when a client connects; "" for none

	Tools        Tools[P]
	Methods      map[string]Method[P] // methods beside those of tools, by name
	Capabilities json.RawMessage      // an object that declares what Methods serve, such as {"prompts":{}}

	// Authenticate finds the principal that a bearer token stands for. [ErrToken] says that the token is bad; an
	// [*Error] is answered as it is, such as a 403. It is never called without a token. If it is nil, there is no
	// authentication, and every caller is the zero P.
	Authenticate func(ctx context.Context, r *http.Request, token string) (P, error)
	Challenge    Challenge

	// TokenPrefix is what every token begins with, such as "ghp_"; "" if they have nothing in common. A query with such
	// a token anywhere in it is refused, as one is that names a token.
	TokenPrefix string

	// Admit may turn down a request, for its rate or its plan; nil admits all. It is asked once for each request and
	// each element of a batch, never for a notification or a ping.
	Admit func(ctx context.Context, caller P, op Operation) *Refusal

	Hosts   []string // host names answered for, beside those of loopback; "*" for any
	Origins []string // origins whose pages may use the endpoint, beside those of loopback: scheme://host[:port]

	// BodyMemory is how many bytes the bodies of all requests under way may take together; 0 for 64 MiB, and at least
	// 16 MiB. A body that does not fit in is refused with 503 and Retry-After; one of up to 4 KiB always fits.
	BodyMemory int64

	MaxAge time.Duration // how long a client may keep the lists; 0 for five minutes
	Log    *slog.Logger  // nil for slog.Default()
}

// A Handler is an MCP endpoint. It answers one path, whatever that is, and may be used by any number of requests.
type Handler[P any] struct {
	opts   Options[P]
	log    *slog.Logger
	guard  guard
	bodies budget
	texts  texts
	tools  map[string]*callable
	names  []string
}

// A callable is a tool as a call needs it.
type callable struct {
	name    string
	mirrors []mirror
}

// New returns an endpoint. It fails on what no request could repair: a missing option, a descriptor that is not JSON,
// a name that stands twice.
func New[P any](opts Options[P]) (*Handler[P], error) {
	if opts.Name == "" || opts.Version == "" || opts.Tools == nil {
		return nil, errors.New("mcphttp: Name, Version and Tools are required")
	}
	h := &Handler[P]{opts: opts, log: opts.Log, tools: map[string]*callable{}}
	if h.log == nil {
		h.log = slog.Default()
	}
	switch h.bodies.most = opts.BodyMemory; {
	case opts.BodyMemory == 0:
		h.bodies.most = defaultBodies
	case opts.BodyMemory < leastBodies:
		return nil, fmt.Errorf("mcphttp: BodyMemory is %d: one body can need %d", opts.BodyMemory, leastBodies)
	}
	var err error
	if h.guard, err = newGuard(opts.Hosts, opts.Origins); err != nil {
		return nil, fmt.Errorf("mcphttp: %w", err)
	}
	sets := opts.Tools.Sets()
	for _, tool := range sets[""] {
		if err := h.register(tool); err != nil {
			return nil, fmt.Errorf("mcphttp: tool %q: %w", tool.Name, err)
		}
	}
	if h.texts, err = newTexts(opts.Name, opts.Title, opts.Version, opts.Instructions, opts.Capabilities, opts.MaxAge, sets); err != nil {
		return nil, fmt.Errorf("mcphttp: %w", err)
	}
	return h, nil
}

func (h *Handler[P]) register(tool Tool) error {
	mirrors, err := mirrorsOf(tool.Descriptor)
	if err != nil {
		return err
	}
	c := &callable{tool.Name, mirrors}
	for _, name := range append([]string{tool.Name}, tool.Aliases...) {
		if name == "" || h.tools[name] != nil {
			return fmt.Errorf("the name %q is empty or stands twice", name)
		}
		h.tools[name] = c
	}
	h.names = append(h.names, tool.Name)
	return nil
}

// ServeHTTP holds a request to the transport's rules and hands its messages on.
func (h *Handler[P]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in := newIntake(w, r, &h.bodies)
	if err := h.guard.check(r); err != nil {
		in.refuse(err)
		return
	}
	caller, err := h.authenticate(r)
	if err != nil {
		in.refuse(err)
		return
	}
	switch json, _ := accepted(r.Header.Values("Accept")); {
	case r.Method == http.MethodPost:
		h.post(in, caller)
	case r.Method == http.MethodGet && json:
		in.part()
		writeJSON(w, http.StatusOK, h.texts.discovery)
		in.linger()
	default:
		err := refusal(http.StatusMethodNotAllowed, "use POST: there are no sessions here, and no stream to open or to end")
		err.Header = http.Header{"Allow": {http.MethodPost}}
		in.refuse(err)
	}
}

func (h *Handler[P]) post(in *intake, caller P) {
	w, r := in.w, in.r
	if err := checkType(r.Header); err != nil {
		in.refuse(err)
		return
	}
	defer in.release()
	body, err := in.body()
	if err != nil {
		in.refuseWith(prefixID(body), err)
		return
	}
	msgs, batch, id, err := decodeBody(body)
	if err == nil {
		err = checkSize(len(body), msgs)
	}
	if err != nil {
		writeError(w, id, modern, err)
		return
	}
	json, events := accepted(r.Header.Values("Accept"))
	out := &output{w: w, events: events, format: asJSON}
	switch {
	case !json && events:
		out.format = asEvents
	case !json:
		writeError(w, id, modern, refusal(http.StatusNotAcceptable, "answers are application/json or text/event-stream"))
		return
	}
	version, err := checkOnce(r.Header)
	if err != nil {
		writeError(w, id, modern, err)
		return
	}
	x := exchange[P]{h: h, r: r, caller: caller, out: out, version: version}
	if batch {
		x.batch(msgs)
		return
	}
	x.single(msgs[0])
}

// logPanic writes down that a panic was contained. Its value may hold text of the call, so only the runtime's own
// errors, which do not, are shown.
func (h *Handler[P]) logPanic(ctx context.Context, method, tool string, value any) {
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	h.log.LogAttrs(ctx, slog.LevelError, "recovered a panic", slog.String("method", method), slog.String("tool", tool),
		slog.String("panic", what), slog.String("stack", string(debug.Stack())))
}
