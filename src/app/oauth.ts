import { KeyCache } from '../accounts/key-cache.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { OAuthIssuer } from '../server/oauth-issuer.ts';
import type { HttpClient } from '../outbound/client.ts';
import type { Common } from './common.ts';

/** An issuer takes far less, and a user waits for the answer. */
const timeoutMs = 5000;

/**
 * Builds the issuer of access tokens; undefined without `MCP_OAUTH_ISSUER`. `client` may reach the
 * issuer at a private address, because the operator names it.
 */
export async function buildOAuth(
  { config, clock, log }: Common,
  store: AccountStore,
  client: HttpClient,
  baseUrl: () => string,
): Promise<OAuthIssuer | undefined> {
  const { MCP_OAUTH_ISSUER: issuer } = config;
  if (issuer === undefined) return undefined;

  const { OAuthIssuer } = await import('../server/oauth-issuer.ts');
  const accounts = new KeyCache((name) => store.findNamed(name), clock);
  const oauth = new OAuthIssuer({
    issuer,
    clock,
    resource: () => `${baseUrl()}/mcp`,
    readJson: (url) => readJson(client, url),
    accountNamed: (name) => accounts.find(name),
  });

  oauth.connect().catch((error: Error) => {
    const fields = { err: error.cause, issuer };
    log.warn(fields, 'MCP_OAUTH_ISSUER: metadata unavailable, trying again with the next token.');
  });

  return oauth;
}

async function readJson(client: HttpClient, url: string): Promise<unknown> {
  const headers = { accept: 'application/json' };
  const response = await client.get(url, headers, timeoutMs);
  if ('problem' in response) throw new Error(`${url}: ${response.problem.message}`);
  if (response.status !== 200) throw new Error(`${url}: status ${response.status}`);

  try {
    return JSON.parse(new TextDecoder().decode(response.body));
  } catch (error) {
    throw new Error(`${url}: not JSON`, { cause: error });
  }
}
