import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Script, startScriptedApi } from '../../support/scripted-api';
import { error, reply, thinking, toolUse, truncated } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

const KEY = 'sk-test-0123456789abcdef';
const PASSWORD = 'correct-horse-battery';
const BASE64 = Buffer.from(`user:${PASSWORD}`).toString('base64');

let tapes = '';
const workspaces: Workspace[] = [];
beforeEach(async () => {
  tapes = await mkdtemp(join(tmpdir(), 'lathe-tapes-'));
});
afterEach(async () => {
  await rm(tapes, { recursive: true, force: true });
  for (const workspace of workspaces.splice(0)) await workspace.remove();
});

/** An overload, thinking, calls that read and print, a broken stream, a task in the background that is asked for. */
const scriptWith =
  (secrets: string): Script =>
  (request, number) => {
    switch (number) {
      case 0:
        return error(529);
      case 1:
        return reply([
          thinking('Where?'),
          'Looking.',
          toolUse('Bash', { command: `cat a.txt; date; pwd; echo ${secrets}` }, 'toolu_1'),
        ]);
      case 2:
        return truncated(reply('an answer that breaks off'), 4);
      case 3:
        return reply([toolUse('Read', { file_path: 'a.txt' }, 'toolu_2'), `They are: ${secrets}.`]);
      case 4:
        return reply([
          toolUse('Bash', { command: 'sleep 60', run_in_background: true }, 'toolu_3'),
        ]);
      case 5: {
        const task = /\bb_[0-9a-z]{12}\b/.exec(JSON.stringify(request.body.messages))?.[0];
        return reply([toolUse('TaskStop', { task_id: task }, 'toolu_4')], { pieceChars: 99 });
      }
      default:
        return reply('Done.', { pieceChars: 2 });
    }
  };

async function run(
  mode: 'record' | 'playback',
  workspace: Workspace,
  url: string,
  prompt = 'please look',
) {
  await writeFile(join(workspace.project, 'a.txt'), `alpha ${PASSWORD}\n`);
  const words = ['-p', prompt, '--output-format', 'stream-json', '--verbose', '--trust'];
  const { child, finished } = lathe(
    workspace,
    [...words, '--permission-mode', 'bypassPermissions', '--include-partial-messages'],
    {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      MY_PASSWORD: PASSWORD,
      LATHE_VCR: mode,
      LATHE_VCR_DIR: tapes,
    },
  );
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  return { code, stderr, stdout, lines: linesOf(stdout) };
}

async function newWorkspace(): Promise<Workspace> {
  const workspace = await makeWorkspace();
  workspaces.push(workspace);
  return workspace;
}

/** What may differ between two runs: ids made anew, the time, and where it ran. */
function comparable(stdout: string, { project, home }: Workspace): string[] {
  return stdout
    .replaceAll(project, '{{project}}')
    .replaceAll(project.replace(/[^A-Za-z0-9]/g, '-'), '{{slug}}')
    .replaceAll(home, '{{home}}')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'uuid')
    .replace(/"(duration_ms|duration_api_ms|end_time)":[\d.]+/g, '"$1":0')
    .replace(/\bb_[0-9a-z]{12}\b/g, 'b_id')
    .replace(/\w{3} \w{3} +\d+ [\d:]+ UTC \d{4}/g, 'date')
    .trimEnd()
    .split('\n');
}

test('a recorded run plays back without the server, in another home and folder too', async () => {
  const here = await newWorkspace();
  const api = await startScriptedApi(scriptWith('none'), { lenient: true });
  const recorded = await run('record', here, api.url);
  await api.close();
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  expect(recorded.lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  const expected = comparable(recorded.stdout, here);
  for (const workspace of [here, await newWorkspace()]) {
    const played = await run('playback', workspace, api.url);
    expect(played).toMatchObject({ code: 0, stderr: '' });
    expect(comparable(played.stdout, workspace)).toEqual(expected);
  }
});

test('no cassette holds a key or a place of this machine', async () => {
  const here = await newWorkspace();
  const api = await startScriptedApi(scriptWith(`${KEY} ${BASE64}`), { lenient: true });
  const { code } = await run('record', here, api.url, `my key is ${KEY} and ${PASSWORD}`);
  await api.close();
  expect(code).toBe(0);
  const names = await readdir(tapes);
  expect(names.length).toBeGreaterThan(6);
  const all = (await Promise.all(names.map((name) => readFile(join(tapes, name), 'utf8')))).join();
  for (const secret of [KEY, PASSWORD, BASE64, here.project, here.home])
    expect(all).not.toContain(secret);
  expect(all).toContain('{{secret}}');
});

test('what was never recorded is told with what differs, and the run ends', async () => {
  const here = await newWorkspace();
  const api = await startScriptedApi(() => reply('Done.'));
  await run('record', here, api.url, 'count the files');
  await api.close();
  const missed = await run('playback', here, api.url, 'count the folders');
  expect(missed.code).toBe(1);
  const line = String(missed.lines.at(-1)?.['result']);
  expect(line).toMatch(/No recording answers this request.*LATHE_VCR=record/s);
  expect(line).toMatch(/- "text": "count the files",?\n\+ "text": "count the folders"/);
});
