-- Accounts, their credentials, their vaults, and what happened in them. Times are Unix milliseconds; 0 means never.

CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	status TEXT NOT NULL,
	plan TEXT NOT NULL,
	owner BOOLEAN NOT NULL,
	created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX accounts_owner ON accounts (owner) WHERE owner;

CREATE TABLE tokens (
	id TEXT NOT NULL PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	name TEXT NOT NULL,
	secret_hash BYTEA NOT NULL,
	scopes TEXT NOT NULL,
	mappings TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL,
	used_at BIGINT NOT NULL,
	used_from TEXT NOT NULL
);

CREATE UNIQUE INDEX tokens_secret ON tokens (secret_hash);
CREATE INDEX tokens_account ON tokens (account_id, created_at);

CREATE TABLE connections (
	id TEXT NOT NULL PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	provider TEXT NOT NULL,
	status TEXT NOT NULL,
	capabilities TEXT NOT NULL,
	credentials BYTEA NOT NULL,
	created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX connections_local ON connections (account_id, provider) WHERE provider IN ('hosted', 'folder');

CREATE TABLE mappings (
	id TEXT NOT NULL PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	connection_id TEXT NOT NULL REFERENCES connections (id),
	name TEXT NOT NULL,
	provider TEXT NOT NULL,
	root BYTEA NOT NULL,
	pull_only BOOLEAN NOT NULL,
	allow_agent_writes BOOLEAN NOT NULL,
	encryption TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	removed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX mappings_name ON mappings (account_id, name) WHERE removed_at = 0;
CREATE UNIQUE INDEX mappings_root ON mappings (account_id, provider, root) WHERE removed_at = 0;

CREATE TABLE event_heads (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL
);

CREATE TABLE events (
	account_id TEXT NOT NULL REFERENCES accounts (id),
	sequence BIGINT NOT NULL,
	id TEXT NOT NULL,
	mapping_id TEXT NOT NULL,
	at BIGINT NOT NULL,
	kind TEXT NOT NULL,
	path BYTEA NOT NULL,
	client TEXT NOT NULL,
	tool TEXT NOT NULL,
	door TEXT NOT NULL,
	transaction_id TEXT NOT NULL,
	before_revision TEXT NOT NULL,
	after_revision TEXT NOT NULL,
	trash_id TEXT NOT NULL,
	reason TEXT NOT NULL,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (account_id, sequence)
);

CREATE INDEX events_mapping ON events (mapping_id, sequence);
CREATE INDEX events_path ON events (mapping_id, path, sequence);
CREATE INDEX events_after ON events (mapping_id, after_revision);
CREATE INDEX events_transaction ON events (transaction_id);

CREATE TABLE settings (
	name TEXT NOT NULL PRIMARY KEY,
	value BYTEA NOT NULL
);
