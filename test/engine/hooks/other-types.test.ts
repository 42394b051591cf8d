import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HookSetting } from '../../../src/shared/hooks';
import { reply } from '../../support/scripted-api-replies';
import { endOf, ofType, reasonsOf, saidIn, sessionsOfFile } from '../query/support';
import { hook } from './support';

const open = sessionsOfFile();
let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** A server that answers every request alike and keeps what it was sent. */
async function serve(status: number, body: string, headers: Record<string, string> = {}) {
  const seen: { body: Record<string, unknown>; headers: IncomingHttpHeaders }[] = [];
  const started = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    seen.push({ body: JSON.parse(text), headers: request.headers });
    response.writeHead(status, headers).end(body);
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return { seen, url: `http://127.0.0.1:${(started.address() as AddressInfo).port}/hook` };
}

describe('hooks over HTTP', () => {
  it('are sent the event and answer as commands do', async () => {
    const { seen, url } = await serve(200, '{"decision":"block","reason":"Not today."}');
    const http: Partial<HookSetting> = {
      type: 'http',
      headers: { Authorization: `Bearer $TOWN-$\{SECRET}` },
      allowedEnvVars: ['TOWN'],
    };
    const t = await open([reply('Fine.')], {
      settings: {
        env: { TOWN: 'Delft', SECRET: 'x' },
        hooks: [hook('UserPromptSubmit', url, http)],
      },
    });
    expect(endOf(await t.run('hello')).text).toContain('Not today.');
    expect(seen[0]?.body).toMatchObject({ hook_event_name: 'UserPromptSubmit', prompt: 'hello' });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer Delft-',
      'content-type': 'application/json',
    });
  });

  it.each([
    [500, 'no', {}, 'status 500'],
    [302, '', { location: 'http://127.0.0.1:9/' }, 'status 302'],
  ] as const)(
    'that answer %i block nothing and follow nowhere',
    async (status, body, headers, note) => {
      const { url } = await serve(status, body, headers);
      const t = await open([reply('Fine.')], {
        settings: { hooks: [hook('UserPromptSubmit', url, { type: 'http' })] },
      });
      const events = await t.run('hello');
      expect(endOf(events).terminal).toBe('completed');
      expect(ofType(events, 'hook_settled')[0]?.report).toMatchObject({
        outcome: 'failed',
        note: expect.stringContaining(note),
      });
    },
  );
});

describe('hooks that ask a model', () => {
  const judge = hook('Stop', 'Were the tests run? $ARGUMENTS', { type: 'prompt' });

  it('send the model back to work with the reason, and pass when it is content', async () => {
    const answers = ['```json\n{"ok": false, "reason": "Run the tests."}\n```', '{"ok": true}'];
    const t = await open(
      ({ body }) =>
        reply(
          JSON.stringify(body.messages).includes('Were the tests run?')
            ? (answers.shift() ?? '')
            : 'Done.',
        ),
      { settings: { hooks: [judge] } },
    );
    const events = await t.run('go');
    expect(reasonsOf(events)).toEqual(['stop_hook_blocking']);
    expect(saidIn(t.api, 1)).toContain('last_assistant_message');
    expect(saidIn(t.api, 2)).toContain('Run the tests.');
    expect(ofType(events, 'side_call').map(({ purpose }) => purpose)).toEqual(['hook', 'hook']);
  });

  it('block nothing when the answer is something else', async () => {
    const t = await open(() => reply('Perhaps.'), { settings: { hooks: [judge] } });
    const events = await t.run('go');
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'hook_settled')[0]?.report.note).toContain('than was asked: Perhaps.');
  });
});
