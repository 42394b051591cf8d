import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startScriptedApi } from '../../support/scripted-api';
import { lathe, makeWorkspace } from './lathe';

interface SettledCall {
  readonly from: number;
  readonly to: number;
}

/** Returns when each call ran, as the session's file says. */
async function callsOf(latheHome: string): Promise<SettledCall[]> {
  const names = await readdir(latheHome, { recursive: true });
  const log = names.find((name) => name.endsWith('.jsonl')) ?? '';
  const lines = (await readFile(join(latheHome, log), 'utf8')).trim().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .flatMap((line) => {
      const event = line.event ?? line;
      if (event.type !== 'call_settled') return [];
      const at = line.at ?? event.at;
      return [{ from: at - event.durationMs, to: at }];
    });
}

test('four sleeping commands of one response run at the same time, unasked, and come back in order', async () => {
  const workspace = await makeWorkspace();
  const commands = [1, 2, 3, 4].map((n) => `sleep 0.5; echo slept ${n}`);
  const api = await startScriptedApi([
    {
      kind: 'message',
      blocks: commands.map((command) => ({ kind: 'tool_use', name: 'Bash', input: { command } })),
    },
    { kind: 'message', blocks: [{ kind: 'text', text: 'Done.' }] },
  ]);
  try {
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'k' };
    const { finished, child } = lathe(workspace, ['-p', 'go'], env);
    child.stdin.end();
    expect(await finished).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' });
    const calls = await callsOf(workspace.latheHome);
    expect(calls).toHaveLength(4);
    // All of them were running before the first one ended.
    const lastStart = Math.max(...calls.map(({ from }) => from));
    const firstEnd = Math.min(...calls.map(({ to }) => to));
    expect(lastStart).toBeLessThan(firstEnd);
    const results = JSON.stringify(api.requests.at(-1)?.body.messages).match(/"text":"slept \d/g);
    expect(results).toEqual([1, 2, 3, 4].map((n) => `"text":"slept ${n}`));
    expect(api.refusals).toEqual([]);
  } finally {
    await api.close();
    await workspace.remove();
  }
});
