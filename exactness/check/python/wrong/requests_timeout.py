# invented: TimeoutError; right: Timeout
import time

import requests
from requests.exceptions import HTTPError, TimeoutError


def fetch(url: str, attempts: int = 3) -> bytes:
    for attempt in range(attempts):
        try:
            response = requests.get(url, timeout=5)
            response.raise_for_status()
            return response.content
        except TimeoutError:
            time.sleep(2**attempt)
        except HTTPError as error:
            raise RuntimeError(url) from error
    raise RuntimeError("gave up")
