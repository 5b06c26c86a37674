import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway);

const audits = serverAudits({ url: `${gateway.url}/graphql`, fetchFn: fetch });

describe('GraphQL over HTTP, by the audit of graphql-http', () => {
  it('runs all 61 audits', () => {
    expect(audits).toHaveLength(61);
  });

  it.each(audits.map(({ name, id, fn }) => ({ name: `${name} (${id})`, fn })))(
    '$name',
    async ({ fn }) => {
      expect(await fn()).toMatchObject({ status: 'ok' });
    },
  );
});
