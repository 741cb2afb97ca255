"""Writes into `cases.json` what the pip and the uv of this machine make of each case: run it with
`python3 record.py` after a case was added, or to see whether a new version has changed its mind.

pip's own code reads made-up files in a made-up home; uv is asked for its settings.
"""
import json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Runs in a process of its own, since pip reads the environment when it is imported.
PIP = """
import json, os, sys
root = sys.argv[1]
from pip._internal import configuration
from pip._internal.utils import appdirs
shared = os.environ.get("XDG_CONFIG_DIRS", root + "/etc/xdg").split(":")
appdirs.site_config_dirs = lambda name: [f"{one}/{name}" for one in shared] + [root + "/etc"]
sys.prefix = os.environ.get("VIRTUAL_ENV", root + "/nowhere")
from pip._internal.commands import create_command
from pip._internal.cli import cmdoptions
command = create_command("install")
options, _ = command.parse_args([])
default = cmdoptions.index_url().default
indexes = list(options.extra_index_urls)
if options.index_url != default:
    indexes.append(options.index_url)
said = {"indexes": indexes, "no_index": options.no_index, "trusted": options.trusted_hosts,
        "cert": options.cert, "client_cert": options.client_cert, "proxy": options.proxy or None}
print(json.dumps({key: value for key, value in said.items() if value or key == "indexes"}))
"""


def pip(root, environment):
    command = [sys.executable, "-c", PIP, root]
    done = subprocess.run(command, env=environment, cwd=root + "/project", capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def uv(root, environment):
    command = [shutil.which("uv"), "lock", "--show-settings"]
    done = subprocess.run(command, env=environment, cwd=root + "/project", capture_output=True, text=True)
    indexes, default, names = [], None, set()
    # The settings come as Rust prints them; lists of links without an index are of no interest.
    for part in re.split(r"\n\s+Index \{", done.stdout.split("index_locations")[1].split("flat_index:")[0])[1:]:
        if "format: Flat" in part:
            continue
        name = re.search(r'IndexName\(\s+"(.*?)"', part)
        url = re.search(r'given: Some\(\s+"(.*?)"', part).group(1)
        is_default, explicit = "default: true" in part, "explicit: true" in part
        if name and name.group(1) in names:
            continue
        names.update([name.group(1)] if name else [])
        if is_default:
            default = default or (None if explicit else url)
        elif not explicit:
            indexes.append(url)
    trusted = done.stdout.split("allow_insecure_host")[1].split("read_timeout")[0]
    hosts = re.findall(r'host: "(.*?)"', trusted)
    said = {"indexes": indexes + [default] if default else indexes}
    return {**said, "trusted": hosts} if hosts else said


def ask(case):
    root = os.path.realpath(tempfile.mkdtemp())
    put = lambda text: text.replace("@root@", root).replace("@home@", root + "/home")
    for file, text in {"project/x": "", "home/x": "", **case.get("files", {})}.items():
        os.makedirs(os.path.dirname(f"{root}/{file}"), exist_ok=True)
        with open(f"{root}/{file}", "w") as written:
            written.write(put(text))
    environment = {"HOME": f"{root}/home", "PATH": os.environ["PATH"]}
    environment |= {name: put(value) for name, value in case.get("variables", {}).items()}
    said = (pip if case["tool"] == "pip" else uv)(root, environment)
    shutil.rmtree(root)
    return json.loads(json.dumps(said).replace(root + "/home", "@home@").replace(root, "@root@"))


with open(f"{HERE}/cases.json") as file:
    cases = json.load(file)
for case in cases:
    case["says"] = ask(case)
with open(f"{HERE}/cases.json", "w") as file:
    rows = ",\n".join("  " + json.dumps(case, ensure_ascii=False) for case in cases)
    file.write(f"[\n{rows}\n]\n")
