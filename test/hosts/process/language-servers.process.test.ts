import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putAll } from '../../engine/plugins/support';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, nothingLeft, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

vi.setConfig({ testTimeout: 60_000 });

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api?.close();
  api = null;
  await nothingLeft(workspace);
  await workspace.remove();
});

const TSC = join(import.meta.dirname, '../../../node_modules/.bin/tsc');

const PLUGIN = {
  '.claude-plugin/plugin.json': { name: 'ts' },
  '.lsp.json': {
    typescript: {
      command: TSC,
      args: ['--lsp', '--stdio'],
      extensionToLanguage: { '.ts': 'typescript' },
    },
  },
};
const PROJECT = {
  'tsconfig.json': { compilerOptions: { strict: true, module: 'nodenext', target: 'es2022' } },
  'greet.ts': "export function greet(name: string): string {\n  return 'Hello ' + name;\n}\n",
  'main.ts': "import { greet } from './greet';\nexport const said = greet('Bob');\n",
};

test('a language server of a plugin answers the model, and says what an edit breaks', async () => {
  const folder = join(workspace.home, 'plugin');
  putAll(folder, PLUGIN);
  putAll(workspace.project, PROJECT);
  const lsp = (operation: string) =>
    toolUse('LSP', { operation, filePath: 'main.ts', line: 2, character: 22 });
  api = await startScriptedApi([
    reply([toolUse('Read', { file_path: 'main.ts' }), lsp('hover')]),
    reply([lsp('goToDefinition'), lsp('findReferences'), lsp('incomingCalls')]),
    reply([toolUse('Edit', { file_path: 'main.ts', old_string: "'Bob'", new_string: '5' })]),
    reply('Done.'),
  ]);
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const words = ['-p', 'go', '--trust', '--plugin-dir', folder, '--permission-mode', 'acceptEdits'];
  const run = lathe(workspace, words, env);
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const told = api.requests.map(({ body }) => JSON.stringify(body.messages.slice(-1)));
  expect(JSON.stringify(api.requests[0]?.body.tools)).toContain('"LSP"');
  expect(told[1]).toContain('function greet(name: string): string');
  expect(told[2]).toContain('1 definition:\\ngreet.ts\\n  1:17');
  expect(told[2]).toContain('3 references in 2 files:');
  expect(told[3]).toContain(
    "main.ts\\n  2:27 error: Argument of type 'number' is not assignable to parameter of type 'string'. [ts 2345]",
  );
});
