package vault

import (
	"encoding/json"
	"strings"
	"time"
)

// DailySettings say where a vault keeps its daily notes, as .obsidian/daily-notes.json does.
type DailySettings struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`   // Moment's; YYYY-MM-DD where it is ""
	Template string `json:"template"` // path of a note, perhaps without ".md"
}

// TemplateSettings say how templates are filled in, as .obsidian/templates.json does.
type TemplateSettings struct {
	Folder     string `json:"folder"`
	DateFormat string `json:"dateFormat"` // YYYY-MM-DD where it is ""
	TimeFormat string `json:"timeFormat"` // HH:mm where it is ""
}

// Settings are what a vault's editor is set to, as far as it matters here. The zero value is the editor's own default.
type Settings struct {
	Daily     DailySettings
	Templates TemplateSettings
}

// ParseSettings reads the two files. What cannot be read keeps its default.
func ParseSettings(daily, templates []byte) Settings {
	var s Settings
	if json.Unmarshal(daily, &s.Daily) != nil {
		s.Daily = DailySettings{}
	}
	if json.Unmarshal(templates, &s.Templates) != nil {
		s.Templates = TemplateSettings{}
	}
	return s
}

// DailyPath is the path of the daily note of a day; when is in the time zone of the person. A format may make folders ("YYYY/MM/DD").
func DailyPath(s DailySettings, when time.Time) (Path, error) {
	format := strings.TrimSpace(s.Format)
	if format == "" {
		format = "YYYY-MM-DD"
	}
	name := strings.Trim(FormatMoment(when, format), "/ ")
	if folder := strings.Trim(s.Folder, "/ "); folder != "" {
		name = folder + "/" + name
	}
	if !strings.HasSuffix(Fold(name), ".md") {
		name += ".md"
	}
	p, err := ParsePath(name)
	if err != nil || p.Hidden() {
		return "", Errorf(InvalidArgument, "the vault's settings of daily notes make the path %s, which is none", quotePath(name)).
			With("field", "daily").Next("Give path instead of daily, or correct the folder and format of daily notes.")
	}
	return p, nil
}

// TemplatePath is the path of a template: as it is given, and with ".md"; failing that, in the folder of templates. The first that is
// there is meant.
func (s Settings) TemplatePath(name string) []string {
	name = strings.Trim(name, "/ ")
	if name == "" {
		return nil
	}
	if !strings.HasSuffix(Fold(name), ".md") {
		name += ".md"
	}
	paths := []string{name}
	if folder := strings.Trim(s.Templates.Folder, "/ "); folder != "" {
		paths = append(paths, folder+"/"+name)
	}
	return paths
}

// FillTemplate replaces {{title}}, {{date}} and {{time}} in a template, the latter two also with a format of their own: {{date:YYYY}}.
// Whatever else stands in braces stays, as does what other programs would run.
func FillTemplate(template string, s TemplateSettings, title string, when time.Time) string {
	var b strings.Builder
	for {
		i := strings.Index(template, "{{")
		if i < 0 {
			break
		}
		j := strings.Index(template[i:], "}}")
		if j < 0 {
			break
		}
		inner := template[i+2 : i+j]
		if k := strings.LastIndex(inner, "{{"); k >= 0 { // the innermost pair is meant
			b.WriteString(template[:i+2+k])
			template = template[i+2+k:]
			continue
		}
		b.WriteString(template[:i])
		if value, ok := s.variable(inner, title, when); ok {
			b.WriteString(value)
		} else {
			b.WriteString(template[i : i+j+2])
		}
		template = template[i+j+2:]
	}
	return b.String() + template
}

func (s TemplateSettings) variable(inner, title string, when time.Time) (string, bool) {
	name, format, own := strings.Cut(inner, ":")
	preset := ""
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "title":
		return title, !own
	case "date":
		if preset = s.DateFormat; preset == "" {
			preset = "YYYY-MM-DD"
		}
	case "time":
		if preset = s.TimeFormat; preset == "" {
			preset = "HH:mm"
		}
	default:
		return "", false
	}
	if own {
		preset = strings.TrimSpace(format)
	}
	return FormatMoment(when, preset), true
}
