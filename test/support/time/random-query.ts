import {
  doTypesOverlap,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from './random.ts';

/** A valid query, and variables with which fields may fail. */
export interface RandomQuery {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const maxDepth = 4;

/** Generates queries of a schema: aliases, fragments, directives, variables and repeated fields. */
export function randomQuery(schema: GraphQLSchema, random: Random): RandomQuery {
  return new QueryWriter(schema, random).query();
}

class QueryWriter {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #fragments: string[] = [];
  readonly #fragmentTypes: GraphQLCompositeType[] = [];
  readonly #declared: string[] = ['$on: Boolean!', '$off: Boolean = false'];
  readonly #variables: Record<string, unknown> = { on: true };
  readonly #hasDirectives: boolean;
  #keys = 0;

  constructor(schema: GraphQLSchema, random: Random) {
    this.#schema = schema;
    this.#random = random;
    this.#hasDirectives = random.chance(0.5);
  }

  query(): RandomQuery {
    const selection = this.#selection(this.#schema.getQueryType() as GraphQLCompositeType, 0);
    const text = `query (${this.#declared.join(', ')}) ${selection}\n${this.#fragments.join('\n')}`;
    return { text, variables: this.#variables };
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const count = 1 + this.#random.below(4);
    const selected = Array.from({ length: count }, () => this.#member(type, depth));
    return `{ ${selected.join(' ')} }`;
  }

  #member(type: GraphQLCompositeType, depth: number): string {
    if (depth > 0 && depth < maxDepth && this.#random.chance(0.3))
      return this.#fragment(type, depth);
    const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
    const usable = fields.filter(
      (field) => depth < maxDepth || !isCompositeType(getNamedType(field.type)),
    );
    const [first, ...others] = usable;
    if (!first || this.#random.chance(0.05)) return `k${this.#keys++}: __typename`;

    const field = this.#random.pick([first, ...others]);
    const head = this.#head(field);
    const one = () => `${head}${this.#directive()}${this.#below(field, depth)}`;
    return this.#random.chance(0.2) ? `${one()} ${one()}` : one();
  }

  #head(field: GraphQLField<unknown, unknown>): string {
    const args = field.args.flatMap((arg) =>
      isRequiredArgument(arg) || this.#random.chance(0.3)
        ? [`${arg.name}: ${this.#argument(arg.type)}`]
        : [],
    );
    return `k${this.#keys++}: ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}`;
  }

  #below(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    return isCompositeType(type) ? ` ${this.#selection(type, depth + 1)}` : '';
  }

  #fragment(type: GraphQLCompositeType, depth: number): string {
    const spreadable = this.#fragmentTypes.flatMap((each, index) =>
      each && doTypesOverlap(this.#schema, each, type) ? [index] : [],
    );
    const [first, ...others] = spreadable;
    if (first !== undefined && this.#random.chance(0.4))
      return `...F${this.#random.pick([first, ...others])}${this.#directive()}`;

    const on = this.#condition(type);
    const selection = this.#selection(on ?? type, depth + 1);
    if (on && this.#random.chance(0.4)) {
      // Known only now, so that no fragment contains itself.
      const name = `F${this.#fragmentTypes.push(on) - 1}`;
      this.#fragments.push(`fragment ${name} on ${on.name} ${selection}`);
      return `...${name}${this.#directive()}`;
    }

    return `...${on ? ` on ${on.name}` : ''}${this.#directive()} ${selection}`;
  }

  #condition(type: GraphQLCompositeType): GraphQLCompositeType | undefined {
    const types = Object.values(this.#schema.getTypeMap()).filter(
      (each): each is GraphQLCompositeType =>
        isCompositeType(each) &&
        !each.name.startsWith('__') &&
        doTypesOverlap(this.#schema, each, type),
    );
    const narrow = isAbstractType(type) ? types.filter(isObjectType) : types;
    const [first, ...others] = narrow;
    return first && this.#random.chance(0.8) ? this.#random.pick([first, ...others]) : undefined;
  }

  #directive(): string {
    if (!this.#hasDirectives || this.#random.chance(0.7)) return '';
    const condition = this.#random.pick(['$on', '$off', 'true', 'false']);
    return ` @${this.#random.pick(['skip', 'include'])}(if: ${condition})`;
  }

  #argument(type: GraphQLInputType): string {
    const { literal, json } = this.#input(type);
    if (this.#random.chance(0.5)) return literal;

    const name = `v${this.#declared.length}`;
    const nullable = isNonNullType(type) ? type.ofType : type;
    this.#declared.push(`$${name}: ${String(nullable)} = ${literal}`);
    // Null is valid for the variable, and not for the argument.
    if (this.#random.chance(0.5)) this.#variables[name] = this.#random.chance(0.2) ? null : json;
    return `$${name}`;
  }

  #input(type: GraphQLInputType): { readonly literal: string; readonly json: unknown } {
    if (isNonNullType(type)) return this.#input(type.ofType);
    if (isListType(type)) {
      const item = this.#input(type.ofType);
      return { literal: `[${item.literal}]`, json: [item.json] };
    }
    if (isEnumType(type)) {
      const name = type.getValues()[0]?.name ?? '';
      return { literal: name, json: name };
    }
    if (isInputObjectType(type)) {
      const all = Object.values(type.getFields());
      const fields = type.isOneOf ? all.slice(0, 1) : all.filter(isRequiredInputField);
      const members = fields.map((field) => ({ name: field.name, ...this.#input(field.type) }));
      return {
        literal: `{${members.map(({ name, literal }) => `${name}: ${literal}`).join(', ')}}`,
        json: Object.fromEntries(members.map(({ name, json }) => [name, json])),
      };
    }
    if (type.name === 'Boolean') return { literal: 'true', json: true };
    if (type.name === 'Int' || type.name === 'Float') return { literal: '3', json: 3 };
    return { literal: '"text"', json: 'text' };
  }
}
