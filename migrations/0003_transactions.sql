-- Previews, which wait to be applied, and the journal of transactions: one row for each idempotency key. Times are Unix milliseconds.

CREATE TABLE previews (
	id TEXT NOT NULL PRIMARY KEY,
	account_id TEXT NOT NULL,
	mapping_id TEXT NOT NULL,
	client TEXT NOT NULL,
	reason TEXT NOT NULL,
	plan BYTEA NOT NULL,
	size BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);

CREATE INDEX previews_expiry ON previews (expires_at);
CREATE INDEX previews_account ON previews (account_id, expires_at);

-- version is the fencing token: whoever takes a row over raises it, and what an earlier holder saves is refused.
CREATE TABLE transactions (
	account_id TEXT NOT NULL,
	mapping_id TEXT NOT NULL,
	idempotency_key TEXT NOT NULL,
	id TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	state TEXT NOT NULL,
	version BIGINT NOT NULL,
	instance TEXT NOT NULL,
	run TEXT NOT NULL,
	lease_until BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	origin BYTEA NOT NULL,
	plan BYTEA NOT NULL,
	outcome BYTEA NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (account_id, mapping_id, idempotency_key)
);

CREATE INDEX transactions_id ON transactions (id);
CREATE INDEX transactions_open ON transactions (lease_until) WHERE state IN ('reserved', 'applying', 'unknown');
CREATE INDEX transactions_age ON transactions (updated_at);
