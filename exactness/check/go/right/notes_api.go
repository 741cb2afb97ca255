package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/google/uuid"
)

type note struct {
	ID      uuid.UUID `json:"id"`
	Title   string    `json:"title" binding:"required,max=80"`
	Body    string    `json:"body"`
	Changed time.Time `json:"changed"`
}

type store struct {
	mu    sync.RWMutex
	notes map[uuid.UUID]note
}

func (s *store) list(limit int) []note {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := make([]note, 0, limit)
	for _, one := range s.notes {
		if len(found) == limit {
			break
		}
		found = append(found, one)
	}
	return found
}

func (s *store) routes(router gin.IRouter) {
	group := router.Group("/notes")
	group.GET("", func(c *gin.Context) {
		limit, err := strconv.Atoi(c.DefaultQuery("limit", "20"))
		if err != nil {
			c.AbortWithStatusJSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		c.JSON(http.StatusOK, s.list(limit))
	})
	group.POST("", func(c *gin.Context) {
		var fresh note
		if err := c.ShouldBindWith(&fresh, binding.JSON); err != nil {
			_ = c.Error(err).SetType(gin.ErrorTypeBind)
			c.Status(http.StatusUnprocessableEntity)
			return
		}
		fresh.ID, fresh.Changed = uuid.New(), time.Now().UTC()
		s.mu.Lock()
		s.notes[fresh.ID] = fresh
		s.mu.Unlock()
		c.Header("Location", c.FullPath()+"/"+fresh.ID.String())
		c.JSON(http.StatusCreated, fresh)
	})
	group.DELETE("/:id", func(c *gin.Context) {
		id, err := uuid.Parse(c.Param("id"))
		if err != nil {
			c.AbortWithStatus(http.StatusNotFound)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.notes, id)
		c.Status(http.StatusNoContent)
	})
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(gin.Recovery(), gin.LoggerWithConfig(gin.LoggerConfig{
		Output:    os.Stderr,
		SkipPaths: []string{"/healthz"},
	}))
	if err := engine.SetTrustedProxies(nil); err != nil {
		panic(err)
	}
	engine.GET("/healthz", func(c *gin.Context) { c.String(http.StatusOK, "ok") })
	notes := &store{notes: map[uuid.UUID]note{}}
	notes.routes(engine.Group("/v1"))

	server := &http.Server{
		Addr:              ":8080",
		Handler:           engine,
		ReadHeaderTimeout: 5 * time.Second,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(grace)
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		panic(err)
	}
}
