"""Follows links with a bounded number of connections."""

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import httpx
from bs4 import BeautifulSoup, NavigableString, Tag

LIMITS = httpx.Limits(max_connections=20, max_keepalive_connections=5)


@asynccontextmanager
async def client(user_agent: str):
    transport = httpx.AsyncHTTPTransport(retries=2, limits=LIMITS)
    timeout = httpx.Timeout(10.0, connect=3.0)
    async with httpx.AsyncClient(
        transport=transport,
        timeout=timeout,
        follow_redirects=True,
        headers={"User-Agent": user_agent},
    ) as http:
        yield http


def links(page: str, base: str) -> list[str]:
    soup = BeautifulSoup(page, "html.parser")
    found = []
    for anchor in soup.find_all("a", href=True):
        if isinstance(anchor, Tag):
            found.append(urljoin(base, str(anchor["href"])))
    title = soup.select_one("head > title")
    if title is not None and isinstance(title.string, NavigableString):
        print(title.get_text(strip=True))
    return found


async def crawl(start: str, depth: int) -> set[str]:
    seen: set[str] = set()
    gate = asyncio.Semaphore(8)
    host = urlsplit(start).hostname

    async def visit(url: str, left: int) -> None:
        if url in seen or left < 0 or urlsplit(url).hostname != host:
            return
        seen.add(url)
        async with gate:
            try:
                reply = await http.get(url)
                reply.raise_for_status()
            except httpx.HTTPStatusError as error:
                print(error.response.status_code, error.request.url)
                return
            except httpx.TransportError:
                return
        await asyncio.gather(*(visit(link, left - 1) for link in links(reply.text, str(reply.url))))

    async with client("crawler/1.0") as http:
        await visit(start, depth)
    return seen


def head(url: str) -> int:
    with httpx.Client(base_url="https://example.com", http2=False) as session:
        reply = session.head(url, follow_redirects=False)
        return reply.status_code


if __name__ == "__main__":
    print(len(asyncio.run(crawl("https://example.com/", 2))), head("/"))
