package main

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

type key struct{}

var (
	requests = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: "proxy",
		Name:      "requests_total",
		Help:      "Requests by method and code.",
	}, []string{"method", "code"})
	seconds = promauto.NewHistogram(prometheus.HistogramOpts{
		Name:    "proxy_seconds",
		Help:    "How long they take.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 10),
	})
)

func newLogger() (*zap.Logger, error) {
	config := zap.NewProductionConfig()
	config.Level = zap.NewAtomicLevelAt(zapcore.InfoLevel)
	config.EncoderConfig.EncodeTime = zapcore.ISO8601TimeEncoder
	config.OutputPaths = []string{"stderr"}
	return config.Build(zap.AddCaller(), zap.Fields(zap.String("service", "proxy")))
}

func timed(logger *zap.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timer := prometheus.NewTimer(seconds)
			defer timer.ObserveDuration()
			wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(wrapped, r.WithContext(context.WithValue(r.Context(), key{}, "x")))
			requests.WithLabelValues(r.Method, http.StatusText(wrapped.Status())).Inc()
			logger.Info("served",
				zap.String("path", r.URL.Path),
				zap.Int("bytes", wrapped.BytesWritten()),
				zap.String("id", middleware.GetReqID(r.Context())))
		})
	}
}

func main() {
	logger, err := newLogger()
	if err != nil {
		panic(err)
	}
	defer logger.Sync()
	sugar := logger.Sugar()
	target, err := url.Parse("http://localhost:9000")
	if err != nil {
		sugar.Fatalw("bad target", "error", err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		sugar.Warnf("upstream: %v", err)
		w.WriteHeader(http.StatusBadGateway)
	}
	router := chi.NewRouter()
	router.Use(middleware.RequestID, middleware.RealIP, middleware.Timeout(30*time.Second))
	router.Use(timed(logger))
	router.Handle("/metrics", promhttp.Handler())
	router.Route("/api/{version}", func(inner chi.Router) {
		inner.Use(middleware.Compress(5, "application/json"))
		inner.Get("/whoami", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(chi.URLParam(r, "version")))
		})
		inner.NotFound(proxy.ServeHTTP)
	})
	_ = chi.Walk(router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		sugar.Debugw("route", "method", method, "route", route)
		return nil
	})
	if err := http.ListenAndServe(":8080", router); err != nil {
		logger.Fatal("stopped", zap.Error(err), zap.Duration("after", time.Minute))
	}
}
