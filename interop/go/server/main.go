// The interoperability fixture server, written with the official Go SDK.
//
// Usage: server [http|stateless|json|sse]
//
// It speaks stdio, or HTTP, and both protocol eras. Tools that ask the client something
// return input requests; for legacy clients the SDK turns those into requests.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	none     struct{}
	echoArgs struct {
		Message string `json:"message"`
	}
	addArgs struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	addResult struct {
		Sum float64 `json:"sum"`
	}
	progressArgs struct {
		Steps int `json:"steps"`
	}
	logArgs struct {
		Level   string `json:"level"`
		Message string `json:"message"`
	}
	slowArgs struct {
		MS int `json:"ms"`
	}
	summarizeArgs struct {
		Text string `json:"text"`
	}
)

func main() {
	accept := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	release := func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	server := mcp.NewServer(&mcp.Implementation{Name: "interop-fixture", Version: "1.0.0"}, &mcp.ServerOptions{
		CompletionHandler:  complete,
		SubscribeHandler:   accept,
		UnsubscribeHandler: release,
	})
	addTools(server)
	addAskingTools(server)
	addResources(server)
	addPrompt(server)
	if len(os.Args) > 1 {
		log.Fatal(serve(server, os.Args[1]))
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

// serve listens on a free port, prints the address, and ends with the input.
func serve(server *mcp.Server, way string) error {
	get := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler
	path := "/mcp"
	switch way {
	case "sse":
		handler, path = mcp.NewSSEHandler(get, nil), "/sse"
	case "stateless":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	case "json":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	default:
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Printf("http://%s%s\n", listener.Addr(), path)
	return http.Serve(listener, handler)
}

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// tool registers a handler that returns its whole result, without an output schema.
func tool[In any](server *mcp.Server, name string, handler func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, error)) {
	mcp.AddTool(server, &mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		res, err := handler(ctx, req, in)
		return res, nil, err
	})
}

func addTools(server *mcp.Server) {
	tool(server, "echo", func(_ context.Context, _ *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, error) {
		return text("Echo: %s", in.Message), nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in addArgs) (*mcp.CallToolResult, addResult, error) {
		return nil, addResult{Sum: in.A + in.B}, nil
	})
	tool(server, "progress", func(ctx context.Context, req *mcp.CallToolRequest, in progressArgs) (*mcp.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for step := 1; token != nil && step <= in.Steps; step++ {
			params := &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      float64(step),
				Total:         float64(in.Steps),
				Message:       fmt.Sprintf("step %d", step),
			}
			if err := req.Session.NotifyProgress(ctx, params); err != nil {
				return nil, err
			}
		}
		return text("done"), nil
	})
	tool(server, "log", func(ctx context.Context, req *mcp.CallToolRequest, in logArgs) (*mcp.CallToolResult, error) {
		params := &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(in.Level), Logger: "fixture", Data: in.Message}
		return text("logged"), req.Session.Log(ctx, params)
	})
	tool(server, "slow", func(ctx context.Context, _ *mcp.CallToolRequest, in slowArgs) (*mcp.CallToolResult, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(in.MS) * time.Millisecond):
			return text("finished"), nil
		}
	})
	tool(server, "fail", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		return nil, errors.New("it failed")
	})
	tool(server, "touch", func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		return text("touched"), server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "memo://hello"})
	})
	tool(server, "add_tool", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
		tool(server, "extra", func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, error) {
			return text("extra"), nil
		})
		return text("added"), nil
	})
}

// ask returns the client's answer of type T, or a result that asks for it.
func ask[T mcp.InputResponse](req *mcp.CallToolRequest, question mcp.InputRequest) (answer T, pending *mcp.CallToolResult) {
	if answer, ok := req.Params.InputResponses["answer"].(T); ok {
		return answer, nil
	}
	return answer, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"answer": question}}
}

func addAskingTools(server *mcp.Server) {
	tool(server, "ask_name", func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, pending := ask[*mcp.ElicitResult](req, &mcp.ElicitParams{
			Mode:    "form",
			Message: "What is your name?",
			RequestedSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{"name": map[string]any{"type": "string"}},
				"required":   []string{"name"},
			},
		})
		switch {
		case pending != nil:
			return pending, nil
		case answer.Action == "accept":
			return text("Hello, %v", answer.Content["name"]), nil
		case answer.Action == "decline":
			return text("declined"), nil
		default:
			return text("cancelled"), nil
		}
	})
	tool(server, "summarize", func(_ context.Context, req *mcp.CallToolRequest, in summarizeArgs) (*mcp.CallToolResult, error) {
		answer, pending := ask[*mcp.CreateMessageWithToolsResult](req, &mcp.CreateMessageParams{
			MaxTokens: 100,
			Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Text}}},
		})
		if pending != nil {
			return pending, nil
		}
		reply, ok := answer.Content[0].(*mcp.TextContent)
		if !ok {
			return nil, fmt.Errorf("sampling answered with %T", answer.Content[0])
		}
		return text("Summary: %s", reply.Text), nil
	})
	tool(server, "show_roots", func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
		answer, pending := ask[*mcp.ListRootsResult](req, &mcp.ListRootsParams{})
		if pending != nil {
			return pending, nil
		}
		var uris []string
		for _, root := range answer.Roots {
			uris = append(uris, root.URI)
		}
		return text("%s", strings.Join(uris, ", ")), nil
	})
}
