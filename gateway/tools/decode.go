package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// decoder turns parsed arguments into a Go value, by a schema. On the way it understands slips, and leaves the arguments as they
// were understood, so that a cursor can carry them.
type decoder struct {
	tool       string
	vaultName  string   // the synonym "vault", which takes a name as well as a handle
	understood []string // in the order of the schema
}

func (d *decoder) took(format string, args ...any) {
	const most = 10
	if len(d.understood) < most {
		d.understood = append(d.understood, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) wrong(at, format string, args ...any) error {
	return vault.Errorf(vault.InvalidArgument, "%s", at+" "+fmt.Sprintf(format, args...)).
		With("field", at).
		Next("Correct " + at + " and call " + d.tool + " again.")
}

// object fills the struct v with m. at is "" for the arguments themselves.
func (d *decoder) object(s *schema, m map[string]any, v reflect.Value, at string) error {
	maps.DeleteFunc(m, func(_ string, x any) bool { return x == nil })
	if err := d.rename(s, m, at); err != nil {
		return err
	}
	if err := d.unknown(s, m, at); err != nil {
		return err
	}
	for i := range s.fields {
		f := &s.fields[i]
		x, ok := m[f.name]
		switch {
		case ok:
			y, err := d.value(f.schema, x, target(v, f.index), join(at, f.name))
			if err != nil {
				return err
			}
			m[f.name] = y
		case f.required:
			return vault.Errorf(vault.InvalidArgument, "%s is missing", join(at, f.name)).
				With("field", join(at, f.name)).
				Next("Give " + join(at, f.name) + ": " + f.about + ".")
		case f.schema.rule.def != nil:
			target(v, f.index).Set(reflect.ValueOf(f.schema.rule.def).Convert(target(v, f.index).Type()))
		}
	}
	return nil
}

// target is the field to set, behind a pointer that is made if need be.
func target(v reflect.Value, index []int) reflect.Value {
	f := v.FieldByIndex(index)
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		return f.Elem()
	}
	return f
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func (d *decoder) rename(s *schema, m map[string]any, at string) error {
	for _, syn := range s.synonyms {
		x, ok := m[syn.from]
		if !ok {
			continue
		}
		delete(m, syn.from)
		if syn.to == "mappingId" {
			name, ok := x.(string)
			if !ok {
				return d.wrong(join(at, syn.from), "must be a string, not %s", article(x))
			}
			d.vaultName = name
			continue
		}
		if canonical, both := m[syn.to]; both {
			if fmt.Sprint(canonical) != fmt.Sprint(x) {
				return d.wrong(join(at, syn.from), "is another name for %s, and the two have different values", syn.to)
			}
			continue
		}
		m[syn.to] = x
		d.took("%s was taken as %s", join(at, syn.from), syn.to)
	}
	return nil
}

func (d *decoder) unknown(s *schema, m map[string]any, at string) error {
	known := 0
	for i := range s.fields {
		if _, ok := m[s.fields[i].name]; ok {
			known++
		}
	}
	if known == len(m) {
		return nil
	}
	names := make([]string, len(s.fields))
	for i := range s.fields {
		names[i] = s.fields[i].name
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, ok := s.byName[name]; ok {
			continue
		}
		where := d.tool
		if at != "" {
			where = at
		}
		e := vault.Errorf(vault.InvalidArgument, "%s has no argument %s%s", where, show(name), mean(name, names)).
			With("field", strings.Trim(show(name), `"`)).With("known", names)
		if n := Nearest(name, names); n != "" {
			return e.With("nearest", n).Next("Use " + n + " instead.")
		}
		return e.Next("Leave it out, or use one of: " + strings.Join(names, ", ") + ".")
	}
	return nil
}

// value sets v to x and returns x as it was understood.
func (d *decoder) value(s *schema, x any, v reflect.Value, at string) (any, error) {
	switch s.kind {
	case kindObject:
		m, ok := x.(map[string]any)
		if !ok {
			return nil, d.wrong(at, "must be an object, not %s", article(x))
		}
		return m, d.object(s, m, v, at)
	case kindMap:
		return d.mapping(s, x, v, at)
	case kindArray:
		return d.array(s, x, v, at)
	case kindString:
		return d.text(s, x, v, at)
	case kindScalar:
		switch x.(type) {
		case string, json.Number, bool:
			v.SetString(fmt.Sprint(x))
			return x, nil
		}
		return nil, d.wrong(at, "must be a string, a number or a boolean, not %s", article(x))
	case kindTime:
		return d.time(x, v, at)
	case kindBoolean:
		b, ok := x.(bool)
		if t, isText := x.(string); isText && (t == "true" || t == "false") {
			b, ok = t == "true", true
			d.took("%s %q was taken as %s", at, t, t)
		}
		if !ok {
			return nil, d.wrong(at, "must be true or false, not %s", article(x))
		}
		v.SetBool(b)
		return b, nil
	case kindInteger:
		return d.integer(s, x, v, at)
	case kindNumber:
		n, ok := x.(json.Number)
		f, err := strconv.ParseFloat(string(n), 64)
		if !ok || err != nil {
			return nil, d.wrong(at, "must be a number, not %s", article(x))
		}
		v.SetFloat(f)
		return x, nil
	}
	v.Set(reflect.ValueOf(plain(x)))
	return x, nil
}

func (d *decoder) mapping(s *schema, x any, v reflect.Value, at string) (any, error) {
	m, ok := x.(map[string]any)
	if !ok {
		return nil, d.wrong(at, "must be an object, not %s", article(x))
	}
	out := reflect.MakeMapWithSize(v.Type(), len(m))
	for name, y := range m {
		if y == nil {
			delete(m, name)
			continue
		}
		e := reflect.New(v.Type().Elem()).Elem()
		y, err := d.value(s.elem, y, e, join(at, show(name)))
		if err != nil {
			return nil, err
		}
		m[name] = y
		out.SetMapIndex(reflect.ValueOf(name), e)
	}
	v.Set(out)
	return m, nil
}

func (d *decoder) array(s *schema, x any, v reflect.Value, at string) (any, error) {
	list, ok := x.([]any)
	if t, isText := x.(string); isText && strings.HasPrefix(strings.TrimSpace(t), "[") {
		if y, err := parse([]byte(t)); err == nil {
			if list, ok = y.([]any); ok {
				d.took("the text in %s was taken as an array", at)
			}
		}
	}
	if !ok {
		return nil, d.wrong(at, "must be an array, not %s", article(x))
	}
	if r := s.rule; r.max != nil && int64(len(list)) > *r.max {
		return nil, d.wrong(at, "has %d items; at most %d are allowed", len(list), *r.max)
	}
	if r := s.rule; r.min != nil && int64(len(list)) < *r.min {
		return nil, d.wrong(at, "has %d items; at least %d are needed", len(list), *r.min)
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, y := range list {
		here := fmt.Sprintf("%s[%d]", at, i)
		if y == nil {
			return nil, d.wrong(here, "must not be null")
		}
		y, err := d.value(s.elem, y, out.Index(i), here)
		if err != nil {
			return nil, err
		}
		list[i] = y
	}
	v.Set(out)
	return list, nil
}

func (d *decoder) text(s *schema, x any, v reflect.Value, at string) (any, error) {
	t, ok := x.(string)
	if !ok {
		return nil, d.wrong(at, "must be a string, not %s", article(x))
	}
	if s.enum != nil && !slices.Contains(s.enum, t) {
		e := vault.Errorf(vault.InvalidArgument, "%s %s is not one of %s", at, show(t), strings.Join(s.enum, ", ")).
			With("field", at).With("allowed", s.enum)
		if n := Nearest(t, s.enum); n != "" {
			return nil, e.Next("Use " + n + ".")
		}
		return nil, e.Next("Use one of: " + strings.Join(s.enum, ", ") + ".")
	}
	if r := s.rule; r.max != nil && len(t) > int(*r.max) && int64(utf8.RuneCountInString(t)) > *r.max {
		return nil, d.wrong(at, "is longer than %d characters", *r.max)
	}
	if r := s.rule; r.min != nil && int64(utf8.RuneCountInString(t)) < *r.min {
		return nil, d.wrong(at, "is shorter than %d characters", *r.min)
	}
	if s.clean != nil {
		taken, why, err := s.clean(t)
		if err != nil {
			return nil, vault.AsError(err).With("field", at)
		}
		if why != "" {
			d.took("%s was taken %s", at, why)
			t = taken
		}
		v.SetString(taken)
		return t, nil
	}
	v.SetString(t)
	return t, nil
}

func (d *decoder) time(x any, v reflect.Value, at string) (any, error) {
	t, ok := x.(string)
	if !ok {
		return nil, d.wrong(at, "must be a time such as 2026-11-30T21:00:00Z, not %s", article(x))
	}
	when, err := time.Parse(time.RFC3339, t)
	if err != nil {
		if when, err = time.Parse(time.DateOnly, t); err != nil {
			return nil, d.wrong(at, "must be a time such as 2026-11-30T21:00:00Z")
		}
		d.took("%s was taken as the start of that day, UTC", at)
		t = when.Format(time.RFC3339)
	}
	v.Set(reflect.ValueOf(when))
	return t, nil
}

func (d *decoder) integer(s *schema, x any, v reflect.Value, at string) (any, error) {
	n, ok := x.(json.Number)
	if t, isText := x.(string); isText {
		if _, err := strconv.ParseInt(t, 10, 64); err == nil {
			n, ok = json.Number(t), true
			d.took("%s %q was taken as %s", at, t, t)
		}
	}
	if !ok {
		return nil, d.wrong(at, "must be an integer, not %s", article(x))
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(n), 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nil, d.wrong(at, "must be an integer of ordinary size")
		}
		i = int64(f)
	}
	if r := s.rule; r.min != nil && i < *r.min {
		return nil, d.wrong(at, "is %d; the least is %d", i, *r.min)
	}
	if r := s.rule; r.max != nil && i > *r.max {
		return nil, d.wrong(at, "is %d; the most is %d", i, *r.max)
	}
	v.SetInt(i)
	return json.Number(strconv.FormatInt(i, 10)), nil
}

// plain turns parsed JSON into ordinary Go values: integers stay exact, null members are left out.
func plain(x any) any {
	switch x := x.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return i
		}
		if f, err := strconv.ParseFloat(string(x), 64); err == nil && strings.ContainsAny(string(x), ".eE") {
			return f
		}
		return x
	case []any:
		list := make([]any, len(x))
		for i, y := range x {
			list[i] = plain(y)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(x))
		for name, y := range x {
			if y != nil {
				m[name] = plain(y)
			}
		}
		return m
	}
	return x
}

func article(x any) string {
	switch x.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	}
	return "null"
}
