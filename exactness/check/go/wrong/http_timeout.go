// invented: NewRequestContext; right: NewRequestWithContext
package fetch

import (
	"context"
	"io"
	"net/http"
)

func Get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
