package vault

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// plainValue gives an unquoted scalar its type. yes, no, on and off are strings, as are dates, and digits that another reader would
// take for octal (0123) or that are grouped (1_000): their spelling is what matters.
func plainValue(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if c := s[0]; isDigit(c) || c == '-' || c == '+' || c == '.' {
		if v, ok := number(s); ok {
			return v
		}
	}
	return s
}

// number reads a decimal number. What neither int64 nor float64 holds exactly stays a json.Number.
func number(s string) (any, bool) {
	const exact = 1 << 53
	t := strings.TrimPrefix(s, "+")
	unsigned := strings.TrimPrefix(t, "-")
	if unsigned == "" || !isDigit(unsigned[0]) && unsigned[0] != '.' {
		return nil, false
	}
	if len(unsigned) > 1 && unsigned[0] == '0' && isDigit(unsigned[1]) {
		return nil, false
	}
	if digits(unsigned) {
		if i, err := strconv.ParseInt(t, 10, 64); err == nil && i <= exact && i >= -exact {
			return i, true
		}
		return json.Number(t), true
	}
	if strings.Trim(unsigned, "0123456789.eE+-") != "" {
		return nil, false
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, false
	}
	return f, true
}

// texts reads a value that should be a list of strings: a list, or one string. Numbers in it count by their digits.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case int64, float64, json.Number:
		return []string{scalarText(v)}
	case []any:
		var out []string
		for _, item := range v {
			switch item.(type) {
			case string, int64, float64, json.Number:
				out = append(out, scalarText(item))
			}
		}
		return out
	}
	return nil
}

func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case json.Number:
		return string(v)
	}
	return ""
}
