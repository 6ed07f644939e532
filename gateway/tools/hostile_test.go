package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/vault"
)

// TestHostileArguments holds every tool to its codes. Each case has a twin that differs in one thing and works.
func TestHostileArguments(t *testing.T) {
	long := strings.Repeat("a/", 5<<10) + "a.md"
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	cases := []struct {
		tool, args string // %s is where bad and good go
		bad        map[string]vault.Code
		good       []string
	}{
		{"list_vaults", `{"provider":%s}`, map[string]vault.Code{
			`1`: vault.InvalidArgument, `["memory"]`: vault.InvalidArgument, `{}`: vault.InvalidArgument, deep: vault.InvalidArgument,
		}, []string{`"memory"`, `null`, `"` + strings.Repeat("x", 10<<10) + `"`}},
		{"list_vaults", `%s`, map[string]vault.Code{
			`[]`: vault.InvalidArgument, `"x"`: vault.InvalidArgument, `1`: vault.InvalidArgument, `{`: vault.InvalidArgument,
			`{"a":1}`: vault.InvalidArgument, `{"provider":"a","provider":"b"}`: vault.InvalidArgument, "{\"provider\":\"\xff\"}": vault.InvalidArgument,
			`{} {}`: vault.InvalidArgument, `{"provider":"` + "\x00" + `"}`: vault.InvalidArgument, `{"provider":}`: vault.InvalidArgument,
			strings.Repeat(`{"a":`, 10000) + `1` + strings.Repeat(`}`, 10000): vault.InvalidArgument,
		}, []string{`{}`, `null`, ``, ` {} `}},
		{"search_notes", `{"mappingId":%s}`, map[string]vault.Code{
			`"map_1"`: vault.NotFound, `""`: "", `"../../etc"`: vault.NotFound, `"\u0000"`: vault.NotFound, `1`: vault.InvalidArgument,
			quote(long): vault.NotFound,
		}, []string{`null`}},
		{"search_notes", `{"query":%s}`, map[string]vault.Code{
			`1`: vault.InvalidArgument, `["a"]`: vault.InvalidArgument, quote(strings.Repeat("a ", 1001)): vault.InvalidArgument, `true`: vault.InvalidArgument,
		}, []string{`""`, quote(strings.Repeat("a ", 1000)), `"\u0000 ' OR 1=1 --"`, `"\"unbalanced"`, `"((("`, `"-"`, `"tag:"`}},
		{"search_notes", `{"limit":%s}`, map[string]vault.Code{
			`0`: vault.InvalidArgument, `-1`: vault.InvalidArgument, `51`: vault.InvalidArgument, `1.5`: vault.InvalidArgument, `1e400`: vault.InvalidArgument,
			`99999999999999999999`: vault.InvalidArgument, `-9223372036854775809`: vault.InvalidArgument, `"ten"`: vault.InvalidArgument, `"1.0"`: vault.InvalidArgument,
			`[1]`: vault.InvalidArgument, `true`: vault.InvalidArgument, strings.Repeat("1", 1000): vault.InvalidArgument,
		}, []string{`1`, `50`, `"50"`, `5e1`, `null`}},
		{"search_notes", `{"sort":%s}`, map[string]vault.Code{
			`"random"`: vault.InvalidArgument, `"Relevance"`: vault.InvalidArgument, `""`: vault.InvalidArgument, `1`: vault.InvalidArgument,
		}, []string{`"relevance"`, `"modified"`, `"created"`, `"path"`, `"title"`, `null`}},
		{"search_notes", `{"pathPrefix":%s}`, map[string]vault.Code{
			`".."`: vault.InvalidArgument, `"a/../../b"`: vault.InvalidArgument, `"a\\b"`: vault.InvalidArgument, `"a\u0000"`: vault.InvalidArgument,
			quote(long): vault.InvalidArgument, `"a//b"`: vault.InvalidArgument, `7`: vault.InvalidArgument,
		}, []string{`"Projects"`, `"Projects/"`, `"/Projects"`, `""`, `"/"`, `".obsidian"`, `"nowhere"`}},
		{"search_notes", `{"tags":%s}`, map[string]vault.Code{
			`"project"`: vault.InvalidArgument, `[1]`: vault.InvalidArgument, `[null]`: vault.InvalidArgument, `{"a":"b"}`: vault.InvalidArgument,
			`"[1]"`: vault.InvalidArgument, `"[\"a\""`: vault.InvalidArgument, `[` + strings.Repeat(`"a",`, 20) + `"a"]`: vault.InvalidArgument, deep: vault.InvalidArgument,
		}, []string{`["project"]`, `["#project"]`, `[]`, `"[\"project\"]"`}},
		{"search_notes", `{"properties":%s}`, map[string]vault.Code{
			`[]`: vault.InvalidArgument, `"status"`: vault.InvalidArgument, `{"a":[]}`: vault.InvalidArgument, `{"a":{"b":1}}`: vault.InvalidArgument,
		}, []string{`{"status":"open"}`, `{"status":null}`, `{"status":true}`, `{}`, `{"a":12345678901234567890}`}},
		{"search_notes", `{"modifiedAfter":%s}`, map[string]vault.Code{
			`"yesterday"`: vault.InvalidArgument, `0`: vault.InvalidArgument, `""`: vault.InvalidArgument, `"2026-13-01"`: vault.InvalidArgument,
			`"2026-11-30T25:00:00Z"`: vault.InvalidArgument,
		}, []string{`"2026-11-30T00:00:00Z"`, `"2026-11-30T00:00:00+02:00"`, `"2026-11-30"`}},
		{"get_note_content", `{"path":%s}`, map[string]vault.Code{
			`"../secret.md"`: vault.InvalidArgument, `"Projects/../Inbox.md"`: vault.InvalidArgument, `"./Inbox.md"`: vault.InvalidArgument,
			`"Inbox.md\u0000"`: vault.InvalidArgument, `"Projects\\Alpha.md"`: vault.InvalidArgument, `"C:\\Inbox.md"`: vault.InvalidArgument,
			`"//"`: vault.InvalidArgument, `""`: vault.InvalidArgument, quote(long): vault.InvalidArgument, `7`: vault.InvalidArgument,
			`"/etc/passwd"`: vault.NotFound, `".obsidian/app.json"`: vault.NotFound, `".trash/Inbox.md"`: vault.NotFound, `"Nowhere"`: vault.NotFound,
			`"pic.png"`: vault.UnsupportedHere, `"Locked.md"`: vault.EncryptedNote, `["Inbox.md"]`: vault.InvalidArgument, `{}`: vault.InvalidArgument,
			quote(strings.Repeat("a", 300) + ".md"): vault.InvalidArgument, `"\u202eInbox.md"`: vault.NotFound,
		}, []string{`"Inbox.md"`, `"Projects/Alpha.md"`, `"Alpha"`, `"alpha"`, `"First"`, `"/Inbox.md"`, `"Broken.md"`, `"[[Alpha|shown]]"`}},
		{"get_note_content", `{"paths":%s}`, map[string]vault.Code{
			`[]`: vault.InvalidArgument, `["../x.md"]`: vault.InvalidArgument, `[null]`: vault.InvalidArgument, `"Inbox.md"`: vault.InvalidArgument,
			`["a","b","c","d","e","f","g","h","i","j","k"]`: vault.InvalidArgument, `[["Inbox.md"]]`: vault.InvalidArgument, `null`: vault.InvalidArgument,
		}, []string{`["Inbox.md"]`, `["Inbox.md","Nowhere","Alpha"]`, `["a","b","c","d","e","f","g","h","i","j"]`, `"[\"Inbox\"]"`}},
		{"get_note_content", `{"path":"Alpha","heading":%s}`, map[string]vault.Code{
			`"Nothing"`: vault.NotFound, `7`: vault.InvalidArgument, quote(strings.Repeat("x", 1001)): vault.InvalidArgument, `"Log > Risks"`: vault.NotFound,
		}, []string{`"Plan"`, `"plan > risks"`, `"## Plan"`, `""`, `null`}},
		{"get_note_content", `{"path":"Alpha","lines":%s}`, map[string]vault.Code{
			`"0"`: vault.InvalidArgument, `"3-1"`: vault.InvalidArgument, `"-1"`: vault.InvalidArgument, `"a-b"`: vault.InvalidArgument, `"1-99999999999999999999"`: vault.InvalidArgument,
			`"1000-2000"`: vault.NotFound, `3`: vault.InvalidArgument, `[1,2]`: vault.InvalidArgument,
		}, []string{`"1"`, `"1-3"`, `" 2 - 4 "`, `"1-9999"`}},
		{"get_note_content", `{"path":"Beta","blockId":%s}`, map[string]vault.Code{
			`"nothing"`: vault.NotFound, `7`: vault.InvalidArgument, `"\u0000"`: vault.NotFound, quote(strings.Repeat("x", 256)): vault.InvalidArgument,
		}, []string{`""`, `null`}},
		{"create_or_append_note", `{"content":"x","daily":%s}`, map[string]vault.Code{
			`false`: vault.InvalidArgument, `1`: vault.InvalidArgument, `"today"`: vault.InvalidArgument, `true,"path":"x.md"`: vault.InvalidArgument,
			`true,"template":"Nowhere"`: vault.NotFound, `true,"template":"../x"`: vault.InvalidArgument, `true,"template":"pic.png"`: vault.NotFound,
		}, []string{`true`, `"true"`, `true,"template":"Lonely"`, `null,"path":"x.md"`}},
		{"get_note_content", `{"path":"Alpha","maxBytes":%s}`, map[string]vault.Code{
			`0`: vault.InvalidArgument, `-5`: vault.InvalidArgument, `49153`: vault.InvalidArgument, `1e99`: vault.InvalidArgument,
		}, []string{`200`, `49152`}},
		{"get_note_content", `{"path":"Alpha","offset":%s}`, map[string]vault.Code{
			`-1`: vault.InvalidArgument, `1000000`: vault.InvalidArgument, `9223372036854775807`: vault.InvalidArgument, `"x"`: vault.InvalidArgument,
		}, []string{`0`, `10`, `"10"`}},
		{"query_graph_relations", `{"path":%s}`, map[string]vault.Code{
			`".."`: vault.InvalidArgument, `"a\\b"`: vault.InvalidArgument, `"\u0000"`: vault.InvalidArgument, quote(long): vault.InvalidArgument,
			`"Nowhere"`: vault.NotFound, `".git/config"`: vault.NotFound, `""`: vault.InvalidArgument, `1`: vault.InvalidArgument,
		}, []string{`"Alpha"`, `"Projects/Alpha.md"`, `"pic.png"`, `null`}},
		{"query_graph_relations", `{"path":"Alpha","depth":%s}`, map[string]vault.Code{
			`0`: vault.InvalidArgument, `4`: vault.InvalidArgument, `1000000`: vault.InvalidArgument,
		}, []string{`1`, `3`, `"2"`}},
		{"query_graph_relations", `{"kinds":%s}`, map[string]vault.Code{
			`["banana"]`: vault.InvalidArgument, `"wikilink"`: vault.InvalidArgument, `[1]`: vault.InvalidArgument,
		}, []string{`["wikilink","embed","markdown","property","canvas"]`, `[]`}},
		{"query_graph_relations", `{"direction":%s}`, map[string]vault.Code{`"up"`: vault.InvalidArgument}, []string{`"incoming"`, `"outgoing"`, `"both"`}},
		{"query_graph_relations", `{"filter":%s}`, map[string]vault.Code{`"all"`: vault.InvalidArgument}, []string{`"orphans"`, `"unresolved"`}},
		{"query_graph_relations", `{"limit":%s}`, map[string]vault.Code{`0`: vault.InvalidArgument, `201`: vault.InvalidArgument}, []string{`1`, `200`}},
		{"translate_canvas", `{"canvas":%s}`, map[string]vault.Code{
			`"{}"`: vault.InvalidArgument, `[]`: vault.InvalidArgument, `1`: vault.InvalidArgument, `null`: vault.InvalidArgument, `{"nodes":` + deep + `}`: vault.InvalidArgument,
		}, []string{`{}`, `{"nodes":7,"edges":{}}`, `{"nodes":[null,{"id":1,"x":1e400}],"edges":[{}]}`}},
		{"translate_canvas", `{"path":%s}`, map[string]vault.Code{
			`"../x.canvas"`: vault.InvalidArgument, `"Nowhere.canvas"`: vault.NotFound, `"Inbox.md"`: vault.InvalidArgument, `"pic.png"`: vault.InvalidArgument, `7`: vault.InvalidArgument,
		}, nil},
		{"get_vault_schema", `{"include":%s}`, map[string]vault.Code{
			`["all"]`: vault.InvalidArgument, `"keys"`: vault.InvalidArgument, `[1]`: vault.InvalidArgument, `["keys","keys","keys","keys","keys"]`: vault.InvalidArgument,
		}, []string{`["keys","tags","folders","stats"]`, `[]`, `null`}},
		{"get_vault_schema", `{"key":%s}`, map[string]vault.Code{`1`: vault.InvalidArgument, quote(strings.Repeat("x", 256)): vault.InvalidArgument}, []string{`"status"`, `"nothing"`, `""`}},
		{"get_vault_schema", `{"pathPrefix":%s}`, map[string]vault.Code{`"../x"`: vault.InvalidArgument, `7`: vault.InvalidArgument}, []string{`"Projects"`, `"/"`, `"nowhere"`}},
		{"create_or_append_note", `{"content":"x","path":%s}`, map[string]vault.Code{
			`"../x.md"`: vault.InvalidArgument, `"/x.md"`: vault.InvalidArgument, `"a\\x.md"`: vault.InvalidArgument, `".obsidian/x.md"`: vault.InvalidArgument,
			`"a/.x.md"`: vault.InvalidArgument, `"x\u0000.md"`: vault.InvalidArgument, `""`: vault.InvalidArgument, `"x.exe"`: vault.InvalidArgument, `"x"`: vault.InvalidArgument,
			quote(long): vault.InvalidArgument, `7`: vault.InvalidArgument, `null`: vault.InvalidArgument, `"Locked.md"`: vault.EncryptedNote,
			`"Broken.md"`: vault.UnsupportedEncoding, `"INBOX.md"`: vault.AlreadyExists,
		}, []string{`"x.md"`, `"deep/er/x.md"`, `"Inbox.md"`}},
		{"create_or_append_note", `{"path":"x.md","content":%s}`, map[string]vault.Code{
			`null`: vault.InvalidArgument, `7`: vault.InvalidArgument, `"a\u0000b"`: vault.UnsupportedEncoding, quote(strings.Repeat("x", 1<<20+1)): vault.NoteTooLarge,
		}, []string{`"x"`, quote(strings.Repeat("x", 1<<20-10)), `"\u202e"`}},
		{"create_or_append_note", `{"path":"Inbox.md","content":"x","mode":%s}`, map[string]vault.Code{
			`"replace"`: vault.InvalidArgument, `"create"`: vault.AlreadyExists, `1`: vault.InvalidArgument,
		}, []string{`"append"`, `"create_or_append"`}},
		{"create_or_append_note", `{"path":"Inbox.md","content":"x","expectedRevision":%s}`, map[string]vault.Code{
			`"r0"`: vault.RevisionConflict, quote(long): vault.RevisionConflict, `1`: vault.InvalidArgument,
		}, []string{`null`}},
		{"create_or_append_note", `{"path":"new.md","content":"x","properties":%s}`, map[string]vault.Code{
			`[]`: vault.InvalidArgument, `"a: b"`: vault.InvalidArgument, `{"a":` + deep + `}`: vault.InvalidArgument,
		}, []string{`{"n":9007199254740993,"list":["a",null],"map":{"x":true}}`, `{}`}},
		{"create_or_append_note", `{"path":"x.md","content":"x","dryRun":%s}`, map[string]vault.Code{
			`false`: vault.KeyRequired, `"false"`: vault.KeyRequired, `0`: vault.InvalidArgument, `"no"`: vault.InvalidArgument,
		}, []string{`true`, `"true"`, `null`}},
		{"apply_note_transaction", `%s`, map[string]vault.Code{
			`{}`: vault.InvalidArgument, `{"actions":[]}`: vault.InvalidArgument, `{"transactionId":"txn_1"}`: vault.InvalidArgument,
			`{"transactionId":"txn_1","paths":["x.md"]}`: vault.InvalidArgument, `{"transactionId":"txn_1","paths":["x.md"],"dryRun":false}`: vault.NotFound, `{"transactionId":"txn_1","paths":["../x.md"]}`: vault.InvalidArgument,
			`{"transactionId":"txn_1","paths":["x.md"],"actions":[{"kind":"delete","path":"x.md"}]}`: vault.InvalidArgument,
			`{"paths":["x.md"]}`: vault.InvalidArgument,
			`{"actions":[{"kind":"append","path":"Inbox.md","content":"x"}],"dryRun":false}`:                                                                   vault.KeyRequired,
			`{"actions":[` + strings.Repeat(`{"kind":"append","path":"Inbox.md","content":"x"},`, 100) + `{"kind":"append","path":"Inbox.md","content":"x"}]}`: vault.TooManyActions,
		}, []string{
			`{"actions":[{"kind":"append","path":"Inbox.md","content":"x"}]}`,
			`{"actions":[` + strings.Repeat(`{"kind":"append","path":"Inbox.md","content":"x"},`, 99) + `{"kind":"append","path":"Inbox.md","content":"x"}]}`,
		}},
		{"apply_note_transaction", `{"actions":[%s]}`, map[string]vault.Code{
			`null`: vault.InvalidArgument, `{}`: vault.InvalidArgument, `{"kind":"append"}`: vault.InvalidArgument, `{"path":"x.md"}`: vault.InvalidArgument,
			`{"kind":"chmod","path":"x.md"}`: vault.InvalidArgument, `{"kind":"append","path":"../x.md","content":"x"}`: vault.InvalidArgument,
			`{"kind":"append","path":"Inbox.md"}`: vault.InvalidArgument, `{"kind":"append","path":"Inbox.md","content":"x","mode":"w"}`: vault.InvalidArgument,
			`{"kind":"append","path":"Gone.md","content":"x"}`: vault.NotFound, `{"kind":"create","path":"Inbox.md","content":"x"}`: vault.AlreadyExists,
			`{"kind":"replace","path":"Inbox.md","content":"x"}`: vault.InvalidArgument, `{"kind":"delete","path":"Inbox.md"}`: vault.InvalidArgument,
			`{"kind":"delete","path":"Inbox.md","expectedRevision":"r0"}`: vault.RevisionConflict, `"append"`: vault.InvalidArgument, deep: vault.InvalidArgument,
		}, []string{`{"kind":"append","path":"Inbox.md","content":"x"}`, `{"kind":"create","path":"New.md","content":"x","properties":null}`}},
		{"propose_knowledge_change", `{"reason":%s,"actions":[{"kind":"append","path":"Inbox.md","content":"x"}]}`, map[string]vault.Code{
			`null`: vault.InvalidArgument, `""`: vault.InvalidArgument, `1`: vault.InvalidArgument, quote(strings.Repeat("é", 501)): vault.InvalidArgument,
		}, []string{`"because"`, quote(strings.Repeat("é", 500))}},
		{"propose_knowledge_change", `{"reason":"r","actions":%s}`, map[string]vault.Code{
			`null`: vault.InvalidArgument, `[]`: vault.InvalidArgument, `{}`: vault.InvalidArgument, `[{"kind":"append","path":"a/../b.md","content":"x"}]`: vault.InvalidArgument,
		}, []string{`[{"kind":"append","path":"Inbox.md","content":"x"}]`}},
		{"get_knowledge_events", `{"path":%s}`, map[string]vault.Code{
			`"../x"`: vault.InvalidArgument, `"a\\b"`: vault.InvalidArgument, `1`: vault.InvalidArgument, quote(long): vault.InvalidArgument,
		}, []string{`"Inbox.md"`, `"/Inbox.md"`, `"nowhere.md"`}},
		{"get_knowledge_events", `{"limit":%s}`, map[string]vault.Code{`0`: vault.InvalidArgument, `101`: vault.InvalidArgument}, []string{`100`}},
		{"get_knowledge_events", `{"since":%s}`, map[string]vault.Code{`"x"`: vault.InvalidArgument, `5`: vault.InvalidArgument}, []string{`"2026-11-30T00:00:00Z"`}},
		{"get_knowledge_events", `{"kinds":%s}`, map[string]vault.Code{
			`"x"`: vault.InvalidArgument, `[{}]`: vault.InvalidArgument, `["deleted"]`: vault.InvalidArgument,
		}, []string{`["note_deleted"]`, `[]`}},
	}
	tested := map[string]bool{}
	for _, c := range cases {
		tested[c.tool] = true
		t.Run(c.tool+" "+strings.ReplaceAll(c.args, "%s", "…"), func(t *testing.T) {
			h := build(t)
			for bad, code := range c.bad {
				if code == "" {
					continue
				}
				e := h.refused(t, c.tool, strings.Replace(c.args, "%s", bad, 1), code)
				if text := string(e.Message) + e.Hint; len(text) > 2500 || strings.ContainsAny(text, "\x00\u202e") {
					t.Errorf("%s %.80s: an error of %d bytes repeats what it was given", c.tool, bad, len(text))
				}
				if !json.Valid([]byte(fmt.Sprintf("%q", e.Code))) {
					t.Errorf("%s: code %q", c.tool, e.Code)
				}
			}
			for _, good := range c.good {
				h.answer(t, c.tool, strings.Replace(c.args, "%s", good, 1))
			}
		})
	}
	for _, d := range build(t).Definitions() {
		if !tested[d.Name] {
			t.Errorf("no hostile arguments for %s", d.Name)
		}
	}
}
