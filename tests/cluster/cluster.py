"""The recipes of the README for several machines, run for real: GNU parallel over ssh, and Slurm.

The machines are three of each kind on this one, on loopback: sshd on a port of its own with keys
made for the run; and a slurmctld with a slurmd for each node, with a munged of their own. In both a
worker is killed in the middle of a share with all that belongs to its machine, and the share is
done again elsewhere; the answer has to be the bytes that one run over all exports gives. What is
run is the README's text. Everything is in one temporary folder, and ends with this program.

Needs parallel, openssh-server, slurm-wlm and munge. Environment: RETRIAGE or BUILD. Prints "N
passed, N failed".
"""
import contextlib
import getpass
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
MACHINES = 3
SHARES = 12
ISSUES = 500
PATIENCE = 100

# What machines have as retriage. Who comes to the fifth share first stands still in the middle of
# it: half an export comes out of a pipe, and no more.
WORKER = """#!/bin/sh
case "$*" in
*--partial*share-05*) mkdir held 2>/dev/null || exec {retriage} "$@" ;;
*) exec {retriage} "$@" ;;
esac
for word; do
	shift
	case $word in
	*share-05*) export=$word word=held/$word ;;
	esac
	set -- "$@" "$word"
done
mkdir held/shares
mkfifo "held/$export"
{retriage} "$@" &
exec 3>"held/$export"
head -c 5000 "$export" >&3
echo "$! ${{SLURMD_NODENAME:-}}" >held/new
mv held/new held/worker
wait
"""


def recipes():
    """The blocks of the README's section, in their order: by hand, parallel, Slurm."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^## Several machines\n(.*?)(?=^## )", text, re.M | re.S).group(1)
    return re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)


def issue(rng, number):
    """An issue with some of its members."""
    return {"id": f"iss-{number:06}", "scan_id": "s", "file_path": f"src/{number % 97}.c",
            "severity": rng.choice(["critical", "high", "medium", "low", "info", "odd"]),
            "category": f"category {rng.randrange(40)}", "title": "x" * rng.randrange(200),
            "false_positive": rng.random() < 0.1,
            "created_at": f"2025-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}T00:00:00Z"}


def parent_of(pid):
    """The parent of a process, 0 where there is none any more."""
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def is_below(pid, ancestor):
    """Whether a process, or one that it comes from, is that one."""
    while pid > 1 and pid != ancestor:
        pid = parent_of(pid)
    return pid == ancestor


def tree_of(ancestor):
    """A process and all that come from it."""
    pids = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if is_below(pid, ancestor)]


def inside(folder):
    """Processes that work in a folder, or were started with its name."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and int(entry.name) != os.getpid() and (
                    str(folder) in os.readlink(entry / "cwd") or
                    str(folder).encode() in (entry / "cmdline").read_bytes()):
                found.append(int(entry.name))
    return found


def end(pids):
    """End processes of ours."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def free_ports(count):
    """Ports that nobody has at the moment."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(what, ready):
    """Wait until ready() gives something."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = ready()
        if found:
            return found
        time.sleep(0.1)
    raise TimeoutError(f"{what}: not in {PATIENCE} seconds")


class Site:
    """A folder with exports, and machines that share it."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("SLURM", "SBATCH", "PARALLEL"))}
        (folder / "bin").mkdir()
        (folder / "bin" / "retriage").write_text(WORKER.format(retriage=RETRIAGE))
        (folder / "bin" / "retriage").chmod(0o755)
        self.work, self.home = folder / "work", folder / "home"
        for made in (self.work, self.home):
            made.mkdir()
        (self.work / "shares").mkdir()
        self.path = f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
        self.env |= {"HOME": str(self.home), "PATH": self.path, "LC_ALL": "C.UTF-8"}
        rng = random.Random(1)
        names = []
        for share in range(SHARES):
            names.append(f"shares/share-{share:02}.json.gz")
            issues = [issue(rng, share * ISSUES + number) for number in range(ISSUES)]
            (self.work / names[-1]).write_bytes(gzip.compress(json.dumps(issues).encode()))
        (self.work / "exports").write_text("".join(name + "\n" for name in names))
        self.want = subprocess.run([RETRIAGE, "summary", *names], cwd=self.work, check=True,
                                   capture_output=True).stdout

    def start(self, name, *command, **more):
        """Start a daemon that stays in the foreground; its output goes to a log."""
        with open(self.folder / f"{name}.log", "ab") as log:
            daemon = subprocess.Popen(list(map(str, command)), cwd=self.folder, stdout=log,
                                      stderr=log, stdin=subprocess.DEVNULL, env=self.env,
                                      start_new_session=True, **more)
        self.daemons.append(daemon)
        return daemon

    def stop(self):
        """End all daemons, and what came from them: nobody else knows the folder."""
        for daemon in reversed(self.daemons):
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
        end(inside(self.folder))
        for daemon in self.daemons:
            daemon.wait()
        wait_for("the end of all processes", lambda: not inside(self.folder))

    def run(self, script):
        """Begin a recipe; its output goes to `out`."""
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            return subprocess.Popen(["sh", "-e", "-c", script], cwd=self.work, env=self.env,
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def tell(self):
        """What the logs have, for whoever has to look."""
        for log in sorted([*self.folder.glob("*.log"), self.folder / "err"]):
            if log.exists():
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")

    def held(self, recipe):
        """The worker that stands still: its process and its node's name."""
        def look():
            if recipe.poll() is not None:
                raise RuntimeError(f"the recipe ended with {recipe.returncode}")
            return (self.work / "held" / "worker").exists()

        wait_for("a worker in the middle", look)
        pid, _, node = (self.work / "held" / "worker").read_text().strip().partition(" ")
        return int(pid), node


# --- GNU parallel over ssh ----------------------------------------------------------------------


def start_ssh(site):
    """An sshd for each machine, and a client's configuration that knows them."""
    folder, hosts = site.folder, [f"machine{number}" for number in range(MACHINES)]
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key],
                       check=True)
    (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
    config = ""
    for host, port in zip(hosts, free_ports(MACHINES)):
        (folder / f"{host}.conf").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
            f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\n"
            f"PermitRootLogin prohibit-password\nPasswordAuthentication no\n"
            f"SetEnv PATH={site.path} LC_ALL=C.UTF-8\n")
        config += (f"Host {host}\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
                   f"  IdentityFile {folder}/user\n  IdentitiesOnly yes\n  BatchMode yes\n"
                   f"  StrictHostKeyChecking no\n  UserKnownHostsFile {folder}/known\n"
                   f"  LogLevel ERROR\n")
        site.start(host, shutil.which("sshd", path=site.path), "-D", "-e", "-f",
                   folder / f"{host}.conf")
    (folder / "ssh_config").write_text(config)
    (site.work / "hosts").write_text("".join(host + "\n" for host in hosts))
    site.env["PARALLEL_SSH"] = f"ssh -F {folder}/ssh_config"
    site.env["PARALLEL_HOME"] = str(folder / "parallel")
    (folder / "parallel").mkdir()
    (folder / "parallel" / "will-cite").touch()
    for host in hosts:
        wait_for(host, lambda host=host: subprocess.run(
            ["ssh", "-F", folder / "ssh_config", host, "true"], env=site.env, check=False,
            capture_output=True).returncode == 0)


def session_of(site, pid):
    """The processes of the ssh session in which a process is."""
    listeners = [daemon.pid for daemon in site.daemons]
    while parent_of(pid) not in listeners:
        pid = parent_of(pid)
    return tree_of(pid)


def check_parallel(site):
    """The recipe for GNU parallel; one machine's session is killed."""
    start_ssh(site)
    recipe = site.run(recipes()[1])
    pid, _ = site.held(recipe)
    done = site.work / "parts" / "6.partial"
    not_yet = not done.exists() or done.stat().st_size == 0
    end(session_of(site, pid))
    status = recipe.wait(PATIENCE)
    have = (site.folder / "out").read_bytes()
    return [("killed in the middle", not_yet), ("exit status", status == 0), ("the answer of one run", have == site.want)]


# --- Slurm --------------------------------------------------------------------------------------


def start_slurm(site):
    """munged, slurmctld, and a slurmd for each node."""
    folder, user = site.folder, getpass.getuser()
    ports = free_ports(MACHINES + 1)
    (folder / "munge").mkdir(mode=0o755)
    (folder / "munge" / "key").write_bytes(os.urandom(1024))
    (folder / "munge" / "key").chmod(0o400)
    nodes = "".join(f"NodeName=node{number} NodeHostname=localhost NodeAddr=127.0.0.1 "
                    f"Port={port} CPUs=1\n" for number, port in enumerate(ports[1:]))
    (folder / "slurm.conf").write_text(f"""ClusterName=check
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=6
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MailProg=/bin/true
SlurmctldParameters=power_save_interval=0
SlurmdTimeout=10
BatchStartTimeout=5
MinJobAge=60
KillWait=5
ReturnToService=2
SchedulerParameters=defer_batch,batch_sched_delay=1,sched_interval=2
{nodes}PartitionName=all Nodes=ALL Default=YES State=UP
""")
    for name in ("state", *(f"spool.node{number}" for number in range(MACHINES))):
        (folder / name).mkdir(mode=0o755)
    site.env["SLURM_CONF"] = str(folder / "slurm.conf")
    site.start("munged", "munged", "--foreground", "--force", "--key-file", folder / "munge" / "key",
               "--socket", folder / "munge" / "socket", "--pid-file", folder / "munge" / "pid",
               "--seed-file", folder / "munge" / "seed", "--log-file", folder / "munged.log",
               "--num-threads", "2")
    wait_for("munged", (folder / "munge" / "socket").exists)
    site.start("slurmctld", "slurmctld", "-D", "-i", "-f", folder / "slurm.conf")
    nodes = {}
    for number in range(MACHINES):
        nodes[f"node{number}"] = site.start(f"node{number}", "slurmd", "-D", "-N", f"node{number}",
                                            "-f", folder / "slurm.conf")
    wait_for("the nodes", lambda: subprocess.run(
        ["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"], env=site.env, capture_output=True,
        check=False).stdout.count(b"node") == MACHINES)
    return nodes


def check_slurm(site):
    """The recipe for Slurm; one node is killed with all that runs on it."""
    nodes = start_slurm(site)
    recipe = site.run(recipes()[2])
    pid, name = site.held(recipe)
    while "slurmstepd" not in pathlib.Path(f"/proc/{pid}/comm").read_text():
        pid = parent_of(pid)
    not_yet = not (site.work / "parts" / "6.partial").exists()
    end([nodes[name].pid, *tree_of(pid)])
    status = recipe.wait(PATIENCE)
    have = (site.work / "summary.json").read_bytes()
    return [("killed in the middle", not_yet), ("exit status", status == 0), ("the answer of one run", have == site.want)]


# --- Both ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def privilege_folder():
    """The folder that sshd wants of whoever starts it as root."""
    folder = pathlib.Path("/run/sshd")
    made = os.getuid() == 0 and not folder.exists()
    if made:
        folder.mkdir(mode=0o755)
    try:
        yield
    finally:
        if made:
            folder.rmdir()


def main():
    passed = failed = 0
    wanted = sys.argv[1:]
    for check in (check_parallel, check_slurm):
        if wanted and check.__name__ not in wanted:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="retriage-cluster.") as name:
            pathlib.Path(name).chmod(0o755)
            site = Site(pathlib.Path(name))
            try:
                with privilege_folder():
                    results = check(site)
            except Exception as error:  # whatever it is, the daemons have to end
                results = [(f"{type(error).__name__}: {error}", False)]
            finally:
                site.stop()
            if not all(right for _, right in results):
                site.tell()
        for what, right in results:
            passed += right
            failed += not right
            print(f"{'ok    ' if right else 'FAILED'} {check.__name__}: {what}")
        print(f"{check.__name__}: {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
