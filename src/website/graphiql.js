// GraphiQL with a fetcher for all response formats of the gateway. Served without a build step.
/* global React, ReactDOM, GraphiQL, examples */

const h = React.createElement;

/**
 * Creates GraphiQL's fetcher, which yields an operation's results. The stop button calls `return`.
 */
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
        // `return` waits for a pending `next`, so the request is aborted first.
        abortController.abort();
        return results.return();
      },
    };
  };

/**
 * Matches keys that a header can contain. For any other key, `Headers` throws an exception, whose
 * stack trace GraphiQL would show.
 */
const validApiKey = /^[!-~]*$/;

async function* invalidKeyError() {
  yield {
    errors: [{ message: 'Invalid API key: keys consist of ASCII letters, digits and symbols.' }],
  };
}

/** Returns the request headers. Those from GraphiQL's header editor take precedence. */
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
      yield* lists(payloads(response, '\n\n', /^data: ([^\n]+)/m));
    else yield await response.json();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Yields the JSON in each part of a body as soon as the separator after the part has arrived. Parts
 * without JSON, such as comments, are skipped.
 */
async function* payloads(response, separator, content) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const parts = (text + step.value).split(separator);
    text = parts.pop();
    for (const part of parts) {
      const [, json] = content.exec(part) ?? [];
      if (json) yield JSON.parse(json);
    }
  }
}

/** Yields the results of a subscription so far: a list of the values of each field. */
async function* lists(results) {
  const all = new Map();
  const errors = [];
  for await (const { data, ...result } of results) {
    for (const [field, value] of Object.entries(data ?? {}))
      all.set(field, [...(all.get(field) ?? []), value]);
    errors.push(...(result.errors ?? []));
    yield {
      ...(errors.length > 0 && { errors: [...errors] }),
      ...(all.size > 0 && { data: Object.fromEntries(all) }),
      ...(result.extensions && { extensions: result.extensions }),
    };
  }
}

/**
 * Calls `onChange` only when the key is complete, because each change makes GraphiQL reload the
 * schema.
 */
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

/** The operation in the address of the page. */
const linked = Object.fromEntries(
  ['query', 'variables', 'operationName'].map((name) => [
    name,
    new URLSearchParams(location.search).get(name) ?? undefined,
  ]),
);

const linkedEditors = { query: linked.query, variables: linked.variables };

const editorIn = (part) => document.querySelector(`${part} .CodeMirror`)?.CodeMirror;

/** Makes a link lead to the page with the operation that the editors show. */
function linkToOperation({ currentTarget }) {
  const editor = editorIn('.graphiql-query-editor');
  const shown = {
    query: editor.getValue(),
    variables: editorIn('.graphiql-editor-tool').getValue(),
    operationName: editor.operationName ?? '',
  };

  currentTarget.search = new URLSearchParams(Object.entries(shown).filter(([, text]) => text));
}

/** A link for sharing the operation. Its address is set when it is about to be used. */
const operationLink = h(
  'a',
  {
    className: 'operation-link',
    href: location.pathname,
    onFocus: linkToOperation,
    onPointerEnter: linkToOperation,
    onPointerDown: linkToOperation,
  },
  'Link to this operation',
);

/**
 * Runs the first example once the editor shows it. Operations of the user never run by themselves,
 * and neither do those of links.
 */
function runFirstExample() {
  const editor = editorIn('.graphiql-query-editor');
  const isExample = editor?.getValue() === examples[0].query;

  // GraphiQL detects the operation shortly after it has created the editor.
  if (!editor || (isExample && !editor.operationName)) return setTimeout(runFirstExample, 50);

  labelEditors();
  repairTabs();
  if (isExample) document.querySelector('.graphiql-execute-button').click();
  else selectLinkedOperation(editor);
}

/** Moves the cursor to the operation that the address names. Ctrl-Enter runs the one at the cursor. */
function selectLinkedOperation(editor) {
  const { query, operationName } = linked;
  if (!/^\w+$/.test(operationName) || editor.getValue() !== query) return;
  const start = query.search(new RegExp(`\\b(query|mutation|subscription)\\s+${operationName}\\b`));
  if (start === -1) return;
  editor.operationName = operationName;
  editor.setCursor(editor.posFromIndex(start));
}

/** Names the editors for screen readers, which GraphiQL does not. */
function labelEditors() {
  const labels = {
    '.graphiql-query-editor': 'Operation',
    '.graphiql-editor-tool': 'Variables or headers',
    '.result-window': 'Result',
  };
  for (const [editor, label] of Object.entries(labels))
    for (const field of document.querySelectorAll(`${editor} textarea`)) field.ariaLabel = label;
}

/**
 * Makes the tabs a group of buttons: GraphiQL nests buttons in elements with the role of a tab, whose
 * content screen readers do not offer.
 */
function repairTabs() {
  const list = document.querySelector('.graphiql-tabs');
  const repair = () => {
    list.role = 'group';
    for (const tab of list.querySelectorAll('.graphiql-tab')) {
      tab.role = 'presentation';
      tab.ariaSelected = null;
      const isActive = tab.classList.contains('graphiql-tab-active');
      tab.querySelector('.graphiql-tab-button').ariaCurrent = String(isActive);
    }
  };

  repair();
  // React sets the attributes of a tab again when its state changes.
  const changes = { childList: true, subtree: true, attributeFilter: ['class'] };

  new MutationObserver(repair).observe(list, changes);
}

function Page() {
  const [apiKey, setApiKey] = React.useState(sessionStorage.getItem('api-key') ?? '');
  // The search page uses the same session storage entry in this tab.
  const saveApiKey = (key) => {
    sessionStorage.setItem('api-key', key);
    setApiKey(key);
  };

  // A new fetcher makes GraphiQL reload the schema.
  const fetcher = React.useMemo(() => createFetcher(apiKey), [apiKey]);
  React.useEffect(runFirstExample, []);

  return h(
    GraphiQL,
    // With tabs of an earlier visit, GraphiQL adds one for `query`; without, it opens the default tabs.
    linked.query === undefined
      ? { fetcher, defaultTabs: examples }
      : { fetcher, ...linkedEditors, defaultTabs: [linkedEditors, ...examples] },
    h(GraphiQL.Footer, null, h(KeyField, { apiKey, onChange: saveApiKey }), operationLink),
  );
}

ReactDOM.createRoot(document.getElementById('graphiql')).render(h(Page));
