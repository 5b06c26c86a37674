import { expect, it } from 'vitest';
import { problemText, siteClient, siteRequest } from '../support/bodies/site-requests.ts';
import { authority, dhe, host, startTls } from './tls/scanning.ts';

it('offers a site no DHE ciphers, for which the site would choose the group', async () => {
  await using site = await startTls(dhe);
  const server = { address: '127.0.0.1', port: site.port, ca: authority.certificate };
  const client = siteClient({ serverOf: () => server });
  expect(await problemText(client.get(new URL(`https://${host}/`), siteRequest()))).toBe(
    `site_unreachable: ${host} could not be reached: no TLS connection was established.`,
  );
  await client.destroy();
});
