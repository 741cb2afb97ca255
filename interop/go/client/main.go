// The interoperability client, written with the official Go SDK.
//
// Usage: client -- COMMAND ARGS… | URL
//
// It starts COMMAND as an MCP server over stdio, or connects to URL, runs the
// checklist, and prints one JSON line per check. INTEROP_ERA=legacy|modern fixes the protocol era.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
	totalLimit    = 60 * time.Second
	checkLimit    = 20 * time.Second
)

// notSupported marks a check that the SDK or the protocol era cannot run.
type notSupported string

func (reason notSupported) Error() string { return string(reason) }

// A suite is one connection under test and what its server has sent unasked.
type suite struct {
	session  *mcp.ClientSession
	modern   bool
	action   string // how the elicitation handler answers
	progress chan *mcp.ProgressNotificationParams
	logs     chan *mcp.LoggingMessageParams
	updates  chan string
	changes  chan struct{}
	listens  chan struct{}
	failed   bool
}

func main() {
	separator := slices.Index(os.Args, "--")
	if separator < 0 || separator+1 == len(os.Args) {
		fmt.Fprintln(os.Stderr, "usage: client -- COMMAND ARGS… | URL")
		os.Exit(2)
	}
	command := os.Args[separator+1:]
	time.AfterFunc(totalLimit, func() {
		report(map[string]any{"check": "time_limit", "ok": false, "error": "the checklist took too long"})
		os.Exit(1)
	})
	ctx := context.Background()
	s := &suite{
		action:   "accept",
		progress: make(chan *mcp.ProgressNotificationParams, 16),
		logs:     make(chan *mcp.LoggingMessageParams, 16),
		updates:  make(chan string, 16),
		changes:  make(chan struct{}, 16),
		listens:  make(chan struct{}, 16),
	}
	s.check(ctx, "connect", func(context.Context) error { return s.connect(ctx, command) })
	if !s.failed {
		s.runChecklist(ctx)
		s.check(ctx, "close", func(context.Context) error { return s.session.Close() })
	}
	if s.failed {
		os.Exit(1)
	}
}

// check runs one check under its own time limit and reports it.
func (s *suite) check(ctx context.Context, name string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	line := map[string]any{"check": name}
	var reason notSupported
	if err := run(ctx); errors.As(err, &reason) {
		line["skip"] = reason
	} else if err != nil {
		line["ok"], line["error"] = false, err.Error()
		s.failed = true
	} else {
		line["ok"] = true
	}
	report(line)
}

func report(line map[string]any) {
	json.NewEncoder(os.Stdout).Encode(line)
}

// transport is HTTP when the command is an address, and HTTP+SSE when that ends in /sse.
func transport(command []string) mcp.Transport {
	switch url := command[0]; {
	case strings.HasPrefix(url, "http:") && strings.HasSuffix(url, "/sse"):
		return &mcp.SSEClientTransport{Endpoint: url}
	case strings.HasPrefix(url, "http:"):
		return &mcp.StreamableClientTransport{Endpoint: url}
	default:
		process := exec.Command(command[0], command[1:]...)
		process.Stderr = os.Stderr
		return &mcp.CommandTransport{Command: process}
	}
}

func (s *suite) connect(ctx context.Context, command []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-go", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			result := &mcp.ElicitResult{Action: s.action}
			if s.action == "accept" {
				result.Content = map[string]any{"name": "Ada"}
			}
			return result, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "interop", Content: &mcp.TextContent{Text: "short"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			s.progress <- req.Params
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			s.logs <- req.Params
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			s.updates <- req.Params.URI
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			s.changes <- struct{}{}
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///project", Name: "project"})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			// Subscribe returns before the server has heard of it; this is the proof that it has.
			if method == "notifications/subscriptions/acknowledged" {
				s.listens <- struct{}{}
			}
			return next(ctx, method, req)
		}
	})

	era := os.Getenv("INTEROP_ERA")
	options := &mcp.ClientSessionOptions{}
	if era == "legacy" {
		options.ProtocolVersion = legacyVersion
	}
	session, err := client.Connect(ctx, transport(command), options)
	if err != nil {
		return err
	}
	s.session = session
	version := session.InitializeResult().ProtocolVersion
	s.modern = version >= modernVersion
	if era == "modern" && !s.modern || era == "legacy" && s.modern {
		return fmt.Errorf("era %s was asked for, version %s was negotiated", era, version)
	}
	if s.modern && session.InitializeResult().Capabilities.Tools.ListChanged {
		<-s.listens // of the subscription that the SDK makes by itself
	}
	return nil
}
