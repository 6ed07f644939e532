package mcphttp

import (
	"strconv"
	"strings"
)

// A format is what an answer is written as. Accept picks it, and nothing else: never the era, never the methods.
type format int

const (
	noFormat format = iota
	asJSON
	asEvents
)

// accepted reports which of the two media types the Accept header allows. No header allows both.
func accepted(values []string) (json, events bool) {
	if len(values) == 0 {
		return true, true
	}
	blank := true
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			media, params, _ := strings.Cut(part, ";")
			media = strings.TrimSpace(media)
			if media == "" {
				continue
			}
			blank = false
			if refused(params) {
				continue
			}
			switch strings.ToLower(media) {
			case "*/*":
				json, events = true, true
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				events = true
			}
		}
	}
	return json || blank, events || blank
}

// refused reports whether the parameters of a media range hold q=0.
func refused(params string) bool {
	for params != "" {
		var param string
		param, params, _ = strings.Cut(params, ";")
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && q <= 0
		}
	}
	return false
}
