package mcphttp_test

import (
	"testing"
)

// The official SDK's server with the same tools, to compare with.

func BenchmarkCallSDK(b *testing.B) {
	body, header := benchCall()
	benchmarkPost(b, sdkServer(b, benchTools(b)), body, header)
}

func BenchmarkListSDK(b *testing.B) {
	body, header := benchList()
	benchmarkPost(b, sdkServer(b, benchTools(b)), body, header)
}
