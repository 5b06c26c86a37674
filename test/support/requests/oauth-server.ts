import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';
import { json, status, type Script } from '../bodies/replies.ts';
import { startScriptedServer, type ScriptedServer } from '../servers/scripted-server.ts';

/** A key pair of an issuer. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** An authorization server on its own port. */
export interface OAuthServer extends ScriptedServer {
  readonly issuer: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Replies by path, which a test may replace. */
  readonly scripts: Map<string, Script>;
  /** Publishes these keys only. */
  publish(...keys: readonly SigningKey[]): void;
  /** Issues tokens for a resource. */
  tokensFor(audience: string): void;
}

export const metadataPath = '/.well-known/oauth-authorization-server';
export const jwksPath = '/jwks';

export async function newSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

/** Signs claims. `expiresIn`: seconds from now; undefined for a token that does not expire. */
export function sign(
  { privateKey, alg, kid }: SigningKey,
  claims: JWTPayload,
  expiresIn: number | undefined = 300,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const token = new SignJWT({ ...claims, ...(expiresIn && { exp: now + expiresIn }) });
  return token.setProtectedHeader({ alg, kid, typ: 'at+jwt' }).sign(privateKey);
}

/** Starts an authorization server whose clients get tokens in their own name (RFC 6749 section 4.4). */
export async function startOAuthServer(key: SigningKey): Promise<OAuthServer> {
  const scripts = new Map<string, Script>();
  const server = await startScriptedServer((request) => {
    const { pathname } = new URL(request.url, 'http://issuer');
    return scripts.get(pathname) ?? status(404);
  });
  const issuer = server.baseUrl.replace(/\/$/, '');
  const publish = (...keys: readonly SigningKey[]) =>
    scripts.set(jwksPath, json(200, { keys: keys.map(({ jwk }) => jwk) }));
  publish(key);
  const metadata = {
    issuer,
    authorization_endpoint: server.url('authorize'),
    token_endpoint: server.url('token'),
    jwks_uri: server.url(jwksPath),
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  };
  scripts.set(metadataPath, json(200, metadata));
  const tokensFor = (audience: string) =>
    scripts.set('/token', async ({ headers }) => {
      const [, credentials = ''] = (headers.authorization ?? '').split(' ');
      const [sub = ''] = Buffer.from(credentials, 'base64').toString().split(':');
      const token = await sign(key, { iss: issuer, aud: audience, sub });
      return json(200, { access_token: token, token_type: 'Bearer', expires_in: 300 });
    });
  return Object.assign(server, { issuer, metadata, scripts, publish, tokensFor });
}
