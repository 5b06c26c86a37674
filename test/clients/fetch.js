// Plain fetch: yields each row as soon as it is resolved.
const query = `subscription ($name: String!, $tlds: [String!]!) {
  availability(name: $name, tlds: $tlds) { domain available }
}`;

/** Throws an error whose message is the problem code, such as `invalid_name`. */
export async function* search(url, variables, { apiKey, signal } = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(apiKey && { 'x-api-key': apiKey }),
    },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  if (!response.ok) throwProblem(await response.json());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const [, json] = /^data: (.+)$/m.exec(event) ?? [];
        if (!json) continue;
        const result = JSON.parse(json);
        if (!result.data) throwProblem(result);
        yield result.data.availability;
      }
    }
  } finally {
    // Leaving the loop early ends the request.
    await reader.cancel();
  }
}

function throwProblem({ errors }) {
  throw new Error(errors[0].extensions.code);
}
