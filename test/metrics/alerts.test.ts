import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { metricsTable } from '../../src/metrics/table.ts';
import { projectFolder } from '../support/package/run.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const { groups } = parse(read('ops/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

it.each(rules)('$alert is valid PromQL over metrics of the gateway, and has a runbook', (rule) => {
  parser.parse(rule.expr).iterate({ enter: ({ type }) => void expect(type.isError).toBe(false) });
  const metrics = rule.expr.match(/\brdap_gateway_\w+/g) ?? [];
  expect(metrics).not.toEqual([]);
  expect(metrics.filter((name) => !(name in metricsTable))).toEqual([]);
  expect(rule.for).toMatch(/^\d+[mh]$/);
  expect(['warning', 'critical']).toContain(rule.labels.severity);
  const [, anchor] = rule.annotations.runbook.split('/docs/operations#');
  expect(anchor).toBe(rule.alert.toLowerCase());
  expect(read('docs/operations.md')).toContain(`\n#### ${rule.alert}\n`);
});

it('detects an expression that is not PromQL', () => {
  let isInvalid = false;
  parser.parse('rate(up[5m]').iterate({ enter: ({ type }) => void (isInvalid ||= type.isError) });
  expect(isInvalid).toBe(true);
});
