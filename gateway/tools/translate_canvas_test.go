package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

const board = `{"nodes":[
{"id":"g","type":"group","label":"Plan","x":0,"y":0,"width":500,"height":500},
{"id":"a","type":"file","file":"Projects/Alpha.md","x":10,"y":10,"width":100,"height":100},
{"id":"b","type":"text","text":"See [[Beta]] & <b>","x":200,"y":10,"width":100,"height":100}
],"edges":[{"id":"e","fromNode":"a","toNode":"b","label":"then"}]}`

func TestTranslateCanvas(t *testing.T) {
	h := build(t)
	h.notes.Edit("Boards/Plan.canvas", board)
	const want = "## Plan\n\n- [[Projects/Alpha.md]]\n  - → (then) See Beta &\n- See [[Beta]] & <b>\n"
	for _, args := range []string{`{"canvas":` + board + `}`, `{"path":"Boards/Plan.canvas"}`, `{"path":"/Boards/Plan"}`} {
		a := h.answer(t, "translate_canvas", args)
		fresh := "live"
		for path, want := range map[string]any{
			"markdown": want, "nodeCount": 3.0, "edgeCount": 1.0, "truncated": false, "groups.0.id": "g", "groups.0.label": "Plan", "groups.0.nodes": 2.0,
		} {
			if got := at(t, a, path); got != want {
				t.Errorf("%.30s: %s = %v, want %v", args, path, got, want)
			}
		}
		if strings.Contains(args, "path") && (at(t, a, "freshness.source") != fresh || a["revision"] != string(h.notes.Revision("Boards/Plan.canvas"))) {
			t.Errorf("%s: freshness %v, revision %v", args, a["freshness"], a["revision"])
		}
	}
	a := h.answer(t, "translate_canvas", `{"path":"Boards/Plan.canvas","group":"plan","maxBytes":200}`)
	if a["markdown"] != want {
		t.Errorf("a group by its label: %v", a["markdown"])
	}
	h.notes.Edit("Boards/Empty.canvas", "")
	if a := h.answer(t, "translate_canvas", `{"path":"Boards/Empty.canvas"}`); a["message"] != "The canvas is empty." || fmt.Sprint(a["groups"]) != "[]" {
		t.Errorf("an empty file: %v", a)
	}
}

func TestTranslateCanvasRefuses(t *testing.T) {
	h := build(t)
	h.notes.Edit("Boards/Plan.canvas", board)
	h.notes.Edit("Boards/Bad.canvas", `{"nodes":[`)
	for args, code := range map[string]vault.Code{
		`{}`: vault.InvalidArgument, `{"path":"Boards/Plan.canvas","canvas":{}}`: vault.InvalidArgument, `{"path":"Inbox.md"}`: vault.InvalidArgument,
		`{"path":"Boards/Bad.canvas"}`: vault.InvalidArgument, `{"path":"Boards/Gone.canvas"}`: vault.NotFound, `{"canvas":"x"}`: vault.InvalidArgument,
		`{"path":"Boards/Plan.canvas","group":"Nowhere"}`: vault.NotFound,
	} {
		h.refused(t, "translate_canvas", args, code)
	}
}

func TestTranslateCanvasSaysWhatIsMissing(t *testing.T) {
	h := build(t)
	var nodes []string
	for i := range 600 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"text","text":"Card number %d with some words\u202e","x":%d,"y":%d,"width":10,"height":10}`, i, i, i%10*20, i/10*20))
	}
	canvas := `{"nodes":[` + strings.Join(nodes, ",") + `]}`
	for most, bound := range map[string]string{"": "maxBytes", `,"maxBytes":49152`: "nodes"} {
		a := h.answer(t, "translate_canvas", `{"canvas":`+canvas+most+`}`)
		if a["truncated"] != true || a["nodeCount"] != 600.0 || at(t, a, "bounds.0.limit") != bound || a["message"] == nil {
			t.Errorf("600 cards%s: truncated %v, %v cards, bounds %v, message %v", most, a["truncated"], a["nodeCount"], a["bounds"], a["message"])
		}
		text := a["markdown"].(string)
		if strings.Contains(text, "\u202e") || !strings.Contains(text, "of 600 cards and groups") || most == "" && len(text) > 8<<10 {
			t.Errorf("600 cards%s: %d bytes that end with %q", most, len(text), text[len(text)-100:])
		}
	}
}

func TestCanvasLinksAreEdges(t *testing.T) {
	h := build(t)
	h.notes.Edit("Boards/Plan.canvas", board)
	a := h.answer(t, "query_graph_relations", `{"path":"Projects/Alpha.md","direction":"incoming","kinds":["canvas"]}`)
	if a["total"] != 1.0 || at(t, a, "edges.0.from") != "Boards/Plan.canvas" || at(t, a, "edges.0.via") != nil {
		t.Errorf("a file card: %v", a["edges"])
	}
	a = h.answer(t, "query_graph_relations", `{"path":"Projects/Beta.md","direction":"incoming","kinds":["canvas"]}`)
	if a["total"] != 1.0 || at(t, a, "edges.0.via") != "canvas-text" || at(t, a, "edges.0.line") != 4.0 {
		t.Errorf("a link in a card: %v", a["edges"])
	}
}
