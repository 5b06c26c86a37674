// Calls the gateway with the client that @hey-api/openapi-ts generates: node program.js URL KEY
import { client } from './generated/hey-api/client.gen.js';
import {
  getCoverage,
  getRdap,
  getStatus,
  getTlds,
  postStatusBulk,
  type Bulk,
  type BulkRequest,
  type Coverage,
  type Problem,
  type Status,
  type TldList,
} from './generated/hey-api/index.js';
import type { Same } from './same.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key });

const status = await getStatus({ query: { name: 'taken', tlds: ['test', 'zz'] } });
const record = await getRdap({ query: { domain: 'taken.test' } });
const bulk = await postStatusBulk({
  body: { domains: ['taken.test', 'free.test'], max_age: 3600 },
});
const tlds = await getTlds({ query: { limit: 1 } });
const coverage = await getCoverage();
const rejected = await getTlds({ query: { limit: 0 } });

true satisfies Same<typeof status.data, Status | undefined>;
true satisfies Same<typeof bulk.data, Bulk | undefined>;
true satisfies Same<typeof bulk.error, Problem | undefined>;
true satisfies Same<typeof tlds.data, TldList | undefined>;
true satisfies Same<typeof coverage.data, Coverage | undefined>;
// @ts-expect-error `domains` is a list.
({ domains: 'taken.test' }) satisfies BulkRequest;

// A name has a registration; other objects do not.
const name = record.data && 'registration' in record.data ? record.data : undefined;
const report = {
  status: status.data?.results.map((row) => [row.domain, row.status]),
  registrar: name?.registration?.registrar?.name,
  bulk: bulk.data?.results.map((row) => [row.input, row.available]),
  tlds: tlds.data?.tlds.map(({ tld, type }) => [tld, type]),
  coverage: coverage.data?.total_tlds,
  problem: [rejected.response?.status, rejected.error?.code, rejected.error?.param],
};
console.log(JSON.stringify(report));
