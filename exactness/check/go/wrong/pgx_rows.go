// invented: CollectAllRows; right: CollectRows
package people

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func Names(ctx context.Context, pool *pgxpool.Pool) ([]string, error) {
	rows, err := pool.Query(ctx, "select name from people")
	if err != nil {
		return nil, err
	}
	return pgx.CollectAllRows(rows, pgx.RowTo[string])
}
