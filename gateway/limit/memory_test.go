package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/notelatch/notelatch/gateway/limit"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

func TestMemoryAllowsABurstThenHoldsTheRate(t *testing.T) {
	now := time.Unix(1_000, 0)
	m := limit.NewMemory(func() time.Time { return now })
	rate := limit.Rate{N: 3, Per: time.Minute}
	take := func() limit.Left {
		t.Helper()
		left, err := m.Take(t.Context(), "a", 1, rate)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	for i := range 3 {
		if left := take(); !left.OK || left.Remaining != 2-i {
			t.Fatalf("Take %d = %+v, want OK with %d remaining", i, left, 2-i)
		}
	}
	left := take()
	if left.OK || left.RetryAfter != 20*time.Second {
		t.Fatalf("fourth Take = %+v, want a refusal for 20s", left)
	}
	if other, _ := m.Take(t.Context(), "b", 1, rate); !other.OK {
		t.Fatal("another key was refused too")
	}
	now = now.Add(left.RetryAfter)
	if left := take(); !left.OK {
		t.Fatalf("Take after the wait = %+v, want OK", left)
	}
	if left := take(); left.OK {
		t.Fatal("a second Take after the wait was allowed")
	}
}

func TestMemoryForgetsFullKeys(t *testing.T) {
	now := time.Unix(1_000, 0)
	m := limit.NewMemory(func() time.Time { return now })
	rate := limit.Rate{N: 10, Per: time.Minute}
	for i := range 10_000 {
		now = now.Add(time.Second)
		if left, _ := m.Take(t.Context(), fmt.Sprint(i), 1, rate); !left.OK {
			t.Fatalf("key %d was refused", i)
		}
	}
	if n := m.Len(); n > 5_000 {
		t.Errorf("holds %d keys after 10,000 callers, want those of the last minutes", n)
	}
}

func TestMeterCountsWritesApart(t *testing.T) {
	m := limit.Meter{
		Counter:  limit.NewMemory(func() time.Time { return time.Unix(1_000, 0) }),
		Requests: limit.Rate{N: 5, Per: time.Minute},
		Writes:   limit.Rate{N: 1, Per: time.Minute},
	}
	c := vault.Caller{Account: "acc"}
	read, write := tools.Definition{Name: "r"}, tools.Definition{Name: "w", Write: true}
	reserve := func(d tools.Definition, want error) {
		t.Helper()
		if err := m.Reserve(context.Background(), c, d); !errors.Is(err, want) {
			t.Fatalf("Reserve(%s) = %v, want %v", d.Name, err, want)
		}
	}
	reserve(write, nil)
	reserve(write, vault.RateLimited)
	reserve(read, nil)
	reserve(read, nil)
	reserve(read, nil)
	reserve(read, vault.RateLimited)

	err := vault.AsError(m.Reserve(context.Background(), c, read))
	if err.Details["retryAfterSeconds"] != 12 {
		t.Errorf("details = %v, want retryAfterSeconds 12", err.Details)
	}
	if err := (&limit.Meter{}).Reserve(context.Background(), c, write); err != nil {
		t.Errorf("without rates: %v, want no limit", err)
	}
}
