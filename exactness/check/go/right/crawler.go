package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

var links = regexp.MustCompile(`href="(https?://[^"]+)"`)

type crawler struct {
	client *http.Client
	limit  *semaphore.Weighted
	once   singleflight.Group
	mu     sync.Mutex
	seen   map[string]int
}

func newCrawler(parallel int64) *crawler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 4
	transport.DialContext = (&net.Dialer{Timeout: 3 * time.Second, KeepAlive: time.Minute}).DialContext
	return &crawler{
		client: &http.Client{Transport: transport, Timeout: 20 * time.Second},
		limit:  semaphore.NewWeighted(parallel),
		seen:   map[string]int{},
	}
}

func (c *crawler) fetch(ctx context.Context, address string) ([]string, error) {
	if err := c.limit.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.limit.Release(1)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "crawler/1.0")
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s: %s", address, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, match := range links.FindAllSubmatch(body, -1) {
		found = append(found, string(match[1]))
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func (c *crawler) crawl(ctx context.Context, start []string, depth int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, address := range start {
		group.Go(func() error {
			value, err, shared := c.once.Do(address, func() (any, error) {
				return c.fetch(ctx, address)
			})
			if err != nil || shared {
				return err
			}
			found := value.([]string)
			c.mu.Lock()
			c.seen[address] = len(found)
			c.mu.Unlock()
			if depth == 0 {
				return nil
			}
			return c.crawl(ctx, found, depth-1)
		})
	}
	return group.Wait()
}

func main() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, io.ErrNoProgress)
	defer cancel()
	var start []string
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 0, 4096), 1<<16)
	for scanner.Scan() {
		start = append(start, scanner.Text())
	}
	all := newCrawler(8)
	if err := all.crawl(ctx, start, 1); err != nil {
		fmt.Fprintln(os.Stderr, err, context.Cause(ctx))
		os.Exit(1)
	}
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for address, count := range all.seen {
		fmt.Fprintf(writer, "%6d %s\n", count, address)
	}
}
