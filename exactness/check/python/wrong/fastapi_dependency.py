# invented: Dependency; right: Depends
from typing import Annotated

from fastapi import Dependency, FastAPI, HTTPException, Query

app = FastAPI(title="Search")


def page(page: Annotated[int, Query(ge=1)] = 1, size: int = 20) -> tuple[int, int]:
    if size > 100:
        raise HTTPException(status_code=400, detail="too many")
    return (page - 1) * size, size


@app.get("/search")
def search(words: str, window: Annotated[tuple[int, int], Dependency(page)]) -> dict[str, int]:
    first, count = window
    return {"first": first, "count": count, "words": len(words.split())}
