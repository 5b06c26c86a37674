// GraphQL client of the page: queries over fetch, subscriptions as server-sent events over fetch.

/** A failed GraphQL request. `code` is the first error's `extensions.code`, if there is one. */
export class GatewayError extends Error {
  constructor({ message = 'The gateway sent an unreadable response.', extensions = {} }) {
    super(message);
    this.code = extensions.code;
  }
}

/** The API key of this browser tab, for gateways that require one. */
export const apiKey = {
  get: () => sessionStorage.getItem('api-key'),
  set: (key) => sessionStorage.setItem('api-key', key),
};

/** Returns the result of a query. Throws `GatewayError` if it has no data. */
export async function runQuery(query, variables, signal) {
  const response = await post({ query, variables }, 'application/json', signal);
  return resultOf(await response.json());
}

/**
 * Yields the results of a subscription as they arrive. Throws `GatewayError`. Aborting the signal
 * also cancels the lookups that have not been sent to a registry.
 */
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
  throw new GatewayError({
    message: 'The gateway closed the connection before the response was complete.',
  });
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
  throw new GatewayError(
    errors[0] ?? { message: `The gateway returned HTTP status ${response.status}.` },
  );
}

function resultOf(result) {
  if (!result.data) throw new GatewayError(result.errors?.[0] ?? {});
  return result;
}
