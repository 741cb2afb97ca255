package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

var errNoSession = errors.New("no such session")

type session struct {
	User    string    `json:"user"`
	Started time.Time `json:"started"`
}

type sessions struct {
	client *redis.Client
	ttl    time.Duration
	logger *slog.Logger
}

func open(url string) (*sessions, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("the address: %w", err)
	}
	options.PoolSize = 20
	options.DialTimeout = 2 * time.Second
	client := redis.NewClient(options)
	handler := slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})
	return &sessions{client: client, ttl: time.Hour, logger: slog.New(handler)}, nil
}

func (s *sessions) put(ctx context.Context, id string, one session) error {
	bytes, err := json.Marshal(one)
	if err != nil {
		return err
	}
	pipe := s.client.TxPipeline()
	pipe.Set(ctx, "session:"+id, bytes, s.ttl)
	pipe.ZAdd(ctx, "sessions", redis.Z{Score: float64(one.Started.Unix()), Member: id})
	_, err = pipe.Exec(ctx)
	return err
}

func (s *sessions) get(ctx context.Context, id string) (session, error) {
	var found session
	bytes, err := s.client.Get(ctx, "session:"+id).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return found, errNoSession
	case err != nil:
		return found, err
	}
	return found, json.Unmarshal(bytes, &found)
}

func (s *sessions) prune(ctx context.Context, before time.Time) (int64, error) {
	old, err := s.client.ZRangeByScore(ctx, "sessions", &redis.ZRangeBy{
		Min:   "-inf",
		Max:   fmt.Sprint(before.Unix()),
		Count: 100,
	}).Result()
	if err != nil || len(old) == 0 {
		return 0, err
	}
	removed := s.client.ZRem(ctx, "sessions", old)
	s.logger.InfoContext(ctx, "pruned", slog.Int64("count", removed.Val()))
	return removed.Val(), removed.Err()
}

func (s *sessions) watch(ctx context.Context) error {
	subscription := s.client.Subscribe(ctx, "logout")
	defer subscription.Close()
	for message := range subscription.Channel() {
		if err := s.client.Del(ctx, "session:"+message.Payload).Err(); err != nil {
			s.logger.Error("cannot delete", "id", message.Payload, "error", err)
		}
	}
	return ctx.Err()
}

func main() {
	ctx := context.Background()
	all, err := open("redis://localhost:6379/0")
	if err != nil {
		slog.Error("cannot open", "error", err)
		os.Exit(1)
	}
	defer all.client.Close()
	if err := all.client.Ping(ctx).Err(); err != nil {
		slog.Error("no answer", "error", err)
	}
	_ = all.put(ctx, "a", session{User: "ada", Started: time.Now()})
	if _, err := all.get(ctx, "a"); errors.Is(err, errNoSession) {
		slog.Warn("gone")
	}
	_, _ = all.prune(ctx, time.Now().Add(-24*time.Hour))
	_ = all.watch(ctx)
}
