// invented: maxRetries; right: retryLimit
import Alamofire

func makeSession() -> Session {
    let policy = RetryPolicy(maxRetries: 4, exponentialBackoffBase: 2)
    return Session(interceptor: policy)
}
