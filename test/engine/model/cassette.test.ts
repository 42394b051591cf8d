import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  fromTape,
  type TapeMode,
  toTape,
  withCassette,
} from '../../../src/main/engine/model/cassette';
import type { ModelClient, ModelEvent } from '../../../src/main/engine/model/model-client';
import { findSecrets, scrub, unscrub } from '../../../src/main/engine/model/scrub';
import { createNodeFiles } from '../../../src/main/node/files';
import { NO_USAGE } from '../../../src/shared/facts';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply, reset, thinking, toolUse } from '../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock } from './fakes';

const KEY = 'sk-ant-test-key-000000';
const PASSWORD = 'correct-horse-battery-staple';
let api: ScriptedApi | null = null;
let folder = '';
afterEach(async () => {
  await api?.close();
  api = null;
  if (folder !== '') await rm(folder, { recursive: true, force: true });
  folder = '';
});

const taped = (mode: TapeMode, project: string) =>
  clientFor(api?.url ?? '', {
    clock: fakeClock(),
    tape: (endpoint) =>
      withCassette(endpoint, {
        mode,
        files: createNodeFiles(),
        clock: fakeClock(),
        folder,
        secrets: [KEY, PASSWORD],
        places: [{ name: '{{project}}', value: project }],
      }),
  });

async function serve(script: Script) {
  folder = await mkdtemp(join(tmpdir(), 'lathe-tapes-'));
  api = await startScriptedApi(script);
}

const cassettes = async () =>
  (
    await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  ).join();

const speak = (project: string) =>
  reply([
    thinking('Where is it?'),
    `Reading ${project}/src/a.ts with ${PASSWORD} and ${KEY}`,
    toolUse('Read', { file_path: `${project}/src/a.ts` }, 'toolu_1'),
  ]);

describe('a cassette', () => {
  it('plays back the same events without a server, also on another machine', async () => {
    const here = '/home/you/the project';
    await serve([error(529), reset(reply('half an answer that is cut'), 5), speak(here)]);
    const request = ask(`look at ${here}/src`);
    const recorded = await collect(taped('record', here), request);
    expect(recorded.at(-1)?.type).toBe('message_finished');
    await api?.close();
    api = null;
    expect(hideSecrets(recorded)).toEqual(
      hideSecrets(await collect(taped('playback', here), request)),
    );

    const there = '/srv/x';
    const elsewhere = await collect(taped('playback', there), ask(`look at ${there}/src`));
    expect(elsewhere).toContainEqual(
      expect.objectContaining({
        type: 'block_finished',
        block: expect.objectContaining({ input: { file_path: '/srv/x/src/a.ts' } }),
      }),
    );
  });

  it('gives a call only when its answer has ended, as playback does', async () => {
    folder = await mkdtemp(join(tmpdir(), 'lathe-tapes-'));
    const input = { file_path: 'a.txt' };
    const answer: readonly ModelEvent[] = [
      { type: 'message_started', messageId: 'msg_1', model: 'm' },
      { type: 'block_started', index: 0, kind: 'tool_use' },
      {
        type: 'block_finished',
        index: 0,
        block: { type: 'tool_use', id: 't', name: 'Read', input },
      },
      { type: 'message_finished', stopReason: 'tool_use', usage: NO_USAGE, costUsd: 0 },
    ];
    const seen: string[] = [];
    const endpoint: ModelClient = {
      stream: async function* () {
        for (const event of answer) {
          seen.push(`sent ${event.type}`);
          yield event;
        }
      },
    };
    const options = {
      mode: 'record' as const,
      files: createNodeFiles(),
      clock: fakeClock(),
      folder,
    };
    const tape = withCassette(endpoint, { ...options, secrets: [], places: [] });
    for await (const { type } of tape.stream(ask('go'), new AbortController().signal)) {
      if (type !== 'alive') seen.push(`given ${type}`);
    }
    expect(seen.slice(-4)).toEqual([
      'sent block_finished',
      'sent message_finished',
      'given block_finished',
      'given message_finished',
    ]);
  });

  it('THREATS 13: holds no key, no password and no place of this machine, and can be read', async () => {
    const here = '/home/you/the project';
    await serve([speak(here)]);
    await collect(taped('record', here), ask(`my password is ${PASSWORD}, in ${here}`));
    const text = await cassettes();
    expect(findSecrets(text, [KEY, PASSWORD])).toEqual([]);
    expect(text).not.toContain(here);
    expect(text).toContain('{{project}}/src/a.ts');
    expect(text.split('\n').length).toBeGreaterThan(40);
  });

  it('says what differs from the nearest recording when none answers', async () => {
    await serve([reply('one'), reply('two')]);
    const recorder = taped('record', '/p');
    await collect(recorder, ask('count the files'));
    await collect(recorder, ask('something else entirely', { model: 'claude-haiku-5-5' }));
    const [failed] = await collect(taped('playback', '/p'), ask('count the folders'));
    expect(failed?.type).toBe('failed');
    const { message = '', fix } = failed?.type === 'failed' ? failed.error : {};
    expect(message).toMatch(/No recording answers this request/);
    expect(message).toMatch(/- "text": "count the files",?\n\+ "text": "count the folders"/);
    expect(message).not.toContain('something else');
    expect(fix).toContain('LATHE_VCR=record');
  });
});

const hideSecrets = (events: readonly ModelEvent[]): unknown =>
  JSON.parse(scrub(JSON.stringify(joined(events)), [KEY, PASSWORD], []));

/** Deltas of one block as one text: a secret may lie across two of them, and is shorter on the tape. */
const joined = (events: readonly ModelEvent[]): readonly ModelEvent[] =>
  events.reduce<ModelEvent[]>((out, event) => {
    const last = out.at(-1);
    if (event.type === 'block_delta' && last?.type === 'block_delta')
      out[out.length - 1] = { ...last, text: last.text + event.text };
    else out.push(event);
    return out;
  }, []);

describe('texts on tape', () => {
  it('come back in the same pieces, however they were cut', () => {
    const pieces = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.string({ minLength: 1 })));
    fc.assert(
      fc.property(pieces, (list) => {
        const events = list.map(([index, text], at) => ({
          at,
          event: { type: 'block_delta' as const, index, text },
        }));
        const tape = JSON.parse(JSON.stringify(toTape(events, (text) => text)));
        expect(fromTape(tape, (text) => text)).toEqual(events);
      }),
    );
  });

  it.each([
    'sk-ant-api03-abcdefghijklmnop',
    'sk-ant-api03-abc',
    'AKIAABCDEFGHIJKLMNOP',
    `ghp_${'a'.repeat(36)}`,
    'Bearer abcdefghijklmnop123',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('never hold %s', (secret) => {
    const clean = scrub(`before ${secret} after`, [], []);
    expect(clean).toBe('before {{secret}} after');
    expect(findSecrets(clean)).toEqual([]);
  });

  it('never hold a known key, however it is written', () => {
    const known = fc.stringMatching(/^[ -~]{8,60}$/);
    const around = fc.string({ maxLength: 5 });
    fc.assert(
      fc.property(known, around, around, (secret, before, after) => {
        const base64 = Buffer.from(before + secret + after).toString('base64');
        const hex = Buffer.from(before + secret + after).toString('hex');
        const json = JSON.stringify(before + secret + after);
        for (const text of [before + secret + after, base64, hex, json]) {
          expect(findSecrets(scrub(text, [secret], []), [secret])).toEqual([]);
          expect(scrub(text, [secret], [])).toContain('{{secret}}');
        }
        const left = Buffer.from(scrub(base64, [secret], []), 'base64').toString();
        expect(left).not.toContain(secret);
      }),
    );
  });

  it('places are replaced from the longest on and put back', () => {
    const places = [
      { name: '{{home}}', value: '/home/you' },
      { name: '{{project}}', value: '/home/you/p' },
    ];
    const text = 'cd /home/you/p && ls /home/you';
    expect(scrub(text, [], places)).toBe('cd {{project}} && ls {{home}}');
    expect(unscrub(scrub(text, [], places), places)).toBe(text);
  });
});
