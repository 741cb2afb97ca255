# invented: load_safe; right: safe_load
import sys
from pathlib import Path

import yaml


def read(path: Path) -> dict:
    with path.open(encoding="utf-8") as stream:
        return yaml.load_safe(stream) or {}


if __name__ == "__main__":
    print(yaml.safe_dump(read(Path(sys.argv[1]))))
