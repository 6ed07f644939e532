package mcphttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// texts are the answers that are the same for everybody, encoded once. A request copies them.
type texts struct {
	server     json.RawMessage // name, title, version
	discovery  json.RawMessage // of GET and of the older server/discover
	discover   json.RawMessage // of the modern server/discover
	initialize json.RawMessage // what follows the negotiated version
	lists      map[string]list // by set
	sets       []string
	finish     string // the last members of every modern result
	public     string // cache hints
	private    string
}

type list struct{ handshake, modern json.RawMessage }

const defaultMaxAge = 5 * time.Minute

func newTexts(name, title, version, instructions string, more json.RawMessage, maxAge time.Duration, sets map[string][]Tool) (t texts, err error) {
	info := struct {
		Name    string `json:"name"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version"`
	}{name, title, version}
	if t.server, err = encode(info); err != nil {
		return t, err
	}
	capabilities := map[string]json.RawMessage{}
	if len(more) > 0 {
		if err := json.Unmarshal(more, &capabilities); err != nil {
			return t, fmt.Errorf("capabilities: %w", err)
		}
	}
	capabilities["tools"] = json.RawMessage(`{"listChanged":false}`)
	declared, err := encode(capabilities)
	if err != nil {
		return t, err
	}
	if maxAge <= 0 {
		maxAge = defaultMaxAge
	}
	t.public = `"ttlMs":` + strconv.FormatInt(maxAge.Milliseconds(), 10) + `,"cacheScope":"public"`
	t.private = `"ttlMs":0,"cacheScope":"private"`
	t.finish = `"resultType":"complete","_meta":{` + string(appendString(nil, metaServer)) + `:` + string(t.server) + `}}`
	instruct := ""
	if instructions != "" {
		instruct = `,"instructions":` + string(appendString(nil, instructions))
	}
	versions, err := encode(Versions())
	if err != nil {
		return t, err
	}
	t.initialize = json.RawMessage(fmt.Sprintf(`,"capabilities":%s,"serverInfo":%s%s}`, declared, t.server, instruct))
	t.discover = json.RawMessage(fmt.Sprintf(`{"supportedVersions":%s,"capabilities":%s%s,%s,%s`, versions, declared, instruct, t.public, t.finish))
	t.discovery = json.RawMessage(fmt.Sprintf(`{"server":{"name":%s,"version":%s,"protocolVersion":%q},"protocolVersions":%s,"capabilities":%s%s}`,
		appendString(nil, name), appendString(nil, version), Modern, versions, declared, instruct))
	t.lists = map[string]list{}
	t.sets = slices.DeleteFunc(slices.Sorted(maps.Keys(sets)), func(s string) bool { return s == "" })
	for set, tools := range sets {
		if t.lists[set], err = t.newList(tools); err != nil {
			return t, err
		}
	}
	if _, ok := t.lists[""]; !ok {
		return t, fmt.Errorf("the set %q, all tools, is missing", "")
	}
	return t, nil
}

func (t texts) newList(tools []Tool) (list, error) {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	for i, tool := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		var name struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(tool.Descriptor, &name); err != nil || name.Name != tool.Name {
			return list{}, fmt.Errorf("the descriptor of %q names %q (%v)", tool.Name, name.Name, err)
		}
		if err := json.Compact(&b, tool.Descriptor); err != nil {
			return list{}, err
		}
	}
	b.WriteByte(']')
	common := b.String()
	return list{
		handshake: json.RawMessage(common + "}"),
		modern:    json.RawMessage(common + "," + t.public + "," + t.finish),
	}, nil
}

// dress turns the object that a method returned into a result of the era.
func (t texts) dress(e era, object json.RawMessage, hints string) (json.RawMessage, error) {
	object = oneLine(object)
	if len(object) < 2 || object[0] != '{' || object[len(object)-1] != '}' {
		return nil, fmt.Errorf("a result is an object")
	}
	if e != modern {
		return object, nil
	}
	inner := strings.TrimSpace(string(object[1 : len(object)-1]))
	parts := []string{inner, hints, t.finish}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return json.RawMessage("{" + strings.Join(parts, ",")), nil
}
