# SPDX-License-Identifier: MIT
"""prometheus: parse metrics from stdin with Prometheus's client, and print them as JSON."""
import json
import sys

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    sys.exit("python3-prometheus-client is not installed")

json.dump([[family.type, sample.name, *sample.labels.values(), sample.value]
           for family in text_string_to_metric_families(sys.stdin.read())
           for sample in family.samples], sys.stdout)
