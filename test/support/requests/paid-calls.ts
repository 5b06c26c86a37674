import type { Json } from '../gateways/gateway.ts';
import { costIn, type Caller } from '../gateways/metered-gateway.ts';
import { eventsOf, partsOf, remaining } from './streams.ts';

/** Sends a request. Resolves to the response and its final cost. */
export type SendRequest = (
  customer: Caller,
) => Promise<{ readonly answer: Response; readonly cost: Json }>;

export const get =
  (path: string): SendRequest =>
  async (customer) =>
    buffered(await customer.fetch(path));

export const bulk =
  (body: object): SendRequest =>
  async (customer) =>
    buffered(await customer.post('/v1/status/bulk', body));

export const graphql =
  (query: string, variables?: Record<string, unknown>): SendRequest =>
  async (customer) => {
    const answer = await customer.graphql(query, variables);
    return { answer, cost: (await answer.json()).extensions.cost };
  };

export const lines =
  (body: object): SendRequest =>
  async (customer) => {
    const answer = await customer.post('/v1/status/bulk', body, { accept: 'application/x-ndjson' });
    const last = (await answer.text()).trimEnd().split('\n').at(-1) ?? '';
    return { answer, cost: JSON.parse(last).meta.credits };
  };

export const events =
  (query: string, variables?: Record<string, unknown>): SendRequest =>
  async (customer) => {
    const answer = await customer.graphql(query, variables, { accept: 'text/event-stream' });
    const sent = await remaining(eventsOf(answer));
    return { answer, cost: sent.at(-2)?.data.extensions.cost };
  };

export const parts =
  (query: string, variables?: Record<string, unknown>): SendRequest =>
  async (customer) => {
    const answer = await customer.graphql(query, variables, { accept: 'multipart/mixed' });
    const sent = await remaining(partsOf(answer));
    return { answer, cost: sent.at(-1).extensions.cost };
  };

/** The cost is final only after the body has arrived. */
async function buffered(answer: Response): ReturnType<SendRequest> {
  await answer.clone().text();
  return { answer, cost: costIn(answer) };
}
