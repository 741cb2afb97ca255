// invented: Integer; right: Int
package logging

import (
	"time"

	"go.uber.org/zap"
)

func Served(logger *zap.Logger, path string, status int, took time.Duration) {
	logger.With(zap.String("path", path)).Info("served",
		zap.Integer("status", status),
		zap.Duration("took", took))
}
