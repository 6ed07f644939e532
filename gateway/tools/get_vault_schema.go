package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

type getVaultSchemaIn struct {
	MappingID  string       `json:"mappingId,omitempty" jsonschema:"vault, from list_vaults; optional with one vault"`
	PathPrefix Folder       `json:"pathPrefix,omitempty" jsonschema:"only this folder and below, such as Projects"`
	Key        string       `json:"key,omitempty" rule:"max=255" jsonschema:"only this property, with more of its values"`
	Include    []SchemaPart `json:"include,omitempty" rule:"max=4" jsonschema:"what to list; keys when left out"`
	Limit      int          `json:"limit,omitempty" rule:"min=1,max=200,default=50" jsonschema:"most keys, tags and folders in this answer, the most used first"`
}

// SchemaPart is a part of a vault's schema.
type SchemaPart string

type getVaultSchemaOut struct {
	Keys      []schemaKeyOut  `json:"keys,omitempty"`
	Tags      []vault.Counted `json:"tags,omitempty"`
	Folders   []vault.Counted `json:"folders,omitempty"`
	Stats     *SchemaStats    `json:"stats,omitempty"`
	Counts    schemaCounts    `json:"counts"`
	Scanned   int             `json:"scanned"`
	Total     int             `json:"total"`
	Coverage  coverageOut     `json:"coverage"`
	Freshness Freshness       `json:"freshness"`
	Answer
}

// schemaCounts is how many there are, listed or not.
type schemaCounts struct {
	Keys    int `json:"keys"`
	Tags    int `json:"tags"`
	Folders int `json:"folders"`
}

type schemaKeyOut struct {
	Key      string         `json:"key"`
	Count    int            `json:"count"`
	Type     string         `json:"type"`
	Declared bool           `json:"declared,omitempty"`
	Types    map[string]int `json:"types"`
	Examples []string       `json:"examples"`
}

func getVaultSchema() *tool {
	return define(description{
		name:  "get_vault_schema",
		title: "Properties, tags and folders",
		text: "What a vault is made of: its property names with how many notes have each, their types and example values; its tags; its folders; " +
			"and totals. Use it before you filter by properties or write them, so that names and types match. Types marked declared are the " +
			"owner's own; the others are those of most values.",
		class: reads, noteText: true,
	}, runSchema)
}

func runSchema(ctx context.Context, c *Call, in getVaultSchemaIn) (getVaultSchemaOut, error) {
	v, err := c.open(ctx, in.MappingID, vault.NeedRead)
	if err != nil {
		return getVaultSchemaOut{}, err
	}
	a, err := v.Schema(ctx, SchemaRequest{PathPrefix: vault.Path(in.PathPrefix)})
	if err != nil {
		return getVaultSchemaOut{}, err
	}
	s := a.Schema
	out := getVaultSchemaOut{
		Counts: schemaCounts{s.KeyCount(), s.TagCount(), s.FolderCount()}, Scanned: s.Notes, Total: a.Total,
		Coverage: coverage(a.Coverage), Freshness: a.Freshness.utc(),
	}
	wants := func(part SchemaPart) bool {
		return slices.Contains(in.Include, part) || len(in.Include) == 0 && part == "keys"
	}
	// Keys come first, and leave a part of the room to what else is asked for; that shares the rest.
	room := usualAnswer - 600
	if wants("keys") || in.Key != "" {
		share := room
		if wants("tags") || wants("folders") {
			share = room / 2
		}
		room -= out.keys(a, in, share)
	}
	if wants("tags") {
		share := room
		if wants("folders") {
			share = room / 2
		}
		var used int
		out.Tags, used = out.counted(s.Tags(), in.Limit, share)
		room -= used
	}
	if wants("folders") {
		out.Folders, _ = out.counted(s.Folders(), in.Limit, room)
	}
	if wants("stats") {
		out.Stats = &a.Stats
	}
	switch {
	case s.Notes == 0:
		out.Message = "There are no notes " + where(in.PathPrefix) + " whose properties are known. Try without pathPrefix."
	case in.Key != "" && len(out.Keys) == 0:
		out.Message = "No note " + where(in.PathPrefix) + " has the property " + show(in.Key) + near(in.Key, s) + "."
	}
	return out, nil
}

func where(folder Folder) string {
	if folder == "" {
		return "in this vault"
	}
	return "in the folder " + show(string(folder))
}

func near(key string, s *vault.Schema) string {
	var names []string
	for _, k := range s.Keys(nil, 0) {
		names = append(names, k.Key)
	}
	return mean(key, names)
}

// keys lists the properties, or the one that is asked for in each of its spellings, and returns the room that they take.
func (out *getVaultSchemaOut) keys(a SchemaAnswer, in getVaultSchemaIn, room int) (used int) {
	const few, many = 3, 20
	examples := few
	if in.Key != "" {
		examples = many
	}
	for _, k := range a.Schema.Keys(a.Types, examples) {
		if in.Key != "" && !strings.EqualFold(k.Key, in.Key) {
			continue
		}
		o := schemaKeyOut{Key: vault.EscapeHidden(k.Key), Count: k.Count, Type: k.Type, Declared: k.Declared, Types: k.Types, Examples: nonNil(k.Examples)}
		for i, e := range o.Examples {
			o.Examples[i] = vault.EscapeHidden(e)
		}
		out.Keys = append(out.Keys, o)
		if len(out.Keys) == in.Limit {
			break
		}
	}
	shown := fit(len(out.Keys), room, func(i int) int { return out.Keys[i].size() })
	if shown < len(out.Keys) {
		out.Keys = out.Keys[:shown]
		out.bound(Bound{"answerBytes", usualAnswer})
	}
	for i := range out.Keys {
		used += out.Keys[i].size()
	}
	return used
}

func (k *schemaKeyOut) size() int {
	n := 75 + len(k.Key) + 15*len(k.Types)
	for _, e := range k.Examples {
		n += len(e)*21/20 + 3
	}
	return n
}

// counted cuts a list to the limit and the room, and returns the room that it takes.
func (out *getVaultSchemaOut) counted(list []vault.Counted, limit, room int) (cut []vault.Counted, used int) {
	list = list[:min(len(list), limit)]
	size := func(i int) int { return 28 + len(list[i].Name) }
	shown := fit(len(list), room, size)
	if shown < len(list) {
		list = list[:shown]
		out.bound(Bound{"answerBytes", usualAnswer})
	}
	for i := range list {
		used += size(i)
		list[i].Name = vault.EscapeHidden(list[i].Name)
	}
	return list, used
}
