package pricing

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
)

var errClosed = errors.New("closed")

type rates struct {
	mock.Mock
}

func (r *rates) Rate(currency string) (float64, error) {
	arguments := r.Called(currency)
	return arguments.Get(0).(float64), arguments.Error(1)
}

func convert(r *rates, amount float64, currency string) (float64, error) {
	rate, err := r.Rate(currency)
	return amount * rate, err
}

type pricing struct {
	suite.Suite
	rates  *rates
	server *httptest.Server
}

func (s *pricing) SetupTest() {
	s.rates = new(rates)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(strings.ToUpper(r.URL.Query().Get("q"))))
	}))
	s.T().Cleanup(s.server.Close)
}

func (s *pricing) TestConvert() {
	s.rates.On("Rate", "EUR").Return(1.5, nil).Once()
	s.rates.On("Rate", mock.AnythingOfType("string")).Return(0.0, errClosed).Maybe()
	amount, err := convert(s.rates, 10, "EUR")
	s.Require().NoError(err)
	s.InDelta(15.0, amount, 0.001)
	_, err = convert(s.rates, 10, "XXX")
	s.ErrorIs(err, errClosed)
	s.rates.AssertNumberOfCalls(s.T(), "Rate", 2)
	s.rates.AssertExpectations(s.T())
}

func (s *pricing) TestServer() {
	response, err := s.server.Client().Get(s.server.URL + "?q=abc")
	s.Require().NoError(err)
	defer response.Body.Close()
	s.Equal(http.StatusOK, response.StatusCode)
	s.Equal("text/plain", response.Header.Get("Content-Type"))
}

func TestPricing(t *testing.T) {
	suite.Run(t, new(pricing))
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name string
		path string
		code int
	}{
		{"found", "/a", http.StatusOK},
		{"missing", "/b", http.StatusNotFound},
	} {
		t.Run(one.name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			mux := http.NewServeMux()
			mux.HandleFunc("GET /a", func(w http.ResponseWriter, _ *http.Request) {})
			mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, one.path, nil))
			require.Equal(t, one.code, recorder.Code)
			result := recorder.Result()
			assert.Empty(t, result.Header.Get("Location"))
		})
	}
}

func TestEventually(t *testing.T) {
	done := make(chan struct{})
	timer := time.AfterFunc(10*time.Millisecond, func() { close(done) })
	defer timer.Stop()
	assert.Eventually(t, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}, time.Second, 5*time.Millisecond)
	assert.ElementsMatch(t, []int{1, 2}, []int{2, 1})
	require.Len(t, strings.Fields("a b"), 2)
	strict := require.New(t)
	strict.JSONEq(`{"a": 1}`, `{"a":1}`)
}

func BenchmarkFields(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = strings.Fields("a b c")
	}
}
