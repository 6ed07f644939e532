package memory_test

import (
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/providers/providertest"
)

func clock() time.Time { return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC) }

func TestDriver(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providers.Driver { return memory.New(clock) })
}

func TestDriverBehindFaulty(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providers.Driver { return &providertest.Faulty{Driver: memory.New(clock)} })
}
