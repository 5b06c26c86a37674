import { generateKeyPairSync } from 'node:crypto';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { SignJWT, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import {
  startMeteredGateway,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { toolCall } from '../../support/requests/mcp-messages.ts';
import { json, status, type Script } from '../../support/bodies/replies.ts';
import {
  jwksPath,
  metadataPath,
  newSigningKey,
  sign,
  startOAuthServer,
  type OAuthServer,
} from '../../support/requests/oauth-server.ts';

const key = await newSigningKey('first');
const issuer = await forThisFile(startOAuthServer, key);
const metered = await forThisFile(startMeteredGateway, {
  env: { MCP_OAUTH_ISSUER: issuer.issuer },
});
const customer = await metered.newCustomer({ name: 'user-1', credits: 100 });
const resourceOf = ({ gateway }: MeteredGateway) => `${gateway.url}/mcp`;
const claims = { iss: issuer.issuer, aud: resourceOf(metered), sub: 'user-1' };

interface CallResult {
  readonly status: number;
  readonly challenge: string | null;
  readonly body: Json;
}

/** Calls the tool `account` with a token. */
async function call(token: string, { gateway } = metered): Promise<CallResult> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await gateway.fetch('/mcp', toolCall('account', {}, { headers }));
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, challenge, body: await response.json() };
}

const nameIn = ({ body }: CallResult) => body.result?.structuredContent.account.name;
const codeIn = ({ body }: CallResult) => body.error?.data.code;
const metadataUrl = `${metered.gateway.url}/.well-known/oauth-protected-resource/mcp`;

describe('a client of /mcp', () => {
  it('finds the issuer, gets a token and pays from the account that it names', async () => {
    issuer.tokensFor(resourceOf(metered));
    const authProvider = new ClientCredentialsProvider({
      clientId: 'user-1',
      clientSecret: 'secret',
      expectedIssuer: issuer.issuer,
    });
    const url = new URL(resourceOf(metered));
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
    await client.callTool({ name: 'lookup_domain', arguments: { name: 'a.example' } });
    await client.close();
    expect((await customer.balance()).used).toBe(2);
  });

  it('without a token is told where the metadata is', async () => {
    const response = await metered.gateway.fetch('/mcp', toolCall('account', {}));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="gateway", resource_metadata="${metadataUrl}"`,
    );
    for (const path of [metadataUrl, metadataUrl.replace(/\/mcp$/, '')])
      expect(await (await fetch(path)).json()).toMatchObject({
        resource: resourceOf(metered),
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
      });
  });

  it('may still send a key', async () => {
    expect(nameIn(await call(customer.key))).toBe('user-1');
  });

  it('may name its account by ID', async () => {
    expect(nameIn(await call(await sign(key, { ...claims, sub: customer.id })))).toBe('user-1');
  });

  it('has no account if none is active, or several have its name', async () => {
    const twins = [await metered.newCustomer({ name: 'twin' })];
    twins.push(await metered.newCustomer({ name: 'twin' }));
    const gone = await metered.newCustomer({ name: 'gone' });
    await metered.ledger.revoke(gone.id);
    await metered.newCustomer({ name: 'late', expiresAt: Date.now() - 1000 });
    for (const sub of ['nobody', 'twin', 'gone', gone.id, 'late']) {
      const result = await call(await sign(key, { ...claims, sub }));
      expect([sub, result.status, codeIn(result)]).toEqual([sub, 403, 'unknown_account']);
      expect(result.body.error.message).toContain(JSON.stringify(sub));
    }
  });

  it('uses a token for /mcp only', async () => {
    const headers = { authorization: `Bearer ${await sign(key, claims)}` };
    for (const path of ['/v1/tlds', '/graphql?query={account{name}}'])
      expect((await metered.gateway.fetch(path, { headers })).status).toBe(401);
  });
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payload: JWTPayload = { ...claims, exp: Math.floor(Date.now() / 1000) + 300 };

/** Signs with a public key as if it were a shared secret (RFC 8725 section 2.1). */
const signWithPublicKey = (secret: string) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', kid: 'first' })
    .sign(Buffer.from(secret.padEnd(32)));

describe('a token is rejected that', () => {
  const stranger = newSigningKey('first');
  it.each<[what: string, token: () => string | Promise<string>]>(
    Object.entries({
      'is not signed': () => `${encode({ alg: 'none' })}.${encode(payload)}.`,
      'has an empty signature': () =>
        `${encode({ alg: 'ES256', kid: 'first' })}.${encode(payload)}.`,
      'is signed with the public key': () => signWithPublicKey(JSON.stringify(key.jwk)),
      'is signed with another key': async () => sign(await stranger, claims),
      'brings its own key': async () => {
        const { privateKey, jwk } = await stranger;
        const header = { alg: 'ES256', jwk, jku: issuer.url('/evil') };
        return new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
      },
      'was changed': async () =>
        (await sign(key, claims)).replace(/\.[^.]+\./, `.${encode({ ...payload, sub: 'admin' })}.`),
      'has a critical extension': async () =>
        `${encode({ alg: 'ES256', kid: 'first', crit: ['b64'], b64: false })}.${encode(payload)}.AAAA`,
      'has expired': () => sign(key, claims, -60),
      'never expires': () => sign(key, claims, 0),
      'is not valid yet': () => sign(key, { ...claims, nbf: Date.now() / 1000 + 600 }),
      'is for another resource': () => sign(key, { ...claims, aud: 'https://other.example/mcp' }),
      'is for the origin': () => sign(key, { ...claims, aud: metered.gateway.url }),
      'is for no resource': () => sign(key, { iss: claims.iss, sub: claims.sub }),
      'is of another issuer': () => sign(key, { ...claims, iss: 'https://other.example' }),
      'has no subject': () => sign(key, { iss: claims.iss, aud: claims.aud }),
      'has an empty subject': () => sign(key, { ...claims, sub: '' }),
      'has a number as its subject': () => sign(key, { ...claims, sub: 1 as unknown as string }),
      'is no JSON': () => 'a.b.c',
      'is a header of JSON, but no object': () => `${encode(1)}.${encode(2)}.AA`,
      'has three empty parts': () => '..',
    }),
  )('%s', async (_what, token) => {
    const result = await call(await token());
    expect([result.status, codeIn(result)]).toEqual([401, 'invalid_api_key']);
    expect(result.challenge).toBe(
      `Bearer realm="gateway", error="invalid_token", resource_metadata="${metadataUrl}"`,
    );
  });
});

/** Starts an issuer that replies in its own way, and a gateway that knows only it. */
async function startPair(
  scripts: (server: OAuthServer) => Readonly<Record<string, Script>> = () => ({}),
) {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startOAuthServer(key));
  for (const [path, script] of Object.entries(scripts(server))) server.scripts.set(path, script);
  const own = parts.use(await startMeteredGateway({ env: { MCP_OAUTH_ISSUER: server.issuer } }));
  await own.newCustomer({ name: 'user-1' });
  const running = parts.move();
  return {
    server,
    gateway: own,
    claims: { iss: server.issuer, aud: resourceOf(own), sub: 'user-1' },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

describe('an issuer', () => {
  it('may rotate its keys', async () => {
    await using pair = await startPair();
    const second = await newSigningKey('second', 'EdDSA');
    expect(nameIn(await call(await sign(key, pair.claims), pair.gateway))).toBe('user-1');
    expect((await call(await sign(second, pair.claims), pair.gateway)).status).toBe(401);
    pair.server.publish(second);
    expect(nameIn(await call(await sign(second, pair.claims), pair.gateway))).toBe('user-1');
    expect((await call(await sign(key, pair.claims), pair.gateway)).status).toBe(401);
  });

  it('is not flooded with requests by tokens with unknown keys', async () => {
    await using pair = await startPair();
    await call(await sign(key, pair.claims), pair.gateway);
    const unknown = await newSigningKey('unknown');
    for (let sent = 0; sent < 60; sent++)
      await call(await sign(unknown, pair.claims), pair.gateway);
    expect(pair.server.requests.length).toBeLessThan(40);
    expect(nameIn(await call(await sign(key, pair.claims), pair.gateway))).toBe('user-1');
  });

  it.each<[what: string, scripts: (server: OAuthServer) => Record<string, Script>]>(
    Object.entries({
      'that speaks OpenID Connect': ({ metadata }) => ({
        [metadataPath]: status(404),
        '/.well-known/openid-configuration': json(200, metadata),
      }),
      'whose name ends with a slash': ({ metadata, issuer: name }) => ({
        [metadataPath]: json(200, { ...metadata, issuer: `${name}/` }),
      }),
    }),
  )('is known %s', async (_what, scripts) => {
    await using pair = await startPair(scripts);
    const iss = _what.endsWith('slash') ? `${pair.server.issuer}/` : pair.server.issuer;
    expect(nameIn(await call(await sign(key, { ...pair.claims, iss }), pair.gateway))).toBe(
      'user-1',
    );
  });

  const huge = json(200, {
    keys: Array.from({ length: 6000 }, () => ({ ...key.jwk, x: 'x'.repeat(200) })),
  });
  it.each<[what: string, path: string, script: (server: OAuthServer) => Script]>([
    ['is down', metadataPath, () => status(503)],
    ['has metadata that is no JSON', metadataPath, () => status(200, {}, '<html>')],
    ['has metadata that is null', metadataPath, () => json(200, null)],
    [
      'has the metadata of another',
      metadataPath,
      ({ metadata }) => json(200, { ...metadata, issuer: 'https://other.example' }),
    ],
    ['has no keys', metadataPath, ({ issuer: name }) => json(200, { issuer: name })],
    [
      'has its keys at a private address',
      metadataPath,
      ({ metadata }) => json(200, { ...metadata, jwks_uri: `${metered.registry.baseUrl}jwks` }),
    ],
    ['has keys of more than 1 MiB', jwksPath, () => huge],
    ['has keys that are no set', jwksPath, () => json(200, [1])],
    [
      'has a key that is none',
      jwksPath,
      () => json(200, { keys: [{ kty: 'EC', kid: 'first', alg: 'ES256', crv: 'P-256' }] }),
    ],
    ['has a weak key', jwksPath, () => json(200, { keys: [{ ...weakKey(), kid: 'first' }] })],
  ])('that %s is reported, and keys keep working', async (_what, path, script) => {
    await using pair = await startPair((server) => ({ [path]: script(server) }));
    const alg = _what.includes('weak') ? 'RS256' : 'ES256';
    const token =
      alg === 'ES256'
        ? await sign(key, pair.claims)
        : `${encode({ alg, kid: 'first' })}.${encode(payload)}.AAAA`;
    const result = await call(token, pair.gateway);
    expect([result.status, codeIn(result)]).toEqual([503, 'unavailable']);
    expect(result.body.error.message).toContain('MCP_OAUTH_ISSUER');
    const withKey = await pair.gateway.newCustomer({ name: 'key' });
    expect(nameIn(await call(withKey.key, pair.gateway))).toBe('key');
  });
});

function weakKey() {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return publicKey.export({ format: 'jwk' });
}

it('works without the setting as before', async () => {
  await using own = await startMeteredGateway();
  const path = '/.well-known/oauth-protected-resource';
  expect((await own.gateway.fetch(path)).status).toBe(404);
  const result = await call(await sign(key, claims), own);
  expect(codeIn(result)).toBe('invalid_api_key');
  expect(result.challenge).toBe('Bearer realm="gateway", error="invalid_token"');
});
