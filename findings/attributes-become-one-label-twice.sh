#!/usr/bin/env bash
# Two attributes whose names differ in a dot make two labels of one name.
#
# Version: @opentelemetry/exporter-prometheus 0.301.0, @opentelemetry/sdk-metrics 3.1.1
# Behavior: `domain.tld` and `domain_tld` on one measurement are both written as the label `domain_tld`.
# Expected: one label with both values, joined by a semicolon, as the specification requires.
# Why it matters: Prometheus fails a scrape in which a sample has a label twice ("label name is not
#   unique"), so one attribute of one library takes away every metric of the process.
# Output: lookups_total{domain_tld="com",domain_tld="net"}
# Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-attributes
#   ("the values MUST be concatenated together");
#   https://github.com/prometheus/prometheus/issues/6853 (the failed scrape)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @opentelemetry/api@1.10.0 \
  @opentelemetry/exporter-prometheus@0.301.0 @opentelemetry/sdk-metrics@3.1.1 >>npm.log

cat >finding.mjs <<'JS'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

const exporter = new PrometheusExporter({ preventServerStart: true });
const meter = new MeterProvider({ readers: [exporter] }).getMeter('names');
meter.createCounter('lookups').add(1, { 'domain.tld': 'com', domain_tld: 'net' });

const { resourceMetrics } = await exporter.collect();
const text = new PrometheusSerializer().serialize(resourceMetrics);
const [seen] = text.match(/lookups_total\{domain_tld="com",domain_tld="net"/) ?? [text];
console.log(`${seen}}`);
process.exitCode = seen === 'lookups_total{domain_tld="com",domain_tld="net"' ? 0 : 1;
JS
node finding.mjs
