// How the page talks to the gateway: GraphQL by fetch, answered in one piece or, for a subscription, in events as they come.

/** The gateway did not do what it was asked; `code` is the first error's `extensions.code`. */
export class GatewayError extends Error {
  constructor({
    message = 'The gateway gave no answer that this page can read.',
    extensions = {},
  }) {
    super(message);
    this.code = extensions.code;
  }
}

/** The API key of this tab, for gateways that want one. */
export const apiKey = {
  get: () => sessionStorage.getItem('api-key'),
  set: (key) => sessionStorage.setItem('api-key', key),
};

/** The result of a query. Throws a `Refusal` when nothing came of it. */
export async function runQuery(query, variables, signal) {
  const response = await post({ query, variables }, 'application/json', signal);
  return resultOf(await response.json());
}

/** The results of a subscription, each as soon as it comes. Leaving early, by the signal, takes along what was not sent to a registry yet. */
export async function* subscribe(query, variables, signal) {
  const response = await post({ query, variables }, 'text/event-stream', signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const events = (text + step.value).split('\n\n');
    text = events.pop();
    for (const event of events) {
      if (event.startsWith('event: complete')) return;
      const [, json] = /^data: (.+)/m.exec(event) ?? [];
      if (json) yield resultOf(JSON.parse(json));
    }
  }
  throw new GatewayError({ message: 'The gateway broke off in the middle of its answer.' });
}

async function post(operation, accept, signal) {
  const key = apiKey.get();
  const headers = { accept, 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
  const response = await fetch('graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify(operation),
    signal,
  }).catch((error) => {
    throw signal.aborted ? error : new GatewayError({ message: 'The gateway cannot be reached.' });
  });
  if (response.ok) return response;
  const { errors = [] } = await response.json().catch(() => ({}));
  throw new GatewayError(errors[0] ?? { message: `The gateway answered ${response.status}.` });
}

function resultOf(result) {
  if (!result.data) throw new GatewayError(result.errors?.[0] ?? {});
  return result;
}
