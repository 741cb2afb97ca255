package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

type order struct {
	ID      int64              `db:"id"`
	Status  string             `db:"status"`
	Total   pgtype.Numeric     `db:"total"`
	Shipped pgtype.Timestamptz `db:"shipped"`
}

type orders struct {
	pool *pgxpool.Pool
}

func connect(ctx context.Context, url string) (*orders, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 8
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.RuntimeParams["application_name"] = "orders"
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "set time zone 'UTC'")
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &orders{pool: pool}, pool.Ping(ctx)
}

func (o *orders) open(ctx context.Context) ([]order, error) {
	rows, err := o.pool.Query(ctx, "select id, status, total, shipped from orders where status = @status",
		pgx.NamedArgs{"status": "open"})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[order])
}

func (o *orders) ship(ctx context.Context, id int64) error {
	tx, err := o.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	tag, err := tx.Exec(ctx, "update orders set shipped = $1 where id = $2",
		pgtype.Timestamptz{Time: time.Now(), Valid: true}, id)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return fmt.Errorf("%s: %s (%s)", refused.Code, refused.Message, refused.ConstraintName)
	}
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return pgx.ErrNoRows
	}
	return tx.Commit(ctx)
}

func (o *orders) load(ctx context.Context, all []order) (int64, error) {
	source := pgx.CopyFromSlice(len(all), func(at int) ([]any, error) {
		return []any{all[at].ID, all[at].Status}, nil
	})
	return o.pool.CopyFrom(ctx, pgx.Identifier{"orders"}, []string{"id", "status"}, source)
}

func (o *orders) remind(ctx context.Context, ids []int64) error {
	batch := &pgx.Batch{}
	for _, id := range ids {
		batch.Queue("insert into reminders (order_id) values ($1)", id)
	}
	results := o.pool.SendBatch(ctx, batch)
	defer results.Close()
	for range batch.Len() {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	ctx := context.Background()
	all, err := connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer all.pool.Close()
	found, err := all.open(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for _, one := range found {
		if !one.Shipped.Valid {
			_ = all.ship(ctx, one.ID)
		}
	}
	stat := all.pool.Stat()
	fmt.Println(stat.TotalConns(), stat.IdleConns())
	_, _ = all.load(ctx, found)
	_ = all.remind(ctx, []int64{1, 2})
}
