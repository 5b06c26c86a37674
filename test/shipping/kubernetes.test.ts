import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { dasServiceOf, dasTlds } from '../../src/registries/whois/das-services.ts';
import { imageSettings } from '../support/package/dockerfile.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { projectFolder } from '../support/package/run.ts';

const text = readFileSync(join(projectFolder, 'ops/kubernetes.yaml'), 'utf8');
const objects: Json[] = parseAllDocuments(text).map((document) => document.toJS());
const [secret, deployment, service, budget, policy] = objects;
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const environment: Record<string, string> = Object.fromEntries(
  container.env.map(({ name, value, valueFrom }: Json) => [
    name,
    value ?? secret.stringData[valueFrom.secretKeyRef.key],
  ]),
);

it('is the base of ops/kustomization.yaml, which changes no selector', () => {
  const base = parse(readFileSync(join(projectFolder, 'ops/kustomization.yaml'), 'utf8'));
  const pairs = { 'app.kubernetes.io/part-of': 'rdap-gateway' };
  // Kustomize rejects unknown fields, and a `labels` entry changes no selector by default.
  expect(base).toEqual({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['kubernetes.yaml'],
    labels: [{ pairs }],
  });
});

describe('ops/kubernetes.yaml', () => {
  it('sets variables that exist, to valid values', () => {
    const config = readConfig({ ...imageSettings().environment, ...environment });
    expect(Object.keys(config)).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(config).toMatchObject({ AUTH: 'required', HOST: '0.0.0.0' });
    expect(config.STORE_URL).toMatch(/^postgres:/);
  });

  it('divides registry rate limits by the number of replicas', () => {
    expect(environment['CLUSTER_SIZE']).toBe(String(deployment.spec.replicas));
  });

  it('uses the port of the image in the probes and the service', () => {
    const [port] = container.ports;
    expect(String(port.containerPort)).toBe(imageSettings().environment['PORT']);
    const [{ targetPort }] = service.spec.ports;
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.port)).toEqual([port.name, port.name, port.name]);
    expect(targetPort).toBe(port.name);
  });

  it('probes paths that a gateway serves without a key', async () => {
    await using gateway = await startGateway({ env: { AUTH: 'required' } });
    // /ready would remove all pods while the database restarts.
    expect(container.readinessProbe.httpGet.path).toBe('/health');
    for (const { httpGet } of [
      container.startupProbe,
      container.livenessProbe,
      container.readinessProbe,
    ])
      expect((await gateway.fetch(httpGet.path)).status).toBe(200);
  });

  it('selects the pods in the service and the disruption budget', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });

  it('lets the pods be called at their port only, and call public addresses and the database', () => {
    const { podSelector, policyTypes, ingress, egress } = policy.spec;
    expect(podSelector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(ingress.flatMap(({ ports }: Json) => ports)).toEqual([
      { protocol: 'TCP', port: container.ports[0].name },
    ]);
    const [resolver, database, internet] = egress;
    expect(portsOf(resolver)).toEqual(['UDP 53', 'TCP 53']);
    expect(portsOf(database)).toEqual([`TCP ${new URL(environment['STORE_URL'] ?? '').port}`]);
    const dasPorts = dasTlds.map((tld) => `TCP ${dasServiceOf(tld)?.port}`);
    expect(portsOf(internet)).toEqual(
      expect.arrayContaining(['TCP 43', 'UDP 53', 'TCP 53', 'TCP 80', 'TCP 443', ...dasPorts]),
    );
    const excluded = internet.to.flatMap(({ ipBlock }: Json) => ipBlock.except);
    expect(excluded).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', 'fc00::/7']));
  });

  it('runs the gateway with a read-only file system and no privileges', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(imageSettings().user).toBe('node'); // whose user ID is 1000
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('lets Prometheus read the metrics, and no client of the ingress controller', async () => {
    const { annotations } = deployment.spec.template.metadata;
    const port = String(container.ports[0].containerPort);
    expect(annotations).toMatchObject({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': port,
    });
    const { METRICS_ALLOW, TRUSTED_PROXIES } = readConfig(environment);
    expect(METRICS_ALLOW).not.toContain('127.0.0.0/8');
    // Prometheus and the controller are on this machine in this test.
    const env = { METRICS_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1', AUTH: 'required' };
    await using gateway = await startGateway({ env });
    expect(TRUSTED_PROXIES).toHaveLength(1);
    const read = (headers: Record<string, string>) =>
      gateway.fetch(annotations['prometheus.io/path'], { headers });
    expect((await read({})).status).toBe(200);
    expect((await read({ 'x-forwarded-for': '198.51.100.1' })).status).toBe(404);
    const [{ from }] = policy.spec.ingress;
    expect(from).toHaveLength(2);
  });

  it('gives a gateway more time to stop than it needs', () => {
    const [, seconds] = container.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 10);
  });

  it('contains no password', () => {
    expect(new URL(environment['STORE_URL'] ?? '').password).toBe('PASSWORD');
  });
});

/** Returns the ports of a rule, such as `TCP 443`. */
function portsOf({ ports }: Json): readonly string[] {
  return ports.map(({ protocol, port }: Json) => `${protocol} ${port}`);
}
