import { expect, test } from 'vitest';
import { startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';

/** Has a process tell the points of its start when it ends. */
const TELL = `data:text/javascript,process.on('exit',()=>console.error(performance.getEntriesByType('mark').map(({name})=>name).join('|')))`;

test('a run without a debug log notes its first request, after which its heap stays small', async () => {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi([reply('fine')]);
  const run = lathe(workspace, ['-p', 'go', '--trust'], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'k',
    NODE_OPTIONS: `--import "${TELL}"`,
  });
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  await api.close();
  await workspace.remove();
  expect(code).toBe(0);
  expect(stderr).toContain('|lathe: session open|lathe: first request');
});
