import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Json } from '../gateways/gateway.ts';

const document: Json = JSON.parse(
  readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'),
);

// The document itself is not a schema: its other members are declared as keywords without meaning.
const ajv = new Ajv2020({
  allErrors: true,
  keywords: [...Object.keys(document), 'x-extensible-enum', 'x-enumDescriptions'],
});
addFormats.default(ajv);
ajv.addSchema(withoutAdditionalProperties(document), 'openapi.json');

/**
 * Checks a response against its operation in the OpenAPI document: status, every header, body and
 * all members. Clients must tolerate unknown members and enum values, but the document must list
 * all that are sent.
 */
export async function expectMatchesOpenApi(
  answer: Response,
  operation: `${'get' | 'post' | 'delete'} /${string}`,
): Promise<void> {
  const [method = '', path = ''] = operation.split(' ');
  const responses = document.paths[path][method].responses;
  const status = String(answer.status) in responses ? answer.status : 'default';
  const {
    headers = {},
    content,
    'x-stream-content': streams = {},
    'x-alternative-content': alternatives = {},
  } = responses[status];
  const described = Object.keys(headers).map((name) => name.toLowerCase());
  expect(
    Array.from(answer.headers.keys()).filter(
      (name) => !described.includes(name) && !undocumentedHeaders.test(name),
    ),
  ).toEqual([]);
  const text = await answer.text();
  if (!content) return expect(text).toBe('');
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  expect(Object.keys({ ...content, ...streams, ...alternatives })).toContain(mediaType);
  if (mediaType in alternatives) {
    const [example] = Object.values<Json>(alternatives[mediaType].examples);
    return expect(text.split('\r\n')[0]).toBe(example.value.split('\r\n')[0]);
  }
  const schema =
    mediaType in streams
      ? ['x-stream-content', mediaType, 'itemSchema']
      : ['content', mediaType, 'schema'];
  const validate = validator(['paths', path, method, 'responses', String(status), ...schema]);
  const bodies = mediaType in streams ? text.trimEnd().split('\n') : [text];
  const isJson = mediaType.endsWith('json');
  for (const body of bodies.map((each): Json => (isJson ? JSON.parse(each) : each))) {
    expect(validate(body) ? [] : validate.errors).toEqual([]);
    if (answer.status >= 400 && isJson && 'code' in body)
      expect(Object.keys(content[mediaType].examples)).toContain(body.code);
  }
}

/** Headers that every HTTP response may contain, and those of CORS. */
const undocumentedHeaders =
  /^(?:content-|date$|connection$|keep-alive$|transfer-encoding$|vary$|allow$|access-control-|timing-allow-origin$|cross-origin-resource-policy$|x-content-type-options$)/;

function validator(keys: readonly string[]): ValidateFunction {
  const pointer = keys
    .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = ajv.getSchema(`openapi.json#/${pointer}`);
  if (!validate) throw new Error(`The document has no schema at ${pointer}.`);
  return validate;
}

/** Returns a schema that allows no additional properties and no other enum values. */
function withoutAdditionalProperties(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutAdditionalProperties);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutAdditionalProperties(each)]),
  );
  if (inner['x-extensible-enum'])
    return {
      ...inner,
      enum: [...inner['x-extensible-enum'], ...(inner['type'].includes('null') ? [null] : [])],
    };
  return inner['type'] === 'object' && inner['properties']
    ? { ...inner, additionalProperties: false }
    : inner;
}
