import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { parseSiteHost } from '../../../src/sites/site-target.ts';
import { summarizeTls } from '../../../src/sites/tls/tls-findings.ts';
import type { TlsScan } from '../../../src/sites/tls/describe-scan.ts';
import type { Resolve } from '../../../src/outbound/public-address.ts';
import { loopbackSpellings, otherSpellings } from '../../support/bodies/forbidden-urls.ts';
import {
  allCiphers,
  authority,
  dhe,
  host,
  impatientClock,
  requestOf,
  scan,
  startTcp,
  startTls,
} from './scanning.ts';

const offeredBy = ({ protocols }: TlsScan) => protocols.map(({ isOffered }) => isOffered);
const idsOf = ({ findings }: TlsScan) => findings.map(({ id }) => id);
const severityOf = ({ findings }: TlsScan, id: string) =>
  findings.find((finding) => finding.id === id)?.severity;

describe('a TLS scan', () => {
  it('describes a modern server', async () => {
    await using site = await startTls({ ALPNProtocols: ['h2', 'http/1.1'] });
    let sent = 0;
    const result = await scan(site.port, { request: { onSent: () => (sent += 1) } });
    expect(offeredBy(result)).toEqual([false, false, true, true]);
    expect(result).toMatchObject({
      defaultProtocol: 'TLSv1.3',
      supportsHttp2: true,
      hasForwardSecrecy: true,
      hasOcspStaple: false,
      isTrusted: true,
      profile: 'standard',
    });
    expect(summarizeTls(result)).toMatchObject({ actionableFindings: 0, deprecatedProtocols: [] });
    expect(sent).toBe(1);
    expect(site.connections.total).toBe(6);
    expect(new Set(site.servernames)).toEqual(new Set([host]));
    expect(result.notes.join(' ')).toMatch(/SSL 2.0 and SSL 3.0.*Heartbleed.*profile/);
  });

  it('finds a server that only offers TLS 1.0', async () => {
    await using site = await startTls({
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: allCiphers,
    });
    const result = await scan(site.port);
    expect(offeredBy(result)).toEqual([true, false, false, false]);
    expect(severityOf(result, 'tls_1_0')).toBe('high');
    expect(severityOf(result, 'tls_1_3')).toBe('low');
    expect(summarizeTls(result)).toMatchObject({
      deprecatedProtocols: ['TLSv1'],
      supportsTls13: false,
    });
  });

  it('finds a server that only offers TLS 1.3', async () => {
    await using site = await startTls({ minVersion: 'TLSv1.3' });
    const result = await scan(site.port, { profile: 'full' });
    expect(offeredBy(result)).toEqual([false, false, false, true]);
    expect(result.findings.map(({ finding }) => finding)).toContain(
      'AEAD ciphers of TLS 1.2 and older are not offered.',
    );
  });

  it.each([
    ['selects another protocol', { ALPNProtocols: ['http/1.1'] }],
    ['ignores the extension', {}],
  ])('finds no HTTP/2 if the server %s', async (_case, options) => {
    await using site = await startTls(options);
    expect(await scan(site.port)).toMatchObject({ supportsHttp2: false });
  });

  it('finds a key exchange without forward secrecy', async () => {
    await using site = await startTls({ ciphers: 'AES128-GCM-SHA256', maxVersion: 'TLSv1.2' });
    const result = await scan(site.port, { profile: 'full' });
    expect(result).toMatchObject({ hasForwardSecrecy: false, keyExchange: null });
    expect(severityOf(result, 'forward_secrecy')).toBe('medium');
    expect(Object.fromEntries(result.cipherCategories.map((c) => [c.id, c.isOffered]))).toEqual({
      null: false,
      anonymous: false,
      static_rsa: true,
      cbc: false,
      aead: true,
    });
    expect(result.notes.join(' ')).toContain('export_or_low, rc4, triple_des');
  });

  it('finds ciphers without encryption or authentication', async () => {
    await using site = await startTls({ ciphers: allCiphers, minVersion: 'TLSv1' });
    const result = await scan(site.port, { profile: 'full' });
    expect(severityOf(result, 'ciphers_null')).toBe('critical');
    expect(severityOf(result, 'ciphers_anonymous')).toBe('critical');
    expect(severityOf(result, 'ciphers_cbc')).toBe('low');
  });

  it('offers no DHE ciphers, for which the server would choose the group', async () => {
    await using site = await startTls({
      ...dhe,
      ciphers: `${dhe.ciphers}:ECDHE-RSA-AES128-GCM-SHA256`,
      honorCipherOrder: true,
    });
    const result = await scan(site.port, { profile: 'full' });
    expect(result.defaultCipher).toBe('ECDHE-RSA-AES128-GCM-SHA256');
    expect(result.notes.join(' ')).toContain('DHE ciphers were not tested');
    await using only = await startTls(dhe);
    await expect(scan(only.port, { profile: 'full' })).rejects.toMatchObject({
      code: 'site_unreachable',
    });
  });

  it('finds an OCSP staple', async () => {
    await using site = await startTls({}, Buffer.from('30030a0103', 'hex'));
    expect(await scan(site.port)).toMatchObject({ hasOcspStaple: true });
  });

  it.each([40, 70, 71, 120])(
    'says "not offered" if the server sends the alert %i',
    async (alert) => {
      await using site = await startTls();
      await using proxy = await startTcp((socket, count) => {
        if (count === 1) socket.pipe(connect(site.port, '127.0.0.1')).pipe(socket);
        else socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, alert])));
      });
      const result = await scan(proxy.port);
      expect(offeredBy(result)).toEqual([false, false, false, false]);
      expect(result.supportsHttp2).toBe(false);
    },
  );

  it('does not say "not offered" if a probe failed', async () => {
    await using site = await startTls();
    await using proxy = await startProxyWithoutSecond(site.port);
    const result = await scan(proxy.port);
    expect(offeredBy(result)).toEqual([null, false, true, true]);
    expect(result).toMatchObject({ hasForwardSecrecy: null });
    expect(severityOf(result, 'tls_1_0')).toBe('info');
    expect(severityOf(result, 'forward_secrecy')).toBe('info');
    expect(result.notes.join(' ')).toContain('Some probes failed');
  });

  it('finds a key exchange without forward secrecy although a probe failed', async () => {
    await using site = await startTls({ ciphers: 'AES128-GCM-SHA256', maxVersion: 'TLSv1.2' });
    await using proxy = await startProxyWithoutSecond(site.port);
    expect(await scan(proxy.port)).toMatchObject({ hasForwardSecrecy: false });
  });
});

/** Starts a proxy that closes its second connection, which probes TLS 1.0. */
function startProxyWithoutSecond(port: number) {
  return startTcp((socket, count) => {
    if (count === 2) {
      socket.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1').on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
}

/** `bad_certificate`, `certificate_unknown`, `unknown_ca`, `access_denied`, `certificate_required`. */
const alertsWithoutCertificate = [42, 46, 48, 49, 116];

describe('a server that requires a client certificate', () => {
  const mutual = { requestCert: true, rejectUnauthorized: true, ca: authority.certificate };

  it('offers the protocols and ciphers that it selects', async () => {
    await using site = await startTls({ ...mutual, ALPNProtocols: ['h2'] });
    const result = await scan(site.port, { profile: 'full' });
    expect(offeredBy(result)).toEqual([false, false, true, true]);
    expect(result).toMatchObject({ supportsHttp2: true, hasForwardSecrecy: true, isTrusted: true });
    const offered = result.cipherCategories.filter(({ isOffered }) => isOffered);
    expect(offered.map(({ id }) => id)).toEqual(['static_rsa', 'cbc', 'aead']);
    expect(result.notes.join(' ')).toContain('no client certificate was sent');
    expect(result.notes.join(' ')).not.toContain('Some probes failed');
  });

  it('is described without what the end of the handshake shows', async () => {
    await using site = await startTls({ ...mutual, ALPNProtocols: ['h2'], maxVersion: 'TLSv1.2' });
    const result = await scan(site.port);
    expect(offeredBy(result)).toEqual([false, false, true, false]);
    expect(result).toMatchObject({
      defaultProtocol: 'TLSv1.2',
      keyExchange: 'X25519',
      supportsHttp2: null,
      hasForwardSecrecy: true,
      certificates: [{ subject: host }, { subject: 'Test CA' }],
      matchesHost: true,
      isTrusted: null,
      trustError: null,
    });
    expect(severityOf(result, 'certificate_trust_unknown')).toBe('info');
    expect(summarizeTls(result).actionableFindings).toBe(1);
  });

  it.each(alertsWithoutCertificate)('may send the alert %i instead', async (alert) => {
    await using site = await startTls({ ...mutual, maxVersion: 'TLSv1.2' });
    await using proxy = await startTcp((socket) => {
      const upstream = connect(site.port, '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(upstream).on('data', (data: Buffer) => socket.write(withAlert(data, alert)));
      upstream.on('end', () => socket.end());
    });
    expect(offeredBy(await scan(proxy.port))).toEqual([false, false, true, false]);
  });
});

/** Replaces the alert `handshake_failure`, which is not encrypted yet. */
function withAlert(data: Buffer, alert: number): Buffer {
  const failure = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
  return data.equals(failure) ? Buffer.from([...failure.subarray(0, 6), alert]) : data;
}

describe('a site without TLS', () => {
  it.each([
    [
      'answers in plain HTTP',
      startTcp((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      ),
      'does not speak TLS',
    ],
    [
      'resets connections',
      startTcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
      'completes no TLS handshake',
    ],
    ['closes connections', startTcp((socket) => socket.destroy()), 'completes no TLS handshake'],
  ])('is a problem if it %s', async (_case, starting, detail) => {
    await using site = await starting;
    await expect(scan(site.port)).rejects.toMatchObject({
      code: 'site_unreachable',
      message: expect.stringContaining(detail),
    });
  });

  it('is a problem if it does not answer the handshake', async () => {
    await using site = await startTcp(() => {});
    await expect(scan(site.port, { clock: impatientClock(5000) })).rejects.toMatchObject({
      code: 'site_timeout',
    });
    expect(site.connections.total).toBe(1);
  });

  it('is a problem if it refuses connections or has no server', async () => {
    const site = await startTcp(() => {});
    await site[Symbol.asyncDispose]();
    await expect(scan(site.port)).rejects.toMatchObject({ code: 'site_unreachable' });
    await expect(scan(0, { serverOf: () => 'none' })).rejects.toMatchObject({
      code: 'site_unreachable',
    });
  });
});

describe('the limits of a scan', () => {
  it('end the scan of a server that stops answering, with two connections open', async () => {
    await using site = await startTls();
    await using proxy = await startTcp((socket, count) => {
      if (count === 1) socket.pipe(connect(site.port, '127.0.0.1')).pipe(socket);
    });
    // The scan's own limit ends early here, and that of a handshake does not.
    const clock = {
      ...systemClock,
      after: (ms: number, task: () => void) => systemClock.after(ms === 20_000 ? 500 : ms, task),
    };
    const result = await scan(proxy.port, { clock });
    expect(offeredBy(result)).toEqual([null, null, null, null]);
    expect(result.supportsHttp2).toBeNull();
    expect(idsOf(result)).toContain('certificate_trusted');
    // The first one ended before the two that were not answered.
    expect(proxy.connections.total).toBe(3);
  });

  it('are those of the caller, too', async () => {
    await using site = await startTcp(() => {});
    const aborted = scan(site.port, { request: { signal: AbortSignal.timeout(100) } });
    await expect(aborted).rejects.toMatchObject({ code: 'site_timeout' });
    const late = scan(site.port, { request: { queueDeadline: systemClock.now() - 1 } });
    await expect(late).rejects.toMatchObject({ code: 'site_timeout' });
    expect(site.connections.total).toBe(1);
  });

  it('include waiting for a slot of the site, which is released at the end', async () => {
    const events: string[] = [];
    await using site = await startTls();
    const acquireSlot = async (name: string) => {
      events.push(`acquire ${name}`);
      return () => void events.push('release');
    };
    await scan(site.port, { acquireSlot, request: { onSent: () => void events.push('sent') } });
    expect(events).toEqual([`acquire ${host}`, 'sent', 'release']);
    const closed = scan(site.port, { acquireSlot: async () => undefined });
    await expect(closed).rejects.toMatchObject({ code: 'site_timeout' });
  });
});

describe('an address that is not public', () => {
  it.each([['127.0.0.1'], ['::1'], ['10.0.0.1'], ['169.254.169.254'], ['8.8.8.8', '127.0.0.1']])(
    'is not connected to: %s %s',
    async (...addresses) => {
      let sent = 0;
      const resolve = resolveTo(...addresses);
      const request = { onSent: () => (sent += 1) };
      const scanning = scan(0, { serverOf: () => undefined, resolve, request });
      await expect(scanning).rejects.toMatchObject({ code: 'site_blocked' });
      expect(sent).toBe(0);
    },
  );

  it('is reached by no spelling of its address', { timeout: 60_000 }, async () => {
    const hosts = [...loopbackSpellings, ...otherSpellings].flatMap((spell) => hostOf(spell));
    expect(hosts).toContain('a.localhost');
    for (const name of new Set(hosts)) {
      let sent = 0;
      const request = requestOf({ onSent: () => (sent += 1) });
      const scanning = scan(0, { name, serverOf: () => undefined, request });
      await expect(scanning, name).rejects.toMatchObject({
        code: expect.stringMatching(/^site_(?:blocked|unreachable)$/),
      });
      expect(sent, name).toBe(0);
    }
  });
});

/** Returns the host of a spelling if it is a host name; others never reach the reader. */
function hostOf(spell: (scheme: 'https', port: number) => string): readonly string[] {
  const [, name = ''] = /^https:\/\/([^/:]+):443\/$/.exec(spell('https', 443)) ?? [];
  try {
    return [parseSiteHost(name).host];
  } catch {
    return [];
  }
}

/** Returns a resolver that resolves every name to some addresses. */
function resolveTo(...addresses: readonly string[]): Resolve {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}
