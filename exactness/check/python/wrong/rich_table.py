# invented: show_headers; right: show_header
from rich.console import Console
from rich.table import Table

console = Console()


def show(rows: list[tuple[str, int]]) -> None:
    table = Table(title="Packages", show_headers=True, header_style="bold")
    table.add_column("name")
    table.add_column("downloads", justify="right")
    for name, count in rows:
        table.add_row(name, str(count))
    console.print(table)
