// The checks of resources, prompts and completion.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const itemTemplate = "memo://item/{id}"

func (s *suite) checkContent(ctx context.Context) {
	s.check(ctx, "list_resources", s.listResources)
	s.check(ctx, "read_text", s.read("memo://hello", "text/plain", "Hello from memo"))
	s.check(ctx, "read_blob", s.read("memo://logo", "image/png", "\x89PNG"))
	s.check(ctx, "list_templates", s.listTemplates)
	s.check(ctx, "read_template", s.read("memo://item/2", "application/json", `{"id":"2"}`))
	s.check(ctx, "read_missing", s.readMissing)
	s.check(ctx, "subscribe", s.subscribe)
	s.check(ctx, "list_changed", s.listChanged)
	s.check(ctx, "list_prompts", s.listPrompts)
	s.check(ctx, "get_prompt", s.getPrompt)
	s.check(ctx, "complete_prompt", s.complete(
		&mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, "style", "fr", []string{"friendly"}))
	s.check(ctx, "complete_template", s.complete(
		&mcp.CompleteReference{Type: "ref/resource", URI: itemTemplate}, "id", "", []string{"1", "2", "3"}))
}

func (s *suite) listResources(ctx context.Context) error {
	found := map[string]string{}
	for resource, err := range s.session.Resources(ctx, nil) {
		if err != nil {
			return err
		}
		found[resource.URI] = resource.Name + " " + resource.MIMEType
	}
	return errors.Join(
		equal("memo://hello", found["memo://hello"], "hello text/plain"),
		equal("memo://logo", found["memo://logo"], "logo image/png"))
}

func (s *suite) listTemplates(ctx context.Context) error {
	var last *mcp.ResourceTemplate
	for template, err := range s.session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return err
		}
		if last = template; template.URITemplate == itemTemplate {
			break
		}
	}
	if last == nil {
		return errors.New("no templates")
	}
	return equal("template", []string{last.URITemplate, last.Name, last.MIMEType}, []string{itemTemplate, "item", "application/json"})
}

func (s *suite) read(uri, mimeType, body string) func(context.Context) error {
	return func(ctx context.Context) error {
		res, err := s.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		if len(res.Contents) != 1 {
			return fmt.Errorf("%d contents", len(res.Contents))
		}
		c := res.Contents[0]
		if got := c.Text + string(c.Blob); got != body {
			return fmt.Errorf("body: got %q, want %q", got, body)
		}
		return equal("contents", []string{c.URI, c.MIMEType}, []string{uri, mimeType})
	}
}

func (s *suite) readMissing(ctx context.Context) error {
	if _, err := s.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "memo://nowhere"}); err == nil {
		return errors.New("no error")
	}
	return nil
}

func (s *suite) subscribe(ctx context.Context) error {
	if err := s.session.Subscribe(ctx, &mcp.SubscribeParams{URI: "memo://hello"}); err != nil {
		return err
	}
	if s.modern {
		select {
		case <-s.listens:
		case <-ctx.Done():
			return errors.New("the subscription was not acknowledged")
		}
	}
	if _, err := s.call(ctx, "touch", nil); err != nil {
		return err
	}
	select {
	case uri := <-s.updates:
		err := s.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "memo://hello"})
		return errors.Join(equal("uri", uri, "memo://hello"), err)
	case <-ctx.Done():
		return errors.New("no update arrived")
	}
}

func (s *suite) listChanged(ctx context.Context) error {
	if _, err := s.call(ctx, "add_tool", nil); err != nil {
		return err
	}
	select {
	case <-s.changes:
	case <-ctx.Done():
		return errors.New("no change was told")
	}
	for tool, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if tool.Name == "extra" {
			return nil
		}
	}
	return errors.New("no tool extra")
}

func (s *suite) listPrompts(ctx context.Context) error {
	for prompt, err := range s.session.Prompts(ctx, nil) {
		if err != nil {
			return err
		}
		if prompt.Name == "greet" {
			required := map[string]bool{}
			for _, argument := range prompt.Arguments {
				required[argument.Name] = argument.Required
			}
			return equal("arguments", required, map[string]bool{"name": true, "style": false})
		}
	}
	return errors.New("no prompt greet")
}

func (s *suite) getPrompt(ctx context.Context) error {
	for _, style := range []string{"", "formal"} {
		arguments, want := map[string]string{"name": "Ada"}, "Please greet Ada in a friendly style"
		if style != "" {
			arguments["style"], want = style, "Please greet Ada in a formal style"
		}
		res, err := s.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: arguments})
		if err != nil {
			return err
		}
		if len(res.Messages) != 1 {
			return fmt.Errorf("%d messages", len(res.Messages))
		}
		message := res.Messages[0]
		got := []any{message.Role, textOf([]mcp.Content{message.Content})}
		if err := equal("message", got, []any{"user", want}); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) complete(ref *mcp.CompleteReference, argument, prefix string, want []string) func(context.Context) error {
	return func(ctx context.Context) error {
		res, err := s.session.Complete(ctx, &mcp.CompleteParams{
			Ref:      ref,
			Argument: mcp.CompleteParamsArgument{Name: argument, Value: prefix},
		})
		if err != nil {
			return err
		}
		return equal("values", res.Completion.Values, want)
	}
}
