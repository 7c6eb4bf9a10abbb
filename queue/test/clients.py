# SPDX-License-Identifier: MIT
"""Independent clients, as packaged by Debian."""
import os
import shutil
import subprocess

import ktap
import harness


def run_client(program, script):
    if not shutil.which(program):
        raise ktap.Skip(f"{program} is not installed")
    path = os.path.join(harness.ROOM, "test", "clients", script)
    with harness.Server() as server:
        done = subprocess.run([program, path, str(server.port)], capture_output=True,
                              text=True, timeout=harness.PATIENCE, check=False)
        said = done.stdout + done.stderr
        if "not installed" in said:
            raise ktap.Skip(said.strip())
        assert done.returncode == 0 and said.strip() == "ok", said


def client_beaneater():
    run_client("ruby", "beaneater.rb")


def client_pheanstalk():
    run_client("php", "pheanstalk.php")


TESTS = [client_beaneater, client_pheanstalk]
