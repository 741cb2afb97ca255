"""Tickets over HTTP, with validation."""

from contextlib import asynccontextmanager
from datetime import datetime, timezone
from enum import Enum
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, BackgroundTasks, Depends, FastAPI, Header, HTTPException, Path, Query, Request, status
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import OAuth2PasswordBearer
from pydantic import BaseModel, ConfigDict, EmailStr, Field, ValidationError, field_validator, model_validator
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp


class State(str, Enum):
    OPEN = "open"
    DONE = "done"


class NewTicket(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, extra="forbid")

    title: str = Field(min_length=3, max_length=120, examples=["It does not start"])
    reporter: str
    priority: Annotated[int, Field(ge=1, le=5)] = 3

    @field_validator("title")
    @classmethod
    def not_shouted(cls, value: str) -> str:
        if value.isupper():
            raise ValueError("please do not shout")
        return value


class Ticket(NewTicket):
    id: UUID = Field(default_factory=uuid4)
    state: State = State.OPEN
    created: datetime = Field(default_factory=lambda: datetime.now(timezone.utc))

    @model_validator(mode="after")
    def check(self) -> "Ticket":
        return self


TICKETS: dict[UUID, Ticket] = {}
oauth = OAuth2PasswordBearer(tokenUrl="token", auto_error=False)
router = APIRouter(prefix="/tickets", tags=["tickets"])


def limit(limit: Annotated[int, Query(ge=1, le=100)] = 20) -> int:
    return limit


@router.get("", response_model=list[Ticket])
async def all_tickets(count: Annotated[int, Depends(limit)], agent: Annotated[str | None, Header()] = None):
    return list(TICKETS.values())[:count]


@router.post("", status_code=status.HTTP_201_CREATED)
async def create(new: NewTicket, tasks: BackgroundTasks, token: Annotated[str | None, Depends(oauth)]) -> Ticket:
    ticket = Ticket(**new.model_dump())
    TICKETS[ticket.id] = ticket
    tasks.add_task(print, ticket.model_dump_json(indent=2))
    return ticket


@router.get("/{id}")
async def one(id: Annotated[UUID, Path()]) -> Ticket:
    if id not in TICKETS:
        raise HTTPException(status_code=status.HTTP_404_NOT_FOUND, detail="no such ticket")
    return TICKETS[id]


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.started = datetime.now(timezone.utc)
    yield


app = FastAPI(title="Tickets", version="1.0", lifespan=lifespan)
app.add_middleware(CORSMiddleware, allow_origins=["https://example.com"], allow_methods=["*"])
app.add_middleware(GZipMiddleware, minimum_size=500)
app.include_router(router)


@app.exception_handler(ValidationError)
async def invalid(request: Request, error: ValidationError) -> JSONResponse:
    return JSONResponse({"path": request.url.path, "errors": error.error_count()}, status_code=422)


@app.get("/export")
async def export() -> StreamingResponse:
    return StreamingResponse((t.title + "\n" for t in TICKETS.values()), media_type="text/plain")
