package providers_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/vault"
)

type closing struct {
	providers.Driver
	closed *atomic.Int32
}

func (c closing) Close() error { c.closed.Add(1); return nil }

func TestRegistrySharesOneVaultForEachRoot(t *testing.T) {
	var opened, closed atomic.Int32
	r := providers.NewRegistry(map[string]providers.Opener{
		"memory": func(context.Context, string) (providers.Driver, error) {
			opened.Add(1)
			return closing{memory.New(clock), &closed}, nil
		},
	})
	vaults := make([]*providers.Vault, 20)
	var wg sync.WaitGroup
	for i := range vaults {
		wg.Go(func() { vaults[i], _ = r.Open(t.Context(), "memory", "one") })
	}
	wg.Wait()
	for _, v := range vaults {
		if v == nil || v != vaults[0] {
			t.Fatalf("Open returned %p and %p for one root", vaults[0], v)
		}
	}
	if other, err := r.Open(t.Context(), "memory", "two"); err != nil || other == vaults[0] {
		t.Fatalf("Open of another root = %p, %v", other, err)
	}
	if opened.Load() != 2 {
		t.Errorf("opened %d drivers, want 2", opened.Load())
	}
	if err := r.Drop("memory", "one"); err != nil || closed.Load() != 1 {
		t.Errorf("Drop = %v, %d closed", err, closed.Load())
	}
	if err := r.Close(); err != nil || closed.Load() != 2 {
		t.Errorf("Close = %v, %d closed", err, closed.Load())
	}
	if _, err := r.Open(t.Context(), "memory", "one"); err == nil {
		t.Error("Open succeeded on a closed registry")
	}
}

type drifting struct {
	closing
	adrift *atomic.Bool
}

func (d drifting) Adrift() bool { return d.adrift.Load() }

func TestRegistryOpensAVaultAnewThatHasDrifted(t *testing.T) {
	var closed atomic.Int32
	var adrift *atomic.Bool // of the last that was opened
	r := providers.NewRegistry(map[string]providers.Opener{
		"memory": func(context.Context, string) (providers.Driver, error) {
			adrift = new(atomic.Bool)
			return drifting{closing{memory.New(clock), &closed}, adrift}, nil
		},
	})
	open := func() *providers.Vault {
		t.Helper()
		v, err := r.Open(t.Context(), "memory", "one")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := open()
	if open() != first || closed.Load() != 0 {
		t.Fatal("a vault that stays where it is was opened anew")
	}
	adrift.Store(true)
	second := open()
	if second == first || closed.Load() != 1 {
		t.Errorf("a vault that has drifted: the same one (%v), %d closed", second == first, closed.Load())
	}
	if open() != second || closed.Load() != 1 {
		t.Error("a vault was opened anew for the drifting of the one before it")
	}
}

func TestRegistryDoesNotRememberAFailure(t *testing.T) {
	down := errors.New("down")
	r := providers.NewRegistry(map[string]providers.Opener{
		"memory": func(context.Context, string) (providers.Driver, error) {
			if err := down; err != nil {
				down = nil
				return nil, err
			}
			return memory.New(clock), nil
		},
	})
	if _, err := r.Open(t.Context(), "memory", "one"); err == nil || err.Error() != "down" {
		t.Errorf("Open = %v, want down", err)
	}
	if v, err := r.Open(t.Context(), "memory", "one"); err != nil || v == nil {
		t.Errorf("the second Open = %v, %v", v, err)
	}
	if _, err := r.Open(t.Context(), "elsewhere", "one"); !errors.Is(err, vault.UnsupportedHere) {
		t.Errorf("Open of an unknown provider = %v, want %s", err, vault.UnsupportedHere)
	}
}
