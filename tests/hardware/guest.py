"""The guest as the host sees it: a PC emulated by QEMU that boots a kernel of its own on this machine's files.

`prepare` makes the kernel. The guest sees the host's root read-only, and one directory that both may write to, the
share, at /mnt. It runs one script and powers off. There is no KVM: what is measured in it is worth something only as
a ratio to something else that ran in it.
"""

import json
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SKIPPED = 77


class Skipped(Exception):
    """The guest cannot be had on this machine; `prepare` has said why."""


def prepared():
    """The directory with the kernel, made if it is not there yet."""
    made = subprocess.run([HERE / "prepare"], stdout=subprocess.PIPE, text=True)
    if made.returncode == SKIPPED:
        raise Skipped
    if made.returncode:
        sys.exit("preparing the guest failed")
    return Path(made.stdout.strip())


class Guest:
    """One run of the guest. Lines of its console go to `told`, as they come."""

    def __init__(self, home, share, command, told, megabytes=512, devices=()):
        self.share, self.told, self.lines = share, told, []
        kernel = home / "root"
        script = [
            "export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run LC_ALL=C.UTF-8",
            f"export GUEST_ROOT={shlex.quote(str(kernel))}",
            f"cd {shlex.quote(str(REPOSITORY))} && exec {shlex.join(map(str, command))}",
        ]
        (share / "guest.sh").write_text("\n".join(script) + "\n")
        arguments = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max"]
        arguments += ["-m", str(megabytes), "-smp", "2", "-nodefaults", "-nographic", "-no-reboot", "-monitor", "none"]
        arguments += ["-serial", "stdio", "-kernel", home / "vmlinux", "-initrd", home / "initrd.gz"]
        arguments += ["-append", "console=ttyS0 quiet loglevel=3 panic=-1 tsc=reliable"]
        for name, path, more in (("hostroot", "/", ",readonly=on,multidevs=remap"), ("share", share, "")):
            arguments += ["-fsdev", f"local,id={name},path={path},security_model=none{more}"]
            arguments += ["-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}"]
        arguments += ["-qmp", f"unix:{share / 'qmp'},server=on,wait=off", *devices]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()
        self._monitor = None

    def _read(self):
        for line in self.process.stdout:
            line = line.rstrip()
            self.lines.append(line)
            self.told(line)

    def wait(self, seconds):
        """Waits until it has powered off; ends it, and says False, when that takes longer."""
        try:
            self.process.wait(seconds)
            self.reading.join(5)
            return True
        except subprocess.TimeoutExpired:
            self.end()
            return False

    def end(self):
        """Pulls the plug."""
        self.process.kill()
        self.process.wait()

    def monitor(self, command, **arguments):
        """Asks QEMU itself (QMP): to plug a device in, or to pull it out."""
        if self._monitor is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(self.share / "qmp"))
            self._monitor = connection.makefile("rw")
            self._monitor.readline()
            self.monitor("qmp_capabilities")
        self._monitor.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._monitor.flush()
        while True:
            answer = json.loads(self._monitor.readline())
            if "error" in answer:
                raise RuntimeError(f"QEMU refused {command} {arguments}: {answer['error']}")
            if "return" in answer:
                return answer["return"]

