import { createHash } from 'node:crypto';
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { FormField, FormValues, formProblems, MAX_FORM_FIELDS } from '../../../shared/form';
import type { ApprovalSubject } from '../../../shared/permission';
import { plainLine } from '../../../shared/plain-line';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { SessionHooks } from '../hooks/session-hooks';
import type { Elicited } from '../hooks/told-facts';
import type { Broker } from '../permissions/broker';
import type { Ids } from '../ports';

/** Questions of one server that may wait at a time; it is told no for more. */
const MAX_WAITING = 3;
/** The longest message of a server to a user. Characters. */
const MAX_MESSAGE_CHARS = 4000;

/** A question of a tool server to the user, as it came. */
export interface Elicitation {
  readonly server: string;
  readonly params: ElicitRequestParams;
}

/** Answers a question of a tool server: `accept` with what was filled in, `decline`, or `cancel`. Never rejects. */
export type Elicit = (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitResult>;

const DECLINED: ElicitResult = { action: 'decline' };
const CANCELLED: ElicitResult = { action: 'cancel' };

/** Creates what puts questions of servers before the user; null: nobody can be asked, so each is declined. */
export function createElicit(broker: Broker | null, ids: Ids): Elicit {
  const waiting = new Map<string, number>();
  return async ({ server, params }, signal) => {
    const subject = readElicitation(server, params);
    const open = waiting.get(server) ?? 0;
    if (broker === null || !subject.ok || open >= MAX_WAITING) return DECLINED;
    waiting.set(server, open + 1);
    try {
      const answer = await broker.ask(
        {
          approval: {
            id: ids.next('apr'),
            callId: '',
            tool: 'Elicitation',
            title: `${server} asks you`,
            subject: subject.value,
            decision: {
              behavior: 'ask',
              reason: 'a tool server asks; what you answer goes to it alone',
              why: [],
              suggestions: [],
            },
            digest: createHash('sha256').update(JSON.stringify(subject.value)).digest('base64url'),
          },
        },
        signal,
      );
      if (signal.aborted) return CANCELLED;
      if (answer.behavior === 'form') return { action: 'accept', content: answer.values };
      if (answer.behavior === 'allow') return { action: 'accept' };
      return DECLINED;
    } finally {
      waiting.set(server, (waiting.get(server) ?? 1) - 1);
    }
  };
}

/** Has hooks answer questions of servers in the user's place, and hear what goes to a server in the end. */
export const withHooks =
  (
    elicit: Elicit,
    hooks: () => Pick<SessionHooks, 'has' | 'onElicitation' | 'onElicited'> | null,
  ): Elicit =>
  async (elicitation, signal) => {
    const now = hooks();
    const asked = askedOf(elicitation);
    const own = now?.has('Elicitation') ? await now.onElicitation(asked, signal) : null;
    const given = own ?? (await elicit(elicitation, signal));
    if (!now?.has('ElicitationResult')) return given;
    return (await now.onElicited(asked, given, signal)) ?? given;
  };

/** Returns a question of a server as hooks are told of it. */
function askedOf({ server, params }: Elicitation): Elicited {
  const { message } = params;
  return params.mode === 'url'
    ? { server, message, mode: 'url', url: params.url, id: params.elicitationId }
    : { server, message, mode: 'form', schema: params.requestedSchema };
}

/** A question of a server as it is shown. */
type ElicitationSubject = Extract<ApprovalSubject, { kind: 'form' | 'visit' }>;

/** Reads a question of a server. The error says what no form can be made of. Pure. */
export function readElicitation(
  server: string,
  params: ElicitRequestParams,
): Result<ElicitationSubject> {
  const message = params.message.slice(0, MAX_MESSAGE_CHARS);
  if (params.mode === 'url') {
    const { protocol } = URL.parse(params.url) ?? {};
    return protocol === 'https:' || protocol === 'http:'
      ? ok({ kind: 'visit', server, message, url: params.url })
      : err(fault('bad_address', 'That is no address with http or https.'));
  }
  const { properties, required = [] } = params.requestedSchema;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FORM_FIELDS)
    return err(fault('bad_form', `The form has more than ${MAX_FORM_FIELDS} fields.`));
  const fields: FormField[] = [];
  for (const [name, property] of entries) {
    const field = FormField.safeParse(fieldOf(name, property, required.includes(name)));
    if (!field.success) return err(fault('bad_form', `"${name}" is no field that can be shown.`));
    fields.push(withoutBadDefault(field.data));
  }
  return ok({ kind: 'form', server, message, fields });
}

/** The parts of a property that a field can be made of. What does not fit is left out of the field. */
const Property = z.looseObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(z.object({ const: z.string(), title: z.string().optional() })).optional(),
  items: z
    .looseObject({
      enum: z.array(z.string()).optional(),
      anyOf: z.array(z.object({ const: z.string(), title: z.string().optional() })).optional(),
    })
    .optional(),
});

function fieldOf(name: string, property: unknown, required: boolean): unknown {
  const parsed = Property.safeParse(property);
  if (!parsed.success) return null;
  const { type, title, description, default: given, ...rest } = parsed.data;
  const common = {
    name,
    title: plainLine(title ?? name, 300),
    ...(description === undefined ? {} : { description: description.slice(0, 2000) }),
    required,
  };
  const named = (
    options: readonly { readonly const: string; readonly title?: string | undefined }[],
  ) =>
    options.map(({ const: value, title: shown = value }) => ({
      value,
      title: plainLine(shown, 500),
    }));
  switch (type) {
    case 'boolean':
      return { type, ...common, ...defined({ default: given }) };
    case 'number':
    case 'integer': {
      const { minimum, maximum } = rest;
      const limits = defined({ default: given, minimum, maximum });
      return { type: 'number', integer: type === 'integer', ...common, ...limits };
    }
    case 'array': {
      const { enum: values = [], anyOf } = rest.items ?? {};
      const options =
        anyOf === undefined ? named(values.map((value) => ({ const: value }))) : named(anyOf);
      const limits = defined({
        minimum: rest['minItems'],
        maximum: rest['maxItems'],
        default: given,
      });
      return { type: 'choice', multiple: true, options, ...common, ...limits };
    }
    case 'string': {
      const { enum: values, enumNames = [], oneOf, minLength, maxLength, format } = rest;
      if (values === undefined && oneOf === undefined) {
        const known = FORMATS.has(String(format)) ? { format } : {};
        return {
          type: 'text',
          ...common,
          ...known,
          ...defined({ default: given, minLength, maxLength }),
        };
      }
      const options =
        oneOf === undefined
          ? named((values ?? []).map((value, at) => ({ const: value, title: enumNames[at] })))
          : named(oneOf);
      const chosen = given === undefined ? {} : { default: [given] };
      return { type: 'choice', multiple: false, options, ...common, ...chosen };
    }
  }
}

const FORMATS: ReadonlySet<string> = new Set(['email', 'uri', 'date', 'date-time']);

const defined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Leaves a default out that the field itself would refuse. */
function withoutBadDefault(field: FormField): FormField {
  const value = field.type === 'choice' && !field.multiple ? field.default?.[0] : field.default;
  const values = FormValues.safeParse(value === undefined ? {} : { [field.name]: value });
  const fits =
    values.success && formProblems([{ ...field, required: false }], values.data).length === 0;
  if (fits) return field;
  const { default: _, ...rest } = field;
  return rest;
}
