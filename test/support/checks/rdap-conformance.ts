/** Where a value of a response violates RFC 9083, e.g. `events[0].eventDate: not a date`. */
type Violation = string;

type Check = (value: unknown, path: string) => Violation[];

type ObjectClass = 'domain' | 'nameserver' | 'entity' | 'ip network' | 'autnum';

/** Returns all violations of RFC 9083 in the body of a lookup of this object class. */
export function violationsIn(body: unknown, objectClass: ObjectClass): Violation[] {
  return [...topLevel(body, ''), ...objectOf(objectClass)(body, '')];
}

/** Returns all violations of RFC 9083 section 6 in the body of an error with a status. */
export function violationsInError(body: unknown, status: number): Violation[] {
  return [
    ...topLevel(body, ''),
    ...members({ errorCode: required(equal(status)), title: text, description: list(text) })(
      body,
      '',
    ),
    ...absent(['objectClassName'], body),
  ];
}

/** Returns all violations of RFC 9083 section 7 in the body of a help response. */
export function violationsInHelp(body: unknown): Violation[] {
  return [
    ...topLevel(body, ''),
    ...members({ notices: required(list(notice)) })(body, ''),
    ...absent(['errorCode', 'objectClassName'], body),
  ];
}

const text: Check = (value, path) =>
  typeof value === 'string' ? [] : [`${path}: not a string, but ${JSON.stringify(value)}`];
const flag: Check = (value, path) => (typeof value === 'boolean' ? [] : [`${path}: not a boolean`]);

function whole(max: number): Check {
  return (value, path) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
      ? []
      : [`${path}: not a number from 0 to ${max}`];
}

function matching(pattern: RegExp, what: string): Check {
  return (value, path) =>
    typeof value === 'string' && pattern.test(value) ? [] : [`${path}: not ${what}`];
}

function equal(expected: unknown): Check {
  return (value, path) => (value === expected ? [] : [`${path}: not ${JSON.stringify(expected)}`]);
}

function list(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => check(entry, `${path}[${index}]`))
      : [`${path}: not an array`];
}

interface Required {
  readonly required: Check;
}

const required = (check: Check): Required => ({ required: check });

/** Checks members that are present, and that the required ones are. Others are ignored. */
function members(checks: Readonly<Record<string, Check | Required>>): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [`${path}: not an object`];
    return Object.entries(checks).flatMap(([name, check]) => {
      const at = path === '' ? name : `${path}.${name}`;
      const isRequired = 'required' in check;
      if (!Object.hasOwn(value, name)) return isRequired ? [`${at}: missing`] : [];
      return (isRequired ? check.required : check)(Reflect.get(value, name), at);
    });
  };
}

function absent(names: readonly string[], body: unknown): Violation[] {
  return names
    .filter((name) => Object.hasOwn(Object(body), name))
    .map((name) => `${name}: present`);
}

/** RFC 3339 section 5.6. */
const date = matching(
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  'a date of RFC 3339',
);
const language = matching(/^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i, 'a language tag of RFC 5646');
const mediaType = matching(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, 'a media type');
const url: Check = (value, path) =>
  typeof value === 'string' && URL.canParse(value) ? [] : [`${path}: not a URL`];

/** Section 4.2. */
const link = members({
  value: required(url),
  rel: required(text),
  href: required(url),
  hreflang: (value, path) => (Array.isArray(value) ? list(language) : language)(value, path),
  title: text,
  media: text,
  type: mediaType,
});

/** Section 4.3. */
const notice = members({
  title: text,
  type: text,
  description: required(list(text)),
  links: list(link),
});

/** Sections 4.1, 4.3 and 4.4. */
const topLevel: Check = (body, path) => [
  ...members({
    rdapConformance: required(list(matching(/^[A-Za-z]\w*$/, 'an identifier of an extension'))),
    notices: list(notice),
    lang: language,
  })(body, path),
  ...((body as { rdapConformance?: unknown[] }).rdapConformance?.includes('rdap_level_0')
    ? []
    : ['rdapConformance: does not contain rdap_level_0']),
];

/** Section 4.5. */
const event = members({
  eventAction: required(text),
  eventDate: required(date),
  eventActor: text,
  links: list(link),
});

/** Section 4.8. */
const publicId = members({ type: required(text), identifier: required(text) });

/** RFC 7095 section 3.3. */
const jCard: Check = (value, path) => {
  const [name, properties] = Array.isArray(value) ? (value as unknown[]) : [];
  if (name !== 'vcard' || !Array.isArray(properties)) return [`${path}: not a jCard`];
  return properties.flatMap((property: unknown, index) =>
    Array.isArray(property) && property.length >= 4 && typeof property[0] === 'string'
      ? []
      : [`${path}[1][${index}]: not a property`],
  );
};

/** The members that all object classes may have (section 4). */
const common = {
  handle: text,
  links: list(link),
  events: list(event),
  status: list(text),
  remarks: list(notice),
  port43: text,
  lang: language,
  entities: list((value, path) => objectOf('entity')(value, path)),
};

const uint32 = 2 ** 32 - 1;
const dnssec = members({
  zoneSigned: flag,
  delegationSigned: flag,
  maxSigLife: whole(uint32),
  dsData: list(
    members({
      keyTag: required(whole(65_535)),
      algorithm: required(whole(255)),
      digest: required(text),
      digestType: required(whole(255)),
      events: list(event),
      links: list(link),
    }),
  ),
});

const addresses = members({ v4: list(text), v6: list(text) });

/** Section 5. */
const objectClasses: Readonly<Record<ObjectClass, Readonly<Record<string, Check | Required>>>> = {
  entity: {
    vcardArray: jCard,
    roles: list(text),
    publicIds: list(publicId),
    asEventsActor: list(members({ eventAction: required(text), eventDate: required(date) })),
    networks: list((value, path) => objectOf('ip network')(value, path)),
    autnums: list((value, path) => objectOf('autnum')(value, path)),
  },
  nameserver: { ldhName: required(text), unicodeName: text, ipAddresses: addresses },
  domain: {
    ldhName: required(text),
    unicodeName: text,
    nameservers: list((value, path) => objectOf('nameserver')(value, path)),
    secureDNS: dnssec,
    publicIds: list(publicId),
    network: (value, path) => objectOf('ip network')(value, path),
  },
  'ip network': {
    startAddress: required(text),
    endAddress: required(text),
    ipVersion: required(matching(/^v[46]$/, 'v4 or v6')),
    name: text,
    type: text,
    country: matching(/^[A-Z]{2}$/, 'a country code'),
    parentHandle: text,
  },
  autnum: {
    startAutnum: required(whole(uint32)),
    endAutnum: required(whole(uint32)),
    name: text,
    type: text,
    country: matching(/^[A-Z]{2}$/, 'a country code'),
  },
};

function objectOf(objectClass: ObjectClass): Check {
  return members({
    objectClassName: required(equal(objectClass)),
    ...common,
    ...objectClasses[objectClass],
  });
}
