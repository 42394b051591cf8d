import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeFile } from '../../../src/main/engine/sessions/paths';
import { call, jsonl, line } from '../../engine/sessions/other-session';
import { startScriptedApi } from '../../support/scripted-api';
import { lathe, makeWorkspace } from './lathe';

const ID = '9d0c2a44-11aa-4c33-8d55-0c9e2f7b1a20';

test('--resume goes on with a copy of a session of Claude Code, in which a call was cut (samples, SES-011)', async () => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi(
    () => ({ kind: 'message', blocks: [{ kind: 'text', text: 'It goes on.' }] }),
    { apiKey: 'test-key' },
  );
  try {
    const file = claudeFile(join(workspace.home, '.claude'), workspace.project, ID);
    const content = jsonl([
      line('user', 'u0', null, 'm0'),
      line('assistant', 'a1', 'u0', [call('t1')]),
    ]);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    const run = async (...words: string[]) => {
      const { finished, child } = lathe(workspace, ['-p', 'go on', ...words], {
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'test-key',
      });
      child.stdin.end();
      return finished;
    };
    const first = await run('--resume', ID);
    expect(first).toMatchObject({ code: 0, stdout: 'It goes on.\n' });
    expect(first.stderr).toContain(`${ID} is a session of Claude Code: a copy of it goes on here`);
    expect(api.refusals).toEqual([]);
    const sent = JSON.stringify(api.requests.at(-1)?.body);
    expect(sent).toContain('"m0"');
    expect(sent).toContain('"tool_use_id":"t1"');
    expect(sent).toContain('has no result');
    expect(await readFile(file, 'utf8')).toBe(content);
    // The copy is a session like any other.
    expect(await run('--continue')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.stringify(api.requests.at(-1)?.body)).toContain('It goes on.');
    expect(await readdir(dirname(file))).toContain(`${ID}.jsonl`);
    expect(await run('--resume', ID.replace('9', '8'))).toMatchObject({ code: 1 });
    // A fork that is given the same id is a copy all the same.
    const named = await run('--resume', ID, '--fork-session', '--session-id', ID);
    expect(named).toMatchObject({ code: 0 });
    expect(named.stderr).toContain(`a copy of it goes on here as ${ID}`);
  } finally {
    await api.close();
    await workspace.remove();
  }
});
