// The checks that the Go client runs against a fixture server.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var fixtureTools = []string{"echo", "add", "progress", "log", "slow", "fail", "ask_name", "summarize", "show_roots", "touch"}

func (s *suite) runChecklist(ctx context.Context) {
	s.check(ctx, "list_tools", s.listTools)
	s.check(ctx, "call", s.echo)
	s.check(ctx, "structured", s.structured)
	s.check(ctx, "call_error", s.callError)
	s.check(ctx, "unknown_tool", s.unknownTool)
	s.check(ctx, "progress", s.reportProgress)
	s.check(ctx, "log", s.log)
	s.check(ctx, "cancel", s.cancel)
	s.check(ctx, "elicit", s.elicit("accept", "Hello, Ada"))
	s.check(ctx, "elicit_decline", s.elicit("decline", "declined"))
	s.check(ctx, "sample", func(ctx context.Context) error {
		return s.expectText(ctx, "summarize", map[string]any{"text": "a long text"}, "Summary: short")
	})
	s.check(ctx, "roots", s.roots)
	s.checkContent(ctx)
	s.check(ctx, "ping", func(ctx context.Context) error {
		if s.modern {
			return notSupported("the modern era has no ping")
		}
		return s.session.Ping(ctx, nil)
	})
}

func equal(what string, got, want any) error {
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		return fmt.Errorf("%s: got %s, want %s", what, g, w)
	}
	return nil
}

func (s *suite) call(ctx context.Context, name string, args map[string]any) (*mcp.CallToolResult, error) {
	if args == nil {
		args = map[string]any{}
	}
	return s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
}

func textOf(content []mcp.Content) any {
	if len(content) > 0 {
		if t, ok := content[0].(*mcp.TextContent); ok {
			return t.Text
		}
	}
	return content
}

func (s *suite) expectText(ctx context.Context, tool string, args map[string]any, want string) error {
	res, err := s.call(ctx, tool, args)
	if err != nil {
		return err
	}
	return errors.Join(equal("text", textOf(res.Content), want), equal("isError", res.IsError, false))
}

func (s *suite) echo(ctx context.Context) error {
	return s.expectText(ctx, "echo", map[string]any{"message": "hi"}, "Echo: hi")
}

func (s *suite) listTools(ctx context.Context) error {
	var names []string
	for tool, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if tool.Name == "add" && tool.OutputSchema == nil {
			return errors.New("add has no output schema")
		}
		names = append(names, tool.Name)
	}
	for _, name := range fixtureTools {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no tool %s in %v", name, names)
		}
	}
	return nil
}

func (s *suite) structured(ctx context.Context) error {
	res, err := s.call(ctx, "add", map[string]any{"a": 2, "b": 3})
	if err != nil {
		return err
	}
	if len(res.Content) == 0 {
		return errors.New("no text copy")
	}
	return equal("structuredContent", res.StructuredContent, map[string]any{"sum": 5})
}

func (s *suite) callError(ctx context.Context) error {
	res, err := s.call(ctx, "fail", nil)
	if err != nil {
		return err
	}
	return errors.Join(equal("isError", res.IsError, true), equal("text", textOf(res.Content), "it failed"))
}

func (s *suite) unknownTool(ctx context.Context) error {
	if res, err := s.call(ctx, "no_such_tool", nil); err == nil && !res.IsError {
		return errors.New("no error")
	}
	return nil
}

func (s *suite) reportProgress(ctx context.Context) error {
	params := &mcp.CallToolParams{Name: "progress", Arguments: map[string]any{"steps": 3}}
	params.SetProgressToken("token")
	res, err := s.session.CallTool(ctx, params)
	if err != nil {
		return err
	}
	for step := 1; step <= 3; step++ {
		select {
		case p := <-s.progress:
			got := []any{p.ProgressToken, p.Progress, p.Total, p.Message}
			if err := equal("progress", got, []any{"token", step, 3, fmt.Sprintf("step %d", step)}); err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("step %d did not arrive", step)
		}
	}
	return equal("text", textOf(res.Content), "done")
}

func (s *suite) log(ctx context.Context) error {
	params := &mcp.CallToolParams{Name: "log", Arguments: map[string]any{"level": "warning", "message": "careful"}}
	if s.modern {
		params.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "debug"}
	} else if err := s.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		return err
	}
	res, err := s.session.CallTool(ctx, params)
	if err != nil {
		return err
	}
	select {
	case l := <-s.logs:
		err = equal("log", []any{l.Level, l.Logger, l.Data}, []any{"warning", "fixture", "careful"})
		return errors.Join(err, equal("text", textOf(res.Content), "logged"))
	case <-ctx.Done():
		return errors.New("no log message arrived")
	}
}

func (s *suite) cancel(ctx context.Context) error {
	brief, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	if _, err := s.call(brief, "slow", map[string]any{"ms": 60000}); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a canceled call ended with %v", err)
	}
	return s.echo(ctx)
}

func (s *suite) elicit(action, want string) func(context.Context) error {
	return func(ctx context.Context) error {
		s.action = action
		return s.expectText(ctx, "ask_name", nil, want)
	}
}

func (s *suite) roots(ctx context.Context) error {
	err := s.expectText(ctx, "show_roots", nil, "file:///project")
	if s.modern && err != nil && strings.Contains(err.Error(), "unexpected end of JSON input") {
		return notSupported("this SDK cannot read a roots/list input request without params")
	}
	return err
}
