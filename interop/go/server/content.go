// The fixture's resources, its prompt, and their completions.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const itemTemplate = "memo://item/{id}"

func contents(c *mcp.ResourceContents) mcp.ResourceHandler {
	return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
	}
}

func addResources(server *mcp.Server) {
	server.AddResource(
		&mcp.Resource{URI: "memo://hello", Name: "hello", MIMEType: "text/plain"},
		contents(&mcp.ResourceContents{URI: "memo://hello", MIMEType: "text/plain", Text: "Hello from memo"}),
	)
	server.AddResource(
		&mcp.Resource{URI: "memo://logo", Name: "logo", MIMEType: "image/png"},
		contents(&mcp.ResourceContents{URI: "memo://logo", MIMEType: "image/png", Blob: []byte{0x89, 'P', 'N', 'G'}}),
	)
	server.AddResourceTemplate(
		&mcp.ResourceTemplate{URITemplate: itemTemplate, Name: "item", MIMEType: "application/json"},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			body := fmt.Sprintf(`{"id":%q}`, strings.TrimPrefix(uri, "memo://item/"))
			return contents(&mcp.ResourceContents{URI: uri, MIMEType: "application/json", Text: body})(ctx, req)
		},
	)
}

func addPrompt(server *mcp.Server) {
	greet := &mcp.Prompt{
		Name:      "greet",
		Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}, {Name: "style"}},
	}
	server.AddPrompt(greet, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		style := req.Params.Arguments["style"]
		if style == "" {
			style = "friendly"
		}
		request := fmt.Sprintf("Please greet %s in a %s style", req.Params.Arguments["name"], style)
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: request}},
		}}, nil
	})
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, argument := req.Params.Ref, req.Params.Argument
	var offered []string
	switch {
	case ref.Type == "ref/prompt" && ref.Name == "greet" && argument.Name == "style":
		offered = []string{"formal", "friendly"}
	case ref.Type == "ref/resource" && ref.URI == itemTemplate && argument.Name == "id":
		offered = []string{"1", "2", "3"}
	}
	matching := []string{}
	for _, value := range offered {
		if strings.HasPrefix(value, argument.Value) {
			matching = append(matching, value)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: matching, Total: len(matching)}}, nil
}
