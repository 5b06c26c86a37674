// The client of the page: GraphQL queries over fetch, subscriptions as server-sent events, and REST. Also
// what the browser stores for the page: it may forbid that, and others may have written something else.

/**
 * A failed request. `code` and `retryAfter`, in seconds, are those of the first error, if the gateway
 * has sent one.
 */
export class GatewayError extends Error {
  constructor({ message = 'The gateway sent an unreadable response.', extensions = {} }) {
    super(message);
    this.code = extensions.code;
    this.retryAfter = extensions.retryAfter ?? extensions.retry_after;
  }
}

let keyOfPage = '';

/** The API key of this browser tab, or of this page if the browser stores nothing. */
export const apiKey = {
  get() {
    try {
      return sessionStorage.getItem('api-key');
    } catch {
      return keyOfPage;
    }
  },
  set(key) {
    keyOfPage = key;
    try {
      sessionStorage.setItem('api-key', key);
    } catch {
      // It lasts until the page is closed.
    }
  },
};

/** Returns a stored value that is a list or an object like the default, or else the default. */
export function readStored(key, byDefault) {
  try {
    const value = JSON.parse(localStorage.getItem(key));
    return value?.constructor === byDefault.constructor ? value : byDefault;
  } catch {
    return byDefault;
  }
}

/** Stores a value where the browser allows it. */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It lasts until the page is closed.
  }
}

/** Whether requests for a name cost nothing, now that there is no key, or because it is in the sandbox. */
export const isFree = (name) => !apiKey.get() || name.endsWith('.test');

/** Returns the result of a query. Throws `GatewayError` if it has no data. */
export async function runQuery(query, variables, signal) {
  const response = await post({ query, variables }, 'application/json', signal);
  return resultOf(await orConnectionLost(response.json(), signal));
}

/**
 * Yields the results of a subscription as they arrive. Throws `GatewayError`. Aborting the signal
 * also cancels the lookups that have not been sent to a registry.
 */
export async function* subscribe(query, variables, signal) {
  const response = await post({ query, variables }, 'text/event-stream', signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const read = () => orConnectionLost(reader.read(), signal);
  let text = '';
  for (let step = await read(); !step.done; step = await read()) {
    const events = (text + step.value).split('\n\n');
    text = events.pop();

    for (const event of events) {
      if (event.startsWith('event: complete')) return;
      const [, json] = /^data: (.+)/m.exec(event) ?? [];
      if (json) yield resultOf(JSON.parse(json));
    }
  }

  throw new GatewayError(connectionLost);
}

/** Returns the body of a REST response, if there is one. Throws `GatewayError`. */
export async function callRest(method, path) {
  const response = await send(path, { method });
  return response.status === 204 ? undefined : orConnectionLost(response.json());
}

export const unreachable = { message: 'The gateway cannot be reached.' };
const connectionLost = { message: 'The connection to the gateway was lost.' };

function post(operation, accept, signal) {
  return send('graphql', { method: 'POST', body: JSON.stringify(operation) }, accept, signal);
}

async function send(path, init, accept = 'application/json', signal) {
  const key = apiKey.get();
  // A header cannot contain all characters that may be typed as a key.
  const sentKey = key && { 'x-api-key': encodeURI(key) };
  const headers = { accept, 'content-type': 'application/json', ...sentKey };
  const response = await fetch(path, { ...init, headers, signal }).catch((error) => {
    throw signal?.aborted ? error : new GatewayError(unreachable);
  });
  if (response.ok) return response;

  const problem = await response.json().catch(() => ({}));
  const ofRest = problem.code && { message: problem.detail, extensions: problem };
  const [error = { message: `The gateway returned HTTP status ${response.status}.` }] = ofRest
    ? [ofRest]
    : (problem.errors ?? []);

  throw new GatewayError(error);
}

/** Replaces the browser's own error if a response breaks off. */
function orConnectionLost(promise, signal) {
  return promise.catch((error) => {
    throw signal?.aborted ? error : new GatewayError(connectionLost);
  });
}

function resultOf(result) {
  if (!result.data) throw new GatewayError(result.errors?.[0] ?? {});
  return result;
}
