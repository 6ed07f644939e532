package vault

// Code names a kind of failure that a caller can act on. A Code is itself an error, so that errors.Is(err, vault.NotFound) works
// on every Error of that code.
type Code string

func (c Code) Error() string { return string(c) }

// The codes, as they appear on the wire.
const (
	NotFound             Code = "not_found"
	InvalidArgument      Code = "invalid_argument"
	InvalidCursor        Code = "invalid_cursor"
	AmbiguousPath        Code = "ambiguous_path"
	ScopeRequired        Code = "scope_required"
	InsufficientScope    Code = "insufficient_scope"
	WriteNotEnabled      Code = "write_not_enabled"
	WritesDisabled       Code = "writes_disabled"
	PullOnly             Code = "pull_only"
	CapabilityMissing    Code = "capability_missing"
	EncryptedVault       Code = "encrypted_vault"
	EncryptedNote        Code = "encrypted_note"
	ConnectionRevoked    Code = "connection_revoked"
	ConnectionExpired    Code = "connection_expired"
	RevisionConflict     Code = "revision_conflict"
	AlreadyExists        Code = "already_exists"
	ContentShrinks       Code = "content_shrinks"
	ReviewRequired       Code = "review_required"
	NotConfirmed         Code = "not_confirmed"
	KeyRequired          Code = "idempotency_key_required"
	KeyReused            Code = "idempotency_key_reused"
	KeyInProgress        Code = "idempotency_in_progress"
	PreviewExpired       Code = "preview_expired"
	TooManyActions       Code = "too_many_actions"
	BatchNotAtomic       Code = "remote_batch_not_atomic"
	ProviderRateLimited  Code = "provider_rate_limited"
	ProviderUnavailable  Code = "provider_unavailable"
	ProviderQuota        Code = "provider_quota"
	FreshnessUnavailable Code = "freshness_unavailable"
	DeadlineExceeded     Code = "deadline_exceeded"
	BudgetExceeded       Code = "budget_exceeded"
	UnsupportedEncoding  Code = "unsupported_encoding"
	NoteTooLarge         Code = "note_too_large"
	OutcomeUnknown       Code = "outcome_unknown"
	UnsupportedHere      Code = "unsupported_here"
	RateLimited          Code = "rate_limited"
	MonthlyLimitReached  Code = "monthly_limit_reached"
	NotInPlan            Code = "not_in_plan"
	AccountInactive      Code = "account_inactive"
	Internal             Code = "internal"
)

// Retryable reports whether the same call may succeed later without change.
func (c Code) Retryable() bool {
	switch c {
	case KeyInProgress, ProviderRateLimited, ProviderUnavailable, FreshnessUnavailable, DeadlineExceeded, OutcomeUnknown, RateLimited:
		return true
	}
	return false
}
