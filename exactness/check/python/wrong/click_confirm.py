# invented: abort_on_no; right: abort
import click


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="do not ask")
def remove(name: str, yes: bool) -> None:
    """Removes a thing."""
    if not yes:
        click.confirm(f"Remove {name}?", default=False, abort_on_no=True)
    click.echo(f"removed {name}")


if __name__ == "__main__":
    remove()
