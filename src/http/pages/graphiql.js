// What the GraphiQL page runs, served as it is: GraphiQL with a fetcher that reads every way in which the gateway answers.
/* global React, ReactDOM, GraphiQL, examples */

const h = React.createElement;

/** What GraphiQL calls: the results of one operation as they come. Its `return` is the stop button. */
const createFetcher =
  (apiKey) =>
  (params, { headers } = {}) => {
    const abortController = new AbortController();
    const results = validApiKey.test(apiKey)
      ? fetchResults(params, headersOf(apiKey, headers), abortController.signal)
      : invalidKeyError();
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => results.next(),
      return() {
        // A generator that waits hears of its end only once it goes on: so the wait is ended first.
        abortController.abort();
        return results.return();
      },
    };
  };

/** What a header can carry: of anything else the browser makes an exception, and GraphiQL shows where it was thrown. */
const validApiKey = /^[!-~]*$/;

async function* invalidKeyError() {
  yield {
    errors: [{ message: 'This is no API key: a key has only Latin letters, digits and signs.' }],
  };
}

/** What is written into GraphiQL's own editor of headers wins. */
function headersOf(apiKey, editorHeaders) {
  const accept = 'multipart/mixed; deferSpec=20220824, application/json, text/event-stream';
  const headers = new Headers({ accept, 'content-type': 'application/json' });
  if (apiKey) headers.set('x-api-key', apiKey);
  for (const [name, value] of Object.entries(editorHeaders ?? {})) headers.set(name, value);
  return headers;
}

async function* fetchResults(params, headers, signal) {
  try {
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers,
      body: JSON.stringify(params),
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('multipart/mixed')) yield* payloads(response, '\r\n---', /\r\n\r\n([^]+)/);
    else if (type.startsWith('text/event-stream'))
      yield* payloads(response, '\n\n', /^data: ([^\n]+)/m);
    else yield await response.json();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The JSON in each piece of a body, as soon as what ends the piece has come. Pieces without any, such as comments, are passed over. */
async function* payloads(response, separator, content) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const pieces = (text + step.value).split(separator);
    text = pieces.pop();
    for (const piece of pieces) {
      const [, json] = content.exec(piece) ?? [];
      if (json) yield JSON.parse(json);
    }
  }
}

/** Takes a key when it is complete: with half a one, GraphiQL would ask for the schema in vain. */
function KeyField({ apiKey, onChange }) {
  const input = h('input', {
    type: 'password',
    autoComplete: 'off',
    placeholder: 'none',
    defaultValue: apiKey,
    onBlur: ({ target }) => onChange(target.value.trim()),
    onKeyDown: ({ key, target }) => key === 'Enter' && target.blur(),
  });
  return h('label', { className: 'api-key' }, 'API key', input);
}

function Page() {
  const [apiKey, setApiKey] = React.useState(sessionStorage.getItem('api-key') ?? '');
  // It stays in this browser tab, where the search page finds it too.
  const saveApiKey = (key) => {
    sessionStorage.setItem('api-key', key);
    setApiKey(key);
  };
  // Another fetcher makes GraphiQL ask for the schema again.
  const fetcher = React.useMemo(() => createFetcher(apiKey), [apiKey]);
  const defaultTabs = React.useMemo(() => examples.map((query) => ({ query })), []);
  return h(
    GraphiQL,
    { fetcher, defaultTabs },
    h(GraphiQL.Footer, null, h(KeyField, { apiKey, onChange: saveApiKey })),
  );
}

ReactDOM.createRoot(document.getElementById('graphiql')).render(h(Page));
