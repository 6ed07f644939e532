package mcphttp

// Held is how many bytes of bodies are in memory.
func (h *Handler[P]) Held() int64 { return h.bodies.held.Load() }
