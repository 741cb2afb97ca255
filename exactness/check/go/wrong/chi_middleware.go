// invented: github.com/go-chi/chi/v5/middlewares; right: github.com/go-chi/chi/v5/middleware
package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middlewares"
)

func Router() http.Handler {
	router := chi.NewRouter()
	router.Use(middlewares.Logger)
	router.Get("/", func(w http.ResponseWriter, r *http.Request) {})
	return router
}
