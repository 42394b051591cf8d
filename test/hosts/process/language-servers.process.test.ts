import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putAll } from '../../engine/plugins/support';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, nothingLeft, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

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

/** Runs a prompt with the plugin, and returns what the model was told before each of its replies. */
async function toldIn(
  replies: Parameters<typeof startScriptedApi>[0],
  ...more: readonly string[]
): Promise<readonly string[]> {
  const folder = join(workspace.home, 'plugin');
  putAll(folder, PLUGIN);
  putAll(workspace.project, PROJECT);
  api = await startScriptedApi(replies);
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const words = ['-p', 'go', '--trust', '--plugin-dir', folder, '--permission-mode', 'acceptEdits'];
  const run = lathe(workspace, [...words, ...more], env);
  run.child.stdin.end();
  const { code, stderr } = await run.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.stringify(api.requests[0]?.body.tools)).toContain('"LSP"');
  return api.requests.map(({ body }) => JSON.stringify(body.messages.slice(-1)));
}
const lsp = (operation: string, character = 22) =>
  toolUse('LSP', { operation, filePath: 'main.ts', line: 2, character });

test('a language server of a plugin answers the model, and says what an edit breaks', async () => {
  const told = await toldIn([
    reply([toolUse('Read', { file_path: 'main.ts' }), lsp('hover')]),
    reply([lsp('goToDefinition'), lsp('findReferences'), lsp('incomingCalls')]),
    reply([toolUse('Edit', { file_path: 'main.ts', old_string: "'Bob'", new_string: '5' })]),
    reply('Done.'),
  ]);
  expect(told[1]).toContain('function greet(name: string): string');
  expect(told[2]).toContain('1 definition:\\ngreet.ts\\n  1:17');
  expect(told[2]).toContain('3 references in 2 files:');
  expect(told[3]).toContain(
    "main.ts\\n  2:27 error: Argument of type 'number' is not assignable to parameter of type 'string'. [ts 2345]",
  );
});

test('it shows nothing of a file that a rule keeps from being read', async () => {
  const told = await toldIn(
    [reply([lsp('hover'), lsp('goToDefinition'), lsp('hover', 14)]), reply('Done.')],
    ...['--settings', JSON.stringify({ permissions: { deny: ['Read(./greet.ts)'] } })],
  );
  expect(told[1]).toContain('it is defined in a file that a rule keeps from being read');
  expect(told[1]).toContain('(1 in files that a rule keeps from being read are left out.)');
  expect(told[1]).toContain('const said: string');
  expect(told[1]).not.toContain('name: string');
});
