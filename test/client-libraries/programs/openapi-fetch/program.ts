// Calls the gateway with openapi-fetch and types from openapi-typescript: node program.js URL KEY
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi.d.ts';
import type { Same } from './same.js';

type Schemas = components['schemas'];

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });

const status = await client.GET('/v1/status', {
  params: { query: { name: 'taken', tlds: ['test', 'zz'] } },
});
const record = await client.GET('/v1/rdap', { params: { query: { domain: 'taken.test' } } });
const bulk = await client.POST('/v1/status/bulk', {
  body: { domains: ['taken.test', 'free.test'], max_age: 3600 },
});
const tlds = await client.GET('/v1/tlds', { params: { query: { limit: 1 } } });
const coverage = await client.GET('/v1/coverage');
const rejected = await client.GET('/v1/tlds', { params: { query: { limit: 0 } } });

true satisfies Same<typeof status.data, Schemas['Status'] | undefined>;
true satisfies Same<typeof bulk.data, Schemas['Bulk'] | undefined>;
true satisfies Same<typeof bulk.error, Schemas['Problem'] | undefined>;
true satisfies Same<typeof tlds.data, Schemas['TldList'] | undefined>;
true satisfies Same<typeof coverage.data, Schemas['Coverage'] | undefined>;
// @ts-expect-error `domains` is a list.
({ domains: 'taken.test' }) satisfies Schemas['BulkRequest'];

// A name has a registration; other objects do not.
const name = record.data && 'registration' in record.data ? record.data : undefined;
const report = {
  status: status.data?.results.map((row) => [row.domain, row.status]),
  registrar: name?.registration?.registrar?.name,
  bulk: bulk.data?.results.map((row) => [row.input, row.available]),
  tlds: tlds.data?.tlds.map(({ tld, type }) => [tld, type]),
  coverage: coverage.data?.total_tlds,
  problem: [rejected.response.status, rejected.error?.code, rejected.error?.param],
};
console.log(JSON.stringify(report));
