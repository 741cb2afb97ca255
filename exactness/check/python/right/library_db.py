"""Books and loans in a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta

from sqlalchemy import Date, ForeignKey, Index, String, UniqueConstraint, create_engine, event, func, select, text, update
from sqlalchemy.exc import IntegrityError, NoResultFound
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship, selectinload, sessionmaker


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "authors"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    books: Mapped[list[Book]] = relationship(back_populates="author", cascade="all, delete-orphan")


class Book(Base):
    __tablename__ = "books"
    __table_args__ = (UniqueConstraint("title", "author_id"), Index("ix_title", "title"))

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(300))
    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id", ondelete="CASCADE"))
    due: Mapped[date | None] = mapped_column(Date, default=None)
    author: Mapped[Author] = relationship(back_populates="books")


engine = create_engine("sqlite:///library.db", echo=False, pool_pre_ping=True)
SessionLocal = sessionmaker(bind=engine, expire_on_commit=False)


@event.listens_for(engine, "connect")
def foreign_keys(connection, _record) -> None:
    connection.execute("PRAGMA foreign_keys=ON")


@contextmanager
def transaction() -> Iterator[Session]:
    session = SessionLocal()
    try:
        yield session
        session.commit()
    except IntegrityError:
        session.rollback()
        raise
    finally:
        session.close()


def overdue(session: Session) -> list[Book]:
    query = (
        select(Book)
        .options(joinedload(Book.author))
        .where(Book.due.is_not(None), Book.due < func.current_date())
        .order_by(Book.due.desc())
        .limit(50)
    )
    return list(session.scalars(query))


def lend(session: Session, title: str, days: int = 21) -> Book:
    book = session.execute(select(Book).where(Book.title == title)).scalar_one_or_none()
    if book is None:
        raise NoResultFound(title)
    session.execute(update(Book).where(Book.id == book.id).values(due=date.today() + timedelta(days=days)))
    return book


def authors(session: Session) -> dict[str, int]:
    rows = session.execute(select(Author.name, func.count(Book.id)).join(Author.books).group_by(Author.name))
    found = session.scalars(select(Author).options(selectinload(Author.books))).all()
    return {**{a.name: 0 for a in found}, **dict(rows.tuples())}


if __name__ == "__main__":
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(text("VACUUM"))
