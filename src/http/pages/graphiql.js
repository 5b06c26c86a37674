// What the GraphiQL page runs, served as it is: GraphiQL with a fetcher that reads every way in which the gateway answers.
/* global React, ReactDOM, GraphiQL, examples */

/** What GraphiQL calls: the results of one operation as they come. Its `return` is the stop button. */
function fetcher(params, { headers } = {}) {
  const stopped = new AbortController();
  const results = answers(params, headers, stopped.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => results.next(),
    return() {
      // A generator that waits hears of its end only once it goes on: so the wait is ended first.
      stopped.abort();
      return results.return();
    },
  };
}

async function* answers(params, headers, signal) {
  try {
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers: {
        accept: 'multipart/mixed; deferSpec=20220824, application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(params),
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('multipart/mixed')) yield* payloads(response, '\r\n---', /\r\n\r\n([^]+)/);
    else if (type.startsWith('text/event-stream')) yield* payloads(response, '\n\n', /^data: ([^\n]+)/m);
    else yield await response.json();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The JSON in each piece of a body, as soon as what ends the piece has come. Pieces without any, such as comments, are passed over. */
async function* payloads(response, end, content) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const pieces = (text + step.value).split(end);
    text = pieces.pop();
    for (const piece of pieces) {
      const [, json] = content.exec(piece) ?? [];
      if (json) yield JSON.parse(json);
    }
  }
}

ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, defaultTabs: examples.map((query) => ({ query })) }),
);
