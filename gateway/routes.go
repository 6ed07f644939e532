package gateway

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// Routes are the doors that a server has. MCP, Resource and Ready are needed.
type Routes struct {
	MCP      http.Handler                // POST /api/mcp
	Resource http.Handler                // the protected resource document (RFC 9728)
	Ready    func(context.Context) error // nil when the server can answer: database and migrations, not the index
	Endpoint string                      // the whole URL of MCP, for the page at /
	Version  string
}

// Paths of the MCP door and of its resource document. Clients look for the document under the endpoint's path first, then at the root.
const (
	MCPPath      = "/api/mcp"
	ResourcePath = "/.well-known/oauth-protected-resource"
)

// Handler serves the routes. A path that leads to a door does so for every method, those that HTTP does not know included, so that the
// door's own order of checks holds. A path that is not served is 404 with a JSON body below /api and /.well-known, where programs ask, and
// plain text elsewhere; nothing redirects, since a redirected POST loses its body.
func Handler(r Routes) http.Handler {
	gin.SetMode(gin.ReleaseMode) // of the process, and what it prints otherwise is for gin's own developers
	e := gin.New()
	e.RedirectTrailingSlash = false
	e.RedirectFixedPath = false
	e.HandleMethodNotAllowed = false
	doors := map[string]http.Handler{}
	for _, slash := range []string{"", "/"} {
		doors[MCPPath+slash] = r.MCP
		doors[ResourcePath+slash] = r.Resource
		doors[ResourcePath+MCPPath+slash] = r.Resource
	}
	for path, door := range doors {
		e.Any(path, gin.WrapH(door))
	}
	e.Use(endWithBody)
	e.GET("/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	e.GET("/readyz", ready(r.Ready))
	e.GET("/", home(r.Endpoint, r.Version))
	e.NoRoute(func(c *gin.Context) {
		door, ok := doors[c.Request.URL.Path]
		if !ok {
			notFound(c)
			return
		}
		c.Status(http.StatusOK) // gin has set 404
		door.ServeHTTP(c.Writer, c.Request)
	})
	return e
}

// endWithBody closes the connection of a request with a body, which no page here reads: net/http would wait for the body before it
// sent the answer. Doors see to theirs.
func endWithBody(c *gin.Context) {
	if c.Request.ContentLength != 0 {
		c.Header("Connection", "close")
	}
}

func ready(check func(context.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := check(c.Request.Context()); err != nil {
			c.JSON(http.StatusServiceUnavailable, gin.H{"status": "unavailable", "reason": "the database does not answer"})
			return
		}
		c.JSON(http.StatusOK, gin.H{"status": "ready"})
	}
}

func notFound(c *gin.Context) {
	p := c.Request.URL.Path
	if strings.HasPrefix(p, "/api/") || strings.HasPrefix(p, "/.well-known/") {
		c.JSON(http.StatusNotFound, gin.H{"error": gin.H{"code": "not_found", "message": "nothing is served here; the MCP endpoint is " + MCPPath}})
		return
	}
	c.String(http.StatusNotFound, "Nothing is served here. The MCP endpoint is %s.\n", MCPPath)
}
