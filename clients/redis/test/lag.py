# SPDX-License-Identifier: MIT
"""Tests of expire-lag, on servers with and without the module."""

import os
import signal
import subprocess

import cases
from cases import CROWD, crowd, field, served, wait
from redis import Server

tool = None

QUICK = ("--keys", "200", "--ttl", "1", "--spread", "1", "--wait", "1")


def command(server, *options):
    return [tool, "--socket", server.path, *options]


def measured(server, *options, status=0):
    """The output of expire-lag."""
    result = subprocess.run(command(server, *options), stdout=subprocess.PIPE, text=True,
                            check=False)
    assert result.returncode == status, result
    return result.stdout


def error(*options, environment=None):
    """The message of an expire-lag that fails."""
    result = subprocess.run([tool, *options], stderr=subprocess.PIPE, text=True, check=False,
                            env=dict(os.environ, **(environment or {})))
    assert result.returncode != 0, result
    return result.stderr


def metrics(text):
    """The metrics in Prometheus's text format."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_lag_of_a_stock_server_is_shown():
    with Server() as server:
        client = server.client()
        crowd(client)
        text = measured(server, *QUICK)
        deleted = int(text.split()[0])
        assert deleted < 200, text
        assert "of 200 keys deleted; lag of the deletion:" in text, text
        rows = {line[:14].strip(): int(line[14:].split()[0])
                for line in text.splitlines()[2:]}
        assert rows["not deleted"] == 200 - deleted, text
        assert sum(rows.values()) == 200, text
        # The probe keys have been removed.
        assert client("DBSIZE") == CROWD


def test_lag_with_the_module_is_shown():
    with served() as (server, client, _):
        found = metrics(measured(server, *QUICK, "--wait", "30", "--prometheus"))
        assert found["redis_expire_lag_seconds_count"] == 200
        assert found["redis_expire_lag_not_deleted"] == 0
        assert found['redis_expire_lag_seconds_bucket{le="+Inf"}'] == 200
        assert found['redis_expire_lag_seconds_bucket{le="0.001"}'] == 0
        assert found["redis_expire_lag_seconds_sum"] > 0.2
        assert client("DBSIZE") == CROWD


def test_metrics_of_the_module_are_those_of_info():
    with served() as (server, client, _):
        client.many([("SET", f"mine:{n}", "1", "PX", 100) for n in range(20)])
        wait(lambda: client("DBSIZE") == CROWD)
        lag = cases.lag_of(client)
        found = metrics(measured(server, "--keys", "0", "--prometheus"))
        assert not any(name.startswith("redis") for name in found), found
        assert found["wheel_expire_lag_seconds_count"] == lag["count"] == field(client, "expired")
        for limit in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000):
            bucket = f'wheel_expire_lag_seconds_bucket{{le="{limit / 1000:g}"}}'
            assert found[bucket] == lag[f"le_{limit}ms"], limit
        assert abs(found["wheel_expire_lag_seconds_sum"] - lag["sum_usec"] / 1e6) < 1e-4


def test_keys_that_others_remove_are_counted_separately():
    with Server() as server, subprocess.Popen(
            command(server, "--keys", "10", "--ttl", "60", "--spread", "0"),
            stdout=subprocess.PIPE, text=True) as process:
        client = server.client()
        wait(lambda: client("DBSIZE") == 10)
        client("DEL", *client("KEYS", "*"))
        text, _ = process.communicate()
        assert text.startswith("0 of 0 keys deleted, 10 more removed before"), text


def test_interrupted_measurement_removes_its_keys():
    with Server() as server, subprocess.Popen(
            command(server, "--ttl", "60"), stdout=subprocess.PIPE, text=True) as process:
        client = server.client()
        wait(lambda: client("DBSIZE") == 1000)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate()
        assert process.returncode == 1
        assert text.startswith("0 of 1000 keys deleted"), text
        assert client("DBSIZE") == 0


def test_errors_of_the_tool_are_reported():
    with Server("--requirepass", "secret") as server:
        path = ("--socket", server.path)
        assert "NOAUTH" in error(*path)
        assert "WRONGPASS" in error(*path, environment={"REDISCLI_AUTH": "wrong"})
        measured_with = subprocess.run(
            [tool, *path, "--keys", "0"], stdout=subprocess.PIPE, text=True, check=True,
            env=dict(os.environ, REDISCLI_AUTH="secret"))
        assert measured_with.stdout.startswith("0 of 0 keys")
        assert "No such file" in error("--socket", server.path + ".absent")
        assert "must be from 1 to 65535" in error("--port", "0")
        assert "unexpected argument" in error("more")
