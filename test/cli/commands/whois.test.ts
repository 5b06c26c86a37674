import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { commandLineEnvironment, runCommandLine } from '../../support/gateways/command-line.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { scratch } from '../../support/stores/scratch.ts';

const folder = await forThisFile(scratch);

const whois = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommandLine(['whois', ...args], { ...commandLineEnvironment(folder.path), ...env });

describe('`whois`', () => {
  it('prints the registrar, dates, nameservers and statuses of a registered name', async () => {
    const { code, stdout, stderr } = await whois(['taken.test']);
    expect([code, stderr]).toEqual([1, '']);
    for (const line of [
      /^Domain +taken\.test$/m,
      /^Status +registered\n +client delete prohibited$/m,
      /^Registrar +Sandbox Registrar Ltd \(IANA ID 9999\)$/m,
      /^Created +\d+ \w+ \d{4}, .+ ago$/m,
      /^Expires +\d+ \w+ \d{4}, in .+$/m,
      /^Checked +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/m,
      /^Nameservers +ns1\.example-dns\.test\n +ns2\.example-dns\.test$/m,
      /^DNSSEC +signed$/m,
      /^Source +RDAP, http/m,
    ])
      expect(stdout).toMatch(line);
  });

  it.each([
    ['new.test', 0, /^Status +available$/m],
    ['hang.test', 2, /^Status +unknown\nProblem +.+ \(registry_timeout\)$/m],
    ['taken.das-only.test', 1, /^Status +registered\nProblem +.+ \(no_rdap\)$/m],
  ])('%s exits with %i and prints its status', async (name, exitCode, status) => {
    const { code, stdout, stderr } = await whois([name], { RDAP_TIMEOUT_MS: '300' });
    expect([code, stderr]).toEqual([exitCode, '']);
    expect(stdout).toMatch(status);
  });

  it.each(['www.shop.taken.test', 'https://www.taken.test/a?b', 'joe@mail.taken.test'])(
    'shows the record of the name to which %s belongs',
    async (host) => {
      const { code, stdout } = await whois([host]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^Domain +taken\.test$/m)]);
    },
  );

  it('exits with 64 for a name that nobody can register', async () => {
    const { code, stdout, stderr } = await whois(['shop.test']);
    expect([code, stdout, stderr]).toEqual([64, '', expect.stringMatching(/\(invalid_name\)\n$/)]);
  });

  it('shows the network of an address', async () => {
    const { code, stdout, stderr } = await whois(['192.0.2.1']);
    expect([code, stderr]).toEqual([0, '']);
    for (const line of [
      /^Handle +NET-192-0-2-0-26-SANDBOX$/m,
      /^Start address +192\.0\.2\.0$/m,
      /^CIDR +192\.0\.2\.0\/26$/m,
      /^Last update of RDAP database +\d/m,
      /^Registrant +Example DNS Ltd\n +info@example-dns\.test$/m,
      /^Abuse +Network Abuse Desk\n +abuse@networks\.example$/m,
    ])
      expect(stdout).toMatch(line);
  });

  it.each(['AS64496', '192.0.2.0/24'])(
    'prints %s with --json as in the REST API',
    async (query) => {
      await using gateway = await startGateway();
      const body = await gateway.get(`/v1/rdap?query=${query}`);
      const { code, stdout } = await whois([query, '--json']);
      const [printed, sent] = [JSON.parse(stdout), body].map(({ object, ...lookup }: Json) =>
        stable({ ...lookup, object: { ...object, links: [], events: [] } }),
      );
      expect([code, printed]).toEqual([0, sent]);
    },
  );

  it.each([
    ['203.0.113.1', 1, /^Query +203\.0\.113\.1: not found$/m],
    ['999.0.0.1', 64, /"999\.0\.0\.1" is not an IP address/],
    ['AS4294967296', 64, /"AS4294967296" is not an AS number/],
  ])('of %s exits with %i', async (query, exitCode, text) => {
    const { code, stdout, stderr } = await whois([query]);
    expect([code, stdout + stderr]).toEqual([exitCode, expect.stringMatching(text)]);
  });

  it('prints a registration from WHOIS with its source', async () => {
    const { code, stdout } = await whois(['taken.whois-only.test']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Registrar +SANDBOX-REGISTRAR$/m);
    expect(stdout).toMatch(/^Expires +3 Feb 2099, in \d+ years$/m);
    expect(stdout).toMatch(/^Read from +WHOIS, heuristic$/m);
    expect(stdout).not.toContain('Problem');
  });

  it.each(['taken.test', 'new.test', 'taken.das-only.test', 'taken.whois-only.test'])(
    'prints %s with --json as in the REST API',
    async (name) => {
      await using gateway = await startGateway();
      const body = await gateway.get(`/v1/rdap?domain=${name}`);
      const { stdout } = await whois([name, '--json']);
      expect(stable(JSON.parse(stdout))).toBe(stable(body));
    },
  );

  it('prints the problem of a failed lookup with --json', async () => {
    const { code, stdout } = await whois(['html.test', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      domain: 'html.test',
      available: null,
      status: 'unknown',
      reason: 'untrusted_answer',
      registration: null,
      problem: { code: 'untrusted_answer', detail: expect.any(String) },
    });
  });
});

/** Returns a record as JSON, because the order of its fields counts, without what differs per run. */
function stable(body: Json): string {
  const volatile = ['rdap_endpoint', 'checked_at', 'latency_ms', 'rdap'];
  return JSON.stringify(body, (key, value) =>
    volatile.includes(key) && value !== null ? typeof value : value,
  );
}
