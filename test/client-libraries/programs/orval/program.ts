// Calls the gateway with the functions that orval generates, which contain its URL:
// node program.js URL KEY
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
} from './generated/orval.js';
import type { Same } from './same.js';

const [, key = ''] = process.argv.slice(2);
const options = { headers: { 'X-API-Key': key } };

const status = await getStatus({ name: 'taken', tlds: ['test', 'zz'] }, options);
const record = await getRdap({ domain: 'taken.test' }, options);
const bulk = await postStatusBulk(
  { domains: ['taken.test', 'free.test'], max_age: 3600 },
  {},
  options,
);
const tlds = await getTlds({ limit: 1 }, options);
const coverage = await getCoverage({}, options);
const rejected = await getTlds({ limit: 0 }, options);

true satisfies Same<Extract<typeof status, { status: 200 }>['data'], Status>;
true satisfies Same<Extract<typeof bulk, { status: 200 }>['data'], Bulk>;
true satisfies Same<Extract<typeof bulk, { status: 400 | 503 }>['data'], Problem>;
true satisfies Same<Extract<typeof tlds, { status: 200 }>['data'], TldList>;
true satisfies Same<Extract<typeof coverage, { status: 200 }>['data'], Coverage>;
true satisfies Same<Parameters<typeof postStatusBulk>[0], BulkRequest>;
// @ts-expect-error `domains` is a list.
({ domains: 'taken.test' }) satisfies BulkRequest;

// A name has a registration; other objects do not.
const name = record.status === 200 && 'registration' in record.data ? record.data : undefined;
const report = {
  status: status.status === 200 && status.data.results.map((row) => [row.domain, row.status]),
  registrar: name?.registration?.registrar?.name,
  bulk: bulk.status === 200 && bulk.data.results.map((row) => [row.input, row.available]),
  tlds: tlds.status === 200 && tlds.data.tlds.map(({ tld, type }) => [tld, type]),
  coverage: coverage.status === 200 && coverage.data.total_tlds,
  problem: rejected.status === 400 && [rejected.status, rejected.data.code, rejected.data.param],
};
console.log(JSON.stringify(report));
