// invented: ShouldBindBody; right: ShouldBindBodyWith
package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

type signup struct {
	Email string `json:"email" binding:"required,email"`
}

func Signup(c *gin.Context) {
	var body signup
	if err := c.ShouldBindBody(&body); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	c.Status(http.StatusAccepted)
}
