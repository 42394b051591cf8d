import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HookSetting } from '../../../src/shared/hooks';
import { hold, reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, reasonsOf, saidIn, sessionsOfFile } from '../query/support';
import { until } from '../tasks/set-up';
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

describe('hooks that send an agent', () => {
  const judge = hook('Stop', 'Is VERSION raised? $ARGUMENTS', { type: 'agent' });
  const isJudge = ({ body }: { readonly body: { readonly system?: unknown } }) =>
    JSON.stringify(body.system).includes('You check a condition for a hook');

  it('have it look for itself, and send the model back to work with its reason', async () => {
    const judging = [
      reply([toolUse('Read', { file_path: 'VERSION' }, 'v1')]),
      reply('I looked. {"ok": false, "reason": "VERSION still says 1."}'),
      reply('{"ok": true}'),
    ];
    const t = await open(
      (request) => (isJudge(request) ? (judging.shift() ?? reply('?')) : reply('Done.')),
      { settings: { hooks: [judge] } },
    );
    await writeFile(join(t.project, 'VERSION'), '1');
    const events = await t.run('go');
    expect(reasonsOf(events)).toContain('stop_hook_blocking');
    expect(endOf(events).terminal).toBe('completed');
    const asked = t.api.requests.filter(isJudge);
    expect(asked).toHaveLength(3);
    expect(JSON.stringify(asked[0]?.body.messages)).toContain('last_assistant_message');
    expect(JSON.stringify(asked[1]?.body.messages)).toContain('1\\t1');
    expect(asked[0]?.body.model).toBe(t.services.smallModel());
    const main = t.api.requests.filter((request) => !isJudge(request));
    expect(JSON.stringify(main[1]?.body.messages)).toContain('VERSION still says 1.');
    expect(t.session.log.transcript().agents.map(({ type, title }) => [type, title])).toEqual([
      ['hook', 'Is VERSION raised? $ARGUMENTS'],
      ['hook', 'Is VERSION raised? $ARGUMENTS'],
    ]);
  });

  it('change nothing, and no hook sends an agent after their agent', async () => {
    const judging = [reply([toolUse('Edit', EDIT, 'e1'), toolUse('Read', EDIT, 'r1')])];
    const t = await open(
      (request) => {
        if (isJudge(request)) return judging.shift() ?? reply('{"ok": true}');
        return t.api.requests.length === 1
          ? reply([toolUse('Read', { file_path: 'a.txt' }, 'm1')])
          : reply('Done.');
      },
      {
        settings: {
          hooks: [
            hook('PreToolUse', 'May it be read?', { type: 'agent' }),
            hook('SubagentStop', 'Is it over?', { type: 'prompt' }),
          ],
        },
      },
    );
    await writeFile(join(t.project, 'a.txt'), 'one');
    const events = await t.run('go');
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'hook_settled').map(({ report }) => report.event)).toEqual([
      'PreToolUse',
    ]);
    expect(await readFile(join(t.project, 'a.txt'), 'utf8')).toBe('one');
    expect(t.session.log.transcript().agents).toHaveLength(1);
  });

  it('refuse a call with their reason, and end with the query', async () => {
    const waits = Promise.withResolvers<void>();
    const judging = [reply('{"ok": false, "reason": "Not on a Friday."}')];
    const t = await open(
      (request) => {
        if (isJudge(request)) return judging.shift() ?? reply([hold(waits.promise), 'late']);
        return reply([toolUse('Read', { file_path: 'a.txt' }, `m${t.api.requests.length}`)]);
      },
      { settings: { hooks: [hook('PreToolUse', 'May it?', { type: 'agent' })] } },
    );
    const refused = await t.run('go');
    expect(ofType(refused, 'call_settled')[0]).toMatchObject({ isError: true });
    expect(JSON.stringify(refused)).toContain('Not on a Friday.');
    const running = t.run('again');
    await until(() => t.api.requests.filter(isJudge).length === 2);
    t.session.main.engine.interrupt('stopped');
    expect(endOf(await running).terminal).toMatch(/^aborted/);
    waits.resolve();
  });

  it('block nothing when it says something else', async () => {
    const t = await open((request) => reply(isJudge(request) ? 'Perhaps.' : 'Done.'), {
      settings: { hooks: [judge] },
    });
    const events = await t.run('go');
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'hook_settled')[0]?.report.note).toContain('than was asked: Perhaps.');
  });
});

const EDIT = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };

describe('hooks that run once', () => {
  it('run no second time in a session', async () => {
    const asks = (run: string, more: object) =>
      hook('UserPromptSubmit', run, { type: 'prompt', ...more });
    const t = await open(() => reply('{"ok": true}'), {
      settings: { hooks: [asks('The first?', { once: true }), asks('Each?', { line: 2 })] },
    });
    const runs = async () =>
      ofType(await t.run('hello'), 'hook_settled').map(({ report }) => report.run);
    expect(await runs()).toEqual(['The first?', 'Each?']);
    expect(await runs()).toEqual(['Each?']);
  });
});
