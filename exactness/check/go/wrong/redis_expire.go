// invented: SetWithExpiry; right: SetEx
package cache

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Tokens struct {
	client *redis.Client
}

func NewTokens(address string) *Tokens {
	return &Tokens{client: redis.NewClient(&redis.Options{Addr: address})}
}

func (t *Tokens) Put(ctx context.Context, key, value string) error {
	return t.client.SetWithExpiry(ctx, key, value, time.Minute).Err()
}
