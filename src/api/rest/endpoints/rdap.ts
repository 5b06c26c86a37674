import { parseDomainName, parseSuffix } from '../../../domain/names/domain-name.ts';
import {
  objectTypes,
  detectObjectType,
  parseObjectRef,
  type ObjectType,
} from '../../../domain/object-ref.ts';
import {
  lookupProblemCodes,
  problems,
  missingParameter,
  withParam,
  invalidParameter,
} from '../../../domain/problems.ts';
import { isReverseName } from '../../../domain/names/reverse-zone.ts';
import {
  failureOf,
  problemSelection,
  type ProblemFields,
} from '../../../server/messages/lookup-problem.ts';
import type { QueryParameters } from '../../../server/messages/parameters.ts';
import { endpoint, type ParsedRestRequest, type BodySource } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { objectBody, objectOperations, objectSchemas, networkSelection } from '../objects.ts';
import { parametersNamed, readFlag } from '../parameters.ts';
import { inputSchema, rowBody, rowSchema, rowSelection, type RestRow } from '../rows.ts';
import {
  evidenceSelection,
  registrationSelection,
  timelineSelection,
  withWords,
} from '../selections.ts';
import * as shape from '../shape.ts';
import type { JsonSchema, Properties } from '../shape.ts';

/** Selects to whom abuse of a name is reported, with the keys of REST bodies. */
const abuseSelection = `abuse_contacts: abuseContacts(maxAge: $maxAge) {
  source name email phone addresses
  network { handle ${networkSelection} }
  problem { code detail }
}`;

/** Looks up one name with its registration. */
const operationWith = (selection = '') => `query Rdap($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) {
    ${selection}
    ${rowSelection}
    ${problemSelection}
    registration {
      ${registrationSelection}
      raw
    }
  }
}`;

/** Selects everything that a parameter adds. */
const fullOperation = operationWith(abuseSelection + timelineSelection + evidenceSelection);

interface RecordRow extends RestRow {
  readonly problem: ProblemFields | null;
  readonly registration: {
    readonly nameservers: readonly string[];
    readonly raw: unknown;
  } | null;
  readonly abuse_contacts?: readonly object[];
  readonly timeline?: readonly object[] | null;
}

/**
 * `GET /v1/rdap`: one name with its registration, or another object. Without a verdict, the response
 * is a problem; with a verdict but no record (`no_rdap`), it has the member `problem`.
 */
export const rdap = endpoint('GET /v1/rdap', {
  tag: 'Names',
  summary: 'Get the registration of a name, or another object',
  description:
    'Returns one name with its registration and the registry’s own object. For an unregistered name, the response is a 200 with nulls. Where there is no RDAP, the registration is that of the registry’s WHOIS server (`registration.source` is `whois`), and `rdap` is null. If only the availability service or the DNS gave the verdict, it is a 200 with nulls and a `problem`, and costs as much as a name without its registration. Without a verdict, it is a problem (502, 503, 504). With `query`, it also returns IP networks, autonomous systems, entities and nameservers, with `found: false` for one that does not exist, and reverse zones, which are a 404 if they do not exist.',
  example: 'domain=taken.test',
  success: 'The result of each lookup.',
  parameters: parametersNamed(
    'domain',
    'query',
    'type',
    'tld',
    'max_age',
    'abuse',
    'timeline',
    'evidence',
  ),
  problems: [
    'missing_parameter',
    'invalid_parameter',
    'invalid_name',
    'invalid_max_age',
    'invalid_naming',
    'unsupported_tld',
    'special_use',
    'no_registry',
    'not_found',
    'insufficient_credits',
    ...lookupProblemCodes,
  ],
  operation: operationWith(),
  schema: (schemas) => ({ oneOf: [recordSchema(schemas), ...objectSchemas(schemas)] }),
  parse(http) {
    const { lookup, maxAge, hasSnakeCaseKeys } = readRequest(http, (parameters) => ({
      lookup: () => readLookup(parameters),
      maxAge: parameters.maxAge,
    }));
    const { variables, ...rest } = lookup;

    return { ...rest, variables: { ...variables, maxAge }, hasSnakeCaseKeys };
  },
});

type RdapRequest = Pick<ParsedRestRequest, 'operation' | 'names' | 'render'> & {
  readonly variables: Readonly<Record<string, unknown>>;
};

function readLookup(parameters: QueryParameters): RdapRequest {
  const { param, rawInput } = readInput(parameters);
  const type = readType(parameters.single('type'), param);
  const isZone = (type ?? 'domain') === 'domain' && isReverseName(rawInput);
  const detected = isZone ? 'reverse_zone' : (type ?? detectObjectType(rawInput));
  const withAbuse = readFlag('abuse', parameters, false);
  const withTimeline = readFlag('timeline', parameters, false);
  const evidence = readFlag('evidence', parameters, false);
  const names = { names: { namesParam: param, paramNames: { name: param } } };
  if (detected === 'domain') {
    const domain = parseDomainName(rawInput, param);
    const added = [
      withAbuse && abuseSelection,
      withTimeline && timelineSelection,
      evidence && evidenceSelection,
    ];
    const operation = operationWith(added.filter((each) => each !== false).join('\n'));

    return { ...names, operation, variables: { domain }, render: createBody(rawInput) };
  }

  if (withAbuse) throw invalidParameter('abuse', 'Only domain names have abuse contacts.');
  if (withTimeline) throw invalidParameter('timeline', 'Only domain names have a timeline.');
  if (evidence) throw invalidParameter('evidence', 'Only domain names have evidence.');

  withParam(param, () => parseObjectRef(detected, rawInput));
  const tldText = detected === 'entity' ? parameters.single('tld') : undefined;
  const tld = tldText && parseSuffix(tldText, 'tld');

  return {
    ...names,
    operation: objectOperations[detected],
    variables: { id: rawInput, ...(tld !== undefined && { tld }) },
    render: objectBody(detected, rawInput),
  };
}

/** Returns the input and the parameter that contains it. */
function readInput({ single }: QueryParameters) {
  const values = { domain: single('domain'), query: single('query') };
  if (values.domain !== undefined && values.query !== undefined) {
    throw invalidParameter('query', 'Pass either `domain` or `query`, not both.');
  }

  const param = values.query === undefined ? 'domain' : 'query';
  const rawInput = values[param];
  if (rawInput === undefined) throw missingParameter('domain');

  return { param, rawInput } as const;
}

/** Returns the requested type; undefined if it must be detected. */
function readType(
  text: string | undefined,
  inputParam: 'domain' | 'query',
): ObjectType | 'domain' | undefined {
  const type = text?.trim().toLowerCase();
  if (type === 'domain') return type;
  if (type === undefined) return inputParam === 'domain' ? 'domain' : undefined;

  const known = objectTypes.find((each) => each === type);
  if (known && inputParam === 'query') return known;

  const detail = known
    ? `With \`domain\`, type must be domain. Pass the ${known} as \`query\`.`
    : `type must be one of domain, ${objectTypes.join(', ')}.`;

  throw invalidParameter('type', detail);
}

function createBody(input: string): ParsedRestRequest['render'] {
  return (data) => {
    const { domain: record } = data as { domain: RecordRow };
    const { problem, registration: found, abuse_contacts, timeline, ...row } = record;
    if (problem && row.available === null)
      throw failureOf(problem, row.domain, row.rdap_endpoint, row.did_you_mean);

    const { nameservers = [], raw = null, ...registration } = found ?? {};

    return {
      body: {
        input,
        ...rowBody(row),
        nameservers,
        registration: found && withWords('registration', registration),
        rdap: raw,
        ...(abuse_contacts && { abuse_contacts: withWords('abuse', abuse_contacts) }),
        ...(timeline !== undefined && { timeline: withWords('timeline', timeline) }),
        ...(problem && { problem: { code: problem.code, detail: problem.detail } }),
      },
    };
  };
}

/**
 * Returns the schema of a record. Nameservers and the registry's own object are members of the
 * record, not of its registration.
 */
function recordSchema({ types, properties, propertiesOf }: BodySource): JsonSchema {
  const { abuse_contacts: contacts, timeline, evidence } = propertiesOf(fullOperation);
  const abuseProblem = shape.objectOf({
    code: shape.text('Machine-readable problem code.'),
    detail: shape.text('What could not be looked up, and why.'),
  });
  shape.changeType(types, 'AbuseContact', { problem: [shape.orNull(abuseProblem), () => null] });

  const { registration, problem: _problem, ...row } = properties;
  const { nameservers, raw } = (types['Registration']?.['properties'] ?? {}) as Properties;
  shape.changeType(types, 'Registration', {}, ['nameservers', 'raw']);

  const members = {
    input: inputSchema,
    ...row,
    nameservers: { ...nameservers },
    registration: {
      ...registration,
      description: 'The registration; null if the name is not registered, or with a `problem`.',
    },
    rdap: {
      ...raw,
      description:
        "The registry's own object (RFC 9083), as sent; null if there is none, or if the registration is from WHOIS.",
    },
    abuse_contacts: {
      ...contacts,
      description: 'To whom abuse of the name is reported. Only with `abuse=true`.',
    },
    timeline: {
      ...timeline,
      description: `${String(timeline?.['description'])} Only with \`timeline=true\`.`,
    },
    evidence: { ...evidence },
    problem: shape.named(types, 'RecordProblem', recordProblemSchema),
  };

  // Not `Record`: generated code would shadow TypeScript's built-in type.
  return shape.named(
    types,
    'DomainRecord',
    rowSchema(members, ['problem', 'abuse_contacts', 'timeline']),
  );
}

const recordProblemSchema: JsonSchema = {
  description:
    'Why there is a verdict but no record, or why an unregistered name is reserved. Absent otherwise.',
  ...shape.objectOf({
    code: shape.openEnum(
      {
        no_rdap: problems.no_rdap.title,
        brand_tld: problems.brand_tld.title,
        closed_tld: problems.closed_tld.title,
        reserved_label: problems.reserved_label.title,
      },
      'Machine-readable problem code.',
    ),
    detail: shape.text('Which of the reasons applies.'),
  }),
};
