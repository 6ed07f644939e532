package mapping

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// Store keeps mappings and connections in the database.
type Store struct {
	db     *sqldb.DB
	now    func() time.Time
	random io.Reader
}

// New returns the mappings of db. Random must be cryptographic.
func New(db *sqldb.DB, now func() time.Time, random io.Reader) *Store {
	return &Store{db: db, now: now, random: random}
}

// NewMapping is what a mapping is made of.
type NewMapping struct {
	Account    string
	Name       string
	NameGiven  bool // somebody asked for this name: it is not varied
	Provider   string
	Root       string
	Connection string // id; may be empty for Hosted and Folder, whose connection is made when it is first needed
	PullOnly   bool
	Encryption string // empty is Unencrypted
}

// Create makes a mapping. Agents may write to a Hosted one from the start, to others once SetWrites says so. A name that is taken gets
// a number, or is vault.AlreadyExists if it was given. A root that is mapped is vault.AlreadyExists, with details.mappingId.
func (s *Store) Create(ctx context.Context, n NewMapping) (m Mapping, err error) {
	if err := checkName(n.Name); err != nil {
		return Mapping{}, err
	}
	if n.Provider == "" || n.Root == "" {
		return Mapping{}, vault.Errorf(vault.InvalidArgument, "a vault needs a provider and a root")
	}
	id, err := opaque.ID(s.random, prefix)
	if err != nil {
		return Mapping{}, err
	}
	m = Mapping{
		ID: ID(id), Account: n.Account, Provider: n.Provider, Root: n.Root, ConnectionID: n.Connection, PullOnly: n.PullOnly,
		AllowAgentWrites: n.Provider == Hosted, Encryption: n.Encryption, Created: time.UnixMilli(s.now().UnixMilli()).UTC(),
	}
	if m.Encryption == "" {
		m.Encryption = Unencrypted
	}
	err = s.db.Tx(ctx, func(tx *sqldb.Tx) error {
		if m.ConnectionID == "" {
			if m.ConnectionID, err = s.local(ctx, tx, m.Account, m.Provider); err != nil {
				return err
			}
		} else if err := s.owns(ctx, tx, m); err != nil {
			return err
		}
		for i := 1; ; i++ {
			m.Name = numbered(n.Name, i)
			stored, err := insert(ctx, tx, m)
			if err != nil || stored {
				return err
			}
			held, err := byRoot(ctx, tx, m.Account, m.Provider, m.Root)
			if err == nil {
				return vault.Errorf(vault.AlreadyExists, "this is mapped already, as %q", held.Mapping.Name).
					With("mappingId", string(held.Mapping.ID))
			}
			if !errors.Is(err, vault.NotFound) {
				return err
			}
			if n.NameGiven {
				return nameTaken(n.Name)
			}
		}
	})
	if err != nil {
		return Mapping{}, err
	}
	return m, nil
}

func insert(ctx context.Context, tx *sqldb.Tx, m Mapping) (stored bool, err error) {
	n, err := tx.Exec(ctx, `
		INSERT INTO mappings (id, account_id, connection_id, name, provider, root, pull_only, allow_agent_writes, encryption, created_at, removed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT DO NOTHING`,
		string(m.ID), m.Account, m.ConnectionID, m.Name, m.Provider, []byte(m.Root), m.PullOnly, m.AllowAgentWrites, m.Encryption, m.Created.UnixMilli())
	if err != nil {
		return false, fmt.Errorf("store a mapping: %w", err)
	}
	return n == 1, nil
}

const joinedColumns = `m.id, m.account_id, m.connection_id, m.name, m.provider, m.root, m.pull_only, m.allow_agent_writes, m.encryption,
			m.created_at, m.removed_at, c.provider, c.status, c.capabilities, c.credentials, a.name, a.status, a.plan, a.created_at
		FROM mappings m
		JOIN connections c ON c.id = m.connection_id AND c.account_id = m.account_id
		JOIN accounts a ON a.id = m.account_id`

// Joined returns the account's mapping with what it depends on, in one query. Whatever keeps it from being the account's is
// ErrNotFound.
func (s *Store) Joined(ctx context.Context, account string, id ID) (Joined, error) {
	if _, ok := ParseID(string(id)); !ok {
		return Joined{}, ErrNotFound()
	}
	return scanOne(s.db.QueryRow(ctx, `
		SELECT `+joinedColumns+`
		WHERE m.id = ? AND m.account_id = ? AND m.removed_at = 0`, string(id), account))
}

// ByRoot returns the account's mapping of a root, or vault.NotFound.
func (s *Store) ByRoot(ctx context.Context, account, provider, root string) (Joined, error) {
	return byRoot(ctx, s.db, account, provider, root)
}

func byRoot(ctx context.Context, on sqldb.Querier, account, provider, root string) (Joined, error) {
	return scanOne(on.QueryRow(ctx, `
		SELECT `+joinedColumns+`
		WHERE m.account_id = ? AND m.provider = ? AND m.root = ? AND m.removed_at = 0`, account, provider, []byte(root)))
}

// List returns the account's mappings, oldest first, in one query.
func (s *Store) List(ctx context.Context, account string) ([]Joined, error) {
	rows, err := s.db.Query(ctx, `
		SELECT `+joinedColumns+`
		WHERE m.account_id = ? AND m.removed_at = 0
		ORDER BY m.created_at, m.id`, account)
	if err != nil {
		return nil, fmt.Errorf("list mappings: %w", err)
	}
	defer rows.Close() // its error is that of Err
	var all []Joined
	for rows.Next() {
		j, err := scanOne(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, rows.Err()
}

// Find returns the account's mapping that ref names: a handle, a name, or a name in other case if only one has it.
func (s *Store) Find(ctx context.Context, account, ref string) (Joined, error) {
	if id, ok := ParseID(ref); ok {
		return s.Joined(ctx, account, id)
	}
	all, err := s.List(ctx, account)
	if err != nil {
		return Joined{}, err
	}
	var alike []Joined
	for _, j := range all {
		if j.Mapping.Name == ref {
			return j, nil
		}
		if strings.EqualFold(j.Mapping.Name, ref) {
			alike = append(alike, j)
		}
	}
	switch len(alike) {
	case 0:
		return Joined{}, ErrNotFound()
	case 1:
		return alike[0], nil
	}
	return Joined{}, vault.Errorf(vault.InvalidArgument, "%d vaults are called %q", len(alike), ref).Next("name it by its handle")
}

// SetWrites lets agents change the vault, or not, from the next call on.
func (s *Store) SetWrites(ctx context.Context, account string, id ID, on bool) error {
	return s.set(ctx, `
		UPDATE mappings
		SET allow_agent_writes = ?
		WHERE id = ? AND account_id = ? AND removed_at = 0`, on, string(id), account)
}

// SetPullOnly keeps everyone from changing the vault, or not, from the next call on.
func (s *Store) SetPullOnly(ctx context.Context, account string, id ID, on bool) error {
	return s.set(ctx, `
		UPDATE mappings
		SET pull_only = ?
		WHERE id = ? AND account_id = ? AND removed_at = 0`, on, string(id), account)
}

// Rename gives the vault another name, which must be free: vault.AlreadyExists.
func (s *Store) Rename(ctx context.Context, account string, id ID, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := s.set(ctx, `
		UPDATE mappings
		SET name = ?
		WHERE id = ? AND account_id = ? AND removed_at = 0`, name, string(id), account)
	if sqldb.IsUnique(err) {
		return nameTaken(name)
	}
	return err
}

// Remove ends the mapping. Its handle names nothing from the next call on; the notes stay where they are.
func (s *Store) Remove(ctx context.Context, account string, id ID) error {
	return s.set(ctx, `
		UPDATE mappings
		SET removed_at = ?
		WHERE id = ? AND account_id = ? AND removed_at = 0`, s.now().UnixMilli(), string(id), account)
}

func (s *Store) set(ctx context.Context, query string, args ...any) error {
	n, err := s.db.Exec(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("change a mapping: %w", err)
	}
	if n == 0 {
		return ErrNotFound()
	}
	return nil
}

func scanOne(row interface{ Scan(...any) error }) (Joined, error) {
	var m Mapping
	var c Connection
	var a account.Account
	var root []byte
	var capabilities string
	var created, removed, accountCreated int64
	err := row.Scan(&m.ID, &m.Account, &m.ConnectionID, &m.Name, &m.Provider, &root, &m.PullOnly, &m.AllowAgentWrites, &m.Encryption,
		&created, &removed, &c.Provider, &c.Status, &capabilities, &c.Credentials, &a.Name, &a.Status, &a.Plan, &accountCreated)
	if errors.Is(err, sql.ErrNoRows) {
		return Joined{}, ErrNotFound()
	}
	if err != nil {
		return Joined{}, fmt.Errorf("read a mapping: %w", err)
	}
	m.Root, m.Created = string(root), time.UnixMilli(created).UTC()
	if removed != 0 {
		m.Removed = time.UnixMilli(removed).UTC()
	}
	c.ID, c.Account, c.Capabilities = m.ConnectionID, m.Account, strings.Fields(capabilities)
	a.ID, a.Created = m.Account, time.UnixMilli(accountCreated).UTC()
	return Joined{Mapping: m, Connection: c, Account: a}, nil
}
