"""Packs folders, from the command line."""

import os
import shutil
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import click
import yaml
from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, track
from rich.prompt import Confirm
from rich.table import Table
from rich.text import Text

console = Console(stderr=True, highlight=False)


class Level(click.ParamType):
    name = "level"

    def convert(self, value, param, ctx):
        try:
            return max(0, min(9, int(value)))
        except ValueError:
            self.fail(f"{value!r} is not a level", param, ctx)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.version_option("1.2.0")
@click.pass_context
def cli(ctx: click.Context, config: Path | None) -> None:
    """Packs folders."""
    ctx.ensure_object(dict)
    if config:
        with config.open(encoding="utf-8") as stream:
            ctx.obj.update(yaml.safe_load(stream) or {})


@cli.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-l", "--level", type=Level(), default=6, show_default=True)
@click.option("--format", type=click.Choice(["gz", "xz"]), default="gz")
@click.confirmation_option(prompt="Really?")
def pack(folders: tuple[Path, ...], level: int, format: str) -> None:
    """Packs each folder."""
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), console=console) as progress:
        task = progress.add_task("packing", total=len(folders))
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            jobs = {pool.submit(shutil.make_archive, str(f), f"{format}tar", f): f for f in folders}
            for job in as_completed(jobs):
                console.print(Text(jobs[job].name, style="bold green"), job.result())
                progress.update(task, advance=1)


@cli.command("list")
@click.argument("archive", type=click.Path(exists=True))
def list_(archive: str) -> None:
    """Shows what is in an archive."""
    table = Table(title=archive, show_lines=False, header_style="bold")
    table.add_column("name", overflow="fold")
    table.add_column("bytes", justify="right")
    with tarfile.open(archive) as tar:
        for member in track(tar.getmembers(), description="reading", console=console):
            table.add_row(member.name, f"{member.size:,}")
    console.print(Panel.fit(table, border_style="blue"))
    if not Confirm.ask("fine?", default=True):
        raise click.ClickException("not fine")
    click.secho("done", fg="green", err=True)
    click.echo(yaml.safe_dump({"archive": archive}, sort_keys=False))


if __name__ == "__main__":
    sys.exit(cli(obj={}))
