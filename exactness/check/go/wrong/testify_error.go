// invented: ErrorContain; right: ErrorContains
package store

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	err := errors.New("no such store")
	must := require.New(t)
	must.Error(err)
	must.ErrorContain(err, "no such")
}
