import type { OpenapiOperation, Parameter, ResponseOf } from './description.ts';
import { codeBlock, html, prose, table, type Html, type Section } from './html.ts';

/** Renders a route: its parameters, an example call with its response, and its errors. */
export function routeSection(name: string, operation: OpenapiOperation): Section {
  const { summary, description, parameters, requestBody, responses } = operation;
  const members = Object.entries(requestBody?.content['application/json'].schema.properties ?? {});
  const body = html`<p><strong>${summary}.</strong> ${prose(description)}</p>
    ${table(`Parameters of ${name}`, ['Parameter', 'Meaning'], parameters.map(parameterRow))}
    ${members.length > 0 ? table(`Body of ${name}`, ['Field of the body', 'Meaning'], members.map(memberRow)) : ''}
    <h3>Example</h3>
    ${operation['x-codeSamples'].map(({ source }) => codeBlock(`Example of ${name}`, source))}
    ${examplesOf(responses).map(
      ([text, value]) =>
        html`<p>${text}:</p>
          ${codeBlock(text, JSON.stringify(value, null, 2))}`,
    )}
    <h3>Errors</h3>
    ${table(`Errors of ${name}`, ['Status', 'Code'], Object.entries(responses).flatMap(problemRow))}`;
  return { id: anchorOf(name), title: html`<code>${name}</code>`, body };
}

/** `GET /v1/status` → `get-v1-status`. */
function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}

function parameterRow({
  name,
  in: place,
  description,
  required,
  deprecated,
}: Parameter): readonly Html[] {
  const notes = [
    ...(place === 'header' ? ['header'] : []),
    ...(required ? ['required'] : []),
    ...(deprecated ? ['deprecated'] : []),
  ];
  return [
    html`<code>${name}</code>${notes.map((note) => html` <small>${note}</small>`)}`,
    prose(description),
  ];
}

function memberRow([name, { description, deprecated }]: [
  string,
  { description: string; deprecated: boolean },
]): readonly Html[] {
  return parameterRow({ name, in: 'query', description, required: false, deprecated });
}

function examplesOf(responses: OpenapiOperation['responses']): readonly [string, unknown][] {
  const examples = responses['200']?.content['application/json']?.examples ?? {};
  return Object.values(examples).map(({ summary, value }) => [summary, value]);
}

/** Links each code to its explanation. */
function problemRow([status, { content }]: [string, ResponseOf]): readonly (readonly Html[])[] {
  const codes = Object.keys(content['application/problem+json']?.examples ?? {});
  if (codes.length === 0) return [];
  const links = codes.map((code) => html`<a href="docs/errors#${code}"><code>${code}</code></a> `);
  return [[html`${status === 'default' ? 'any other' : status}`, html`${links}`]];
}
