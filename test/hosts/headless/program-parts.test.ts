import { expect, it } from 'vitest';
import { createProgramDialogs } from '../../../src/main/hosts/headless/program-dialogs';
import { createProgramElicit } from '../../../src/main/hosts/headless/program-elicit';
import type { ProgramLink } from '../../../src/main/hosts/headless/program-link';
import { readInitialize } from '../../../src/main/hosts/headless/program-parts';
import { err, ok, type Result } from '../../../src/shared/result';
import { memoryClock } from '../../support/memory-clock';

const ASKED = {
  folder: '/p',
  trust: false,
  fork: false,
  allowedTools: [],
  disallowedTools: [],
  addDirectories: [],
};

/** A program that answers every request with the same. */
function program(answer: Result<Record<string, unknown>, string>) {
  const asked: unknown[] = [];
  const link: ProgramLink = {
    ask: async (request) => {
      asked.push(request);
      return answer;
    },
    answered: () => {},
    close: () => {},
  };
  return { link, asked };
}

const begin = (hooks: object) =>
  readInitialize({ subtype: 'initialize', hooks }, ASKED, {
    link: program(ok({})).link,
    clock: memoryClock(),
    questions: program(ok({})).link,
    tell: async () => {},
    effects: () => null,
  });

it('takes hooks of moments that never come here, and refuses those of an event that nobody knows', () => {
  const group = [{ hookCallbackIds: ['hook_0'] }];
  expect(begin({ TaskCreated: group, TaskCompleted: group, PostModelSwitch: group }).ok).toBe(true);
  expect(begin({ BeforeLunch: group })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('hooks.BeforeLunch: Lathe has no such event') },
  });
});

it.each(['settings', 'managedSettings'])(
  'refuses %s that the command line gives too: what one of the two denies would be lost',
  (name) => {
    const denies = { permissions: { deny: ['Bash'] } };
    const twice = readInitialize(
      { subtype: 'initialize', [name]: denies },
      { ...ASKED, [name]: JSON.stringify(denies) },
      {
        ...{ link: program(ok({})).link, clock: memoryClock(), questions: null },
        ...{ tell: async () => {}, effects: () => null },
      },
    );
    expect(twice).toMatchObject({ ok: false, error: { message: expect.stringContaining(name) } });
  },
);

const { signal } = new AbortController();
const form = {
  server: 'srv',
  params: {
    message: 'Who?',
    requestedSchema: {
      type: 'object' as const,
      properties: { b: { type: 'string' as const }, a: { type: 'string' as const } },
    },
  },
};

it('puts questions of tool servers to the program, and takes its answer', async () => {
  const { link, asked } = program(ok({ action: 'accept', content: { a: 'x' } }));
  expect(await createProgramElicit(link)(form, signal)).toEqual({
    action: 'accept',
    content: { a: 'x' },
  });
  expect(asked).toEqual([
    {
      subtype: 'elicitation',
      mcp_server_name: 'srv',
      message: 'Who?',
      mode: 'form',
      requested_schema: form.params.requestedSchema,
      property_order: ['b', 'a'],
      input: {},
    },
  ]);
});

it.each([
  ['refuses', err('no')],
  ['answers something else', ok({ behavior: 'allow' })],
  ['answers what no form has', ok({ action: 'accept', content: { a: { b: 1 } } })],
])('declines when the program %s', async (_, answer) => {
  expect(await createProgramElicit(program(answer).link)(form, signal)).toEqual({
    action: 'decline',
  });
});

const OFFER = { from: 'opus', to: 'haiku', refusal: { category: 'bio', explanation: 'Not that.' } };
const KINDS = ['refusal_fallback_prompt'];

it.each([
  [{ behavior: 'completed', result: 'retry_fallback' }, 'retry'],
  [{ behavior: 'completed', result: 'edit_prompt' }, 'edit'],
  [{ behavior: 'completed', result: 'cancelled' }, 'refused'],
  [{ behavior: 'completed', result: 'whatever' }, 'refused'],
  [{ behavior: 'completed' }, 'refused'],
  [{ behavior: 'cancelled' }, 'refused'],
  [{ result: 'retry_fallback' }, 'refused'],
])('%j to the dialog about another model means: %s', async (answer, wish) => {
  const { link, asked } = program(ok(answer));
  const { askStandIn } = createProgramDialogs(link, memoryClock(), KINDS);
  expect(await askStandIn?.(OFFER, signal)).toBe(wish);
  expect(asked).toEqual([
    {
      ...{ subtype: 'request_user_dialog', dialog_kind: 'refusal_fallback_prompt' },
      payload: {
        ...{ originalModel: 'opus', fallbackModel: 'haiku', apiRefusalCategory: 'bio' },
        guidanceText: expect.stringMatching(/^opus declined to answer\. Not that\. haiku can/),
        retractedMessageUuids: [],
      },
    },
  ]);
});

it('a dialog that nobody answers is taken back after a while, and one that a program cannot show is not sent', async () => {
  const clock = memoryClock();
  const ask: ProgramLink['ask'] = (_, until) =>
    new Promise((resolve) => {
      until.addEventListener('abort', () => resolve(err('it was withdrawn')), { once: true });
    });
  const { askStandIn } = createProgramDialogs({ ask }, clock, KINDS);
  const wish = askStandIn?.(OFFER, signal);
  clock.advance(5 * 60_000);
  expect(await wish).toBe('refused');
  expect(createProgramDialogs({ ask }, clock, ['another'])).toEqual({});
});
