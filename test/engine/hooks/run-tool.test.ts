import { expect, it } from 'vitest';
import { type CallServerTool, runToolHook } from '../../../src/main/engine/hooks/run-tool';
import type { HookSetting } from '../../../src/shared/hooks';
import { err, ok } from '../../../src/shared/result';

const EVENT = JSON.stringify({
  hook_event_name: 'PreToolUse',
  cwd: '/p',
  tool_input: { file_path: '/p/a $1.txt', lines: [1, 2], deep: { on: true } },
});
const { signal } = new AbortController();

async function runWith(
  input: Readonly<Record<string, unknown>>,
  answer: Awaited<ReturnType<CallServerTool>> = ok(''),
  more: Partial<HookSetting> = {},
) {
  const calls: unknown[] = [];
  const end = await runToolHook(
    { event: 'PreToolUse', call: { server: 's', tool: 't', input }, ...more },
    EVENT,
    async (server, tool, given) => {
      calls.push([server, tool, given]);
      return answer;
    },
    signal,
  );
  return { end, calls };
}

/** Returns what stands for a place in the event. */
const at = (path: string) => `$\{${path}}`;

it.each([
  [{ path: at('tool_input.file_path') }, { path: '/p/a $1.txt' }],
  [{ path: `<${at(' cwd ')}/${at('tool_input.lines')}>` }, { path: '</p/[1,2]>' }],
  [{ a: [at('tool_input.deep'), 5, null] }, { a: ['{"on":true}', 5, null] }],
  [{ a: { b: at('tool_input.deep.on') } }, { a: { b: 'true' } }],
  [{ a: at('nothing.here') + at('tool_input.lines.7') }, { a: '' }],
  [{ a: at('constructor') + at('tool_input.__proto__') }, { a: '' }],
  [{ a: `$HOME ${at('')}` }, { a: `$HOME ${at('')}` }],
])('%j is given as %j', async (input, given) => {
  expect((await runWith(input)).calls).toEqual([['s', 't', given]]);
});

it.each<[Awaited<ReturnType<CallServerTool>>, Partial<HookSetting>, object]>([
  [ok(' {"continue":false} '), {}, { kind: 'exited', exitCode: 0, stdout: '{"continue":false}' }],
  [ok('plain words'), {}, { kind: 'exited', exitCode: 0, stdout: 'plain words' }],
  [err('That server is not connected.'), {}, { kind: 'failed', message: /not connected/ }],
  [ok('plain words'), { onFailure: 'block' }, { kind: 'failed', message: /else than JSON/ }],
  [ok(''), { onFailure: 'block' }, { kind: 'exited', exitCode: 0, stdout: '' }],
  [ok('/w'), { onFailure: 'block', event: 'WorktreeCreate' }, { kind: 'exited', stdout: '/w' }],
  [ok(''), { call: undefined }, { kind: 'failed', message: /names no tool/ }],
])('an answer of %j with %j ends as %j', async (answer, more, wanted) => {
  const { end } = await runWith({}, answer, more);
  const { message, ...rest } = wanted as { readonly message?: RegExp };
  expect(end).toMatchObject(rest);
  if (message) expect(end).toMatchObject({ message: expect.stringMatching(message) });
});
