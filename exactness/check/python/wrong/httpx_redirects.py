# invented: allow_redirects; right: follow_redirects
import httpx


def final_address(url: str) -> str:
    response = httpx.get(url, allow_redirects=True, timeout=10.0)
    response.raise_for_status()
    return str(response.url)


if __name__ == "__main__":
    print(final_address("https://example.com"))
