-- Vaults that Notelatch itself keeps. Times are Unix milliseconds.
--
-- Every change of a vault takes the next number of its vault, under the lock of the vault's row: so numbers become visible in their
-- order, and the feed that reads them misses none.

CREATE TABLE hosted_vaults (
	id TEXT NOT NULL PRIMARY KEY,
	seq BIGINT NOT NULL,
	pruned BIGINT NOT NULL, -- changes up to this one may be forgotten
	created_at BIGINT NOT NULL
);

-- One row for each change: what was written, or that the path was deleted.
CREATE TABLE hosted_revisions (
	vault_id TEXT NOT NULL REFERENCES hosted_vaults (id),
	seq BIGINT NOT NULL,
	path TEXT NOT NULL,
	path_key BYTEA NOT NULL,
	revision TEXT NOT NULL, -- empty for a deletion
	body BYTEA NOT NULL,
	size BIGINT NOT NULL,
	created_at BIGINT NOT NULL, -- of the note
	modified_at BIGINT NOT NULL,
	transaction_id TEXT NOT NULL,
	change_index BIGINT NOT NULL,
	PRIMARY KEY (vault_id, seq)
);

CREATE INDEX hosted_revisions_path ON hosted_revisions (vault_id, path_key, seq);
CREATE INDEX hosted_revisions_transaction ON hosted_revisions (vault_id, transaction_id, change_index);

-- The notes that are there, each at the number of its last write.
CREATE TABLE hosted_notes (
	vault_id TEXT NOT NULL REFERENCES hosted_vaults (id),
	path_key BYTEA NOT NULL, -- case and Unicode form folded
	path TEXT NOT NULL,
	seq BIGINT NOT NULL,
	revision TEXT NOT NULL,
	size BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	modified_at BIGINT NOT NULL,
	PRIMARY KEY (vault_id, path_key)
);

-- What was deleted and can be restored: the write whose body it was.
CREATE TABLE hosted_trash (
	vault_id TEXT NOT NULL REFERENCES hosted_vaults (id),
	id TEXT NOT NULL,
	seq BIGINT NOT NULL,
	deleted_at BIGINT NOT NULL,
	PRIMARY KEY (vault_id, id)
);

CREATE INDEX hosted_trash_deleted ON hosted_trash (deleted_at);
