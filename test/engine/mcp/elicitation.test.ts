import { describe, expect, it } from 'vitest';
import {
  createElicit,
  type Elicitation,
  readElicitation,
} from '../../../src/main/engine/mcp/elicitation';
import { type Broker, createBroker } from '../../../src/main/engine/permissions/broker';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Approval } from '../../../src/shared/permission';

const form = (properties: object, required: string[] = []): Elicitation['params'] => ({
  message: 'Who?',
  requestedSchema: { type: 'object', properties: properties as never, required },
});
const fields = (properties: object, required: string[] = []) => {
  const read = readElicitation('srv', form(properties, required));
  return read.ok && read.value.kind === 'form' ? read.value.fields : read;
};

describe('a question of a tool server', () => {
  it('becomes a form with every kind of field', () => {
    expect(
      fields(
        {
          name: { type: 'string', title: 'Name', minLength: 1, default: 'Ann' },
          age: { type: 'integer', minimum: 0, default: 3 },
          ok: { type: 'boolean', default: true },
          friend: {
            type: 'string',
            enum: ['m', 'r'],
            enumNames: ['Monica', 'Rachel'],
            default: 'm',
          },
          hero: { type: 'string', oneOf: [{ const: 'h', title: 'Hero' }] },
          fish: { type: 'array', minItems: 1, items: { anyOf: [{ const: 'f', title: 'Tuna' }] } },
        },
        ['name'],
      ),
    ).toEqual([
      { type: 'text', name: 'name', title: 'Name', required: true, minLength: 1, default: 'Ann' },
      {
        type: 'number',
        integer: true,
        name: 'age',
        title: 'age',
        required: false,
        minimum: 0,
        default: 3,
      },
      { type: 'boolean', name: 'ok', title: 'ok', required: false, default: true },
      {
        type: 'choice',
        multiple: false,
        name: 'friend',
        title: 'friend',
        required: false,
        options: [
          { value: 'm', title: 'Monica' },
          { value: 'r', title: 'Rachel' },
        ],
        default: ['m'],
      },
      {
        type: 'choice',
        multiple: false,
        name: 'hero',
        title: 'hero',
        required: false,
        options: [{ value: 'h', title: 'Hero' }],
      },
      {
        type: 'choice',
        multiple: true,
        name: 'fish',
        title: 'fish',
        required: false,
        options: [{ value: 'f', title: 'Tuna' }],
        minimum: 1,
      },
    ]);
  });

  it('loses a default that does not fit, and is refused when no form can be made of it', () => {
    expect(fields({ n: { type: 'integer', maximum: 2, default: 3 } })).toMatchObject([
      { name: 'n', maximum: 2 },
    ]);
    expect(
      JSON.stringify(fields({ n: { type: 'integer', default: 3, maximum: 2 } })),
    ).not.toContain('default');
    expect(fields({ o: { type: 'object' } })).toMatchObject({ ok: false });
    expect(
      fields(
        Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: 'string' }])),
      ),
    ).toMatchObject({ ok: false, error: { message: 'The form has more than 50 fields.' } });
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'x'])('opens no %s', (url) => {
    const params = { mode: 'url', message: 'Go', url, elicitationId: 'e' } as const;
    expect(readElicitation('srv', params)).toMatchObject({ ok: false });
  });
});

describe('asking', () => {
  let made = 0;
  const ids = { next: (kind: string) => `${kind}_${++made}`, uuid: () => 'u' };
  const open = () => {
    const asked: Approval[] = [];
    const broker: Broker = createBroker((event: AgentEvent) => {
      if (event.type === 'approval_requested') asked.push(event.approval);
    });
    return { broker, asked, elicit: createElicit(broker, ids) };
  };
  const question = { server: 'srv', params: form({ n: { type: 'string' } }, ['n']) };
  const { signal } = new AbortController();

  it('declines where nobody can be asked', async () => {
    expect(await createElicit(null, ids)(question, signal)).toEqual({ action: 'decline' });
  });

  it('takes only what fits the form, and gives it to the server', async () => {
    const { broker, asked, elicit } = open();
    const answer = elicit(question, signal);
    const id = asked[0]?.id ?? '';
    expect(await broker.answer(id, { behavior: 'form', values: {} })).toMatchObject({
      error: { message: 'n: This is needed.' },
    });
    expect(
      await broker.answer(id, { behavior: 'allow', digest: asked[0]?.digest ?? '' }),
    ).toMatchObject({ ok: false });
    expect(await broker.answer(id, { behavior: 'form', values: { n: 'x' } })).toMatchObject({
      ok: true,
    });
    expect(await answer).toEqual({ action: 'accept', content: { n: 'x' } });
  });

  it('declines for the user, and cancels what is withdrawn', async () => {
    const { broker, asked, elicit } = open();
    const declined = elicit(question, signal);
    await broker.answer(asked[0]?.id ?? '', { behavior: 'deny' });
    expect(await declined).toEqual({ action: 'decline' });
    const stop = new AbortController();
    const cancelled = elicit(question, stop.signal);
    stop.abort();
    expect(await cancelled).toEqual({ action: 'cancel' });
  });

  it('lets no server fill the screen with questions', async () => {
    const { broker, asked, elicit } = open();
    const first = [1, 2, 3].map(() => elicit(question, signal));
    expect(await elicit(question, signal)).toEqual({ action: 'decline' });
    expect(asked).toHaveLength(3);
    broker.denyAll();
    await Promise.all(first);
  });
});
