import {
  GatewayClient,
  GatewayError,
  type Availability,
  type Lookup,
} from 'rdap-graphql-gateway/client';

const client = new GatewayClient('https://gateway.example', { apiKey: undefined });
const { available }: Availability = await client.check('a.test', { maxAge: 0 });
const free: boolean | null = available;
const { registration }: Lookup = await client.lookup('a.test', { signal: AbortSignal.timeout(1) });
const nameservers: readonly string[] = registration?.nameservers ?? [];
for await (const { domain } of client.search({ name: 'a', tlds: ['@popular'] }))
  document.title = domain;
client.check('a.test').catch((error: unknown) => {
  if (error instanceof GatewayError) console.log(error.code, error.retryAfter, free, nameservers);
});

// @ts-expect-error: a label needs TLDs.
client.search({ name: 'a' });
