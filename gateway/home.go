package gateway

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/gin-gonic/gin"
)

//go:embed home.html
var homeText string

// home is the page at "/": what this is and where it listens. It tells nothing of accounts or vaults.
func home(endpoint, version string) gin.HandlerFunc {
	var page bytes.Buffer
	t := template.Must(template.New("home").Parse(homeText))
	if err := t.Execute(&page, struct{ Endpoint, Version string }{endpoint, version}); err != nil {
		panic(err) // the template and its two strings are fixed: only a mistake in this file can fail
	}
	return func(c *gin.Context) {
		h := c.Writer.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	}
}
