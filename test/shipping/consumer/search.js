import { GatewayClient, GatewayError } from 'rdap-graphql-gateway/client';

/** Shows each name as soon as its lookup has completed. */
export async function search(url, name, { show, fail, apiKey, signal }) {
  const client = new GatewayClient(url, { apiKey });
  try {
    for await (const row of client.search({ name, tlds: ['test', 'zz'] }, { signal })) {
      if (row.available === null) show(`${row.domain}: unknown (${row.problem.code})`);
      else show(`${row.domain}: ${row.available ? 'available' : 'taken'}`);
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error; // also an aborted signal
    fail(error.code, error.detail);
  }
}
