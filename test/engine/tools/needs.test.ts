import { describe, expect, it } from 'vitest';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { findTool, fixedSource } from '../../../src/main/engine/tools/catalogue';
import { needsContext } from '../../../src/main/engine/tools/environment';
import { createNeedsByName } from '../../../src/main/engine/tools/foreign-tools';
import { otherNeeds, ownNeeds, requestsOf } from '../../../src/main/engine/tools/needs';
import { err } from '../../../src/shared/result';
import { toolEnvironment } from '../../support/tool-environment';

const builtin = [fixedSource('built in', createBuiltinTools())];
const where = needsContext(toolEnvironment({ project: '/p' }));
const needsByName = createNeedsByName((name) => findTool(builtin, name));

/** 100 kB. */
const LONG = `${'a/'.repeat(50_000)}b`;

describe('the needs of calls by their tool’s name', () => {
  it.each<[string, Record<string, unknown>, object]>([
    ['Monitor', { command: 'ls', description: 'x' }, { kind: 'shell', tool: 'Monitor' }],
    ['LSP', { filePath: 'a' }, { kind: 'file', access: 'read', path: '/p/a' }],
    ['MultiEdit', { file_path: 'a' }, { kind: 'file', access: 'edit', path: '/p/a' }],
    ['Read', { path: 'a' }, { kind: 'file', access: 'read', path: '/p/a' }],
    ['Grep', {}, { kind: 'file', access: 'read', path: '/p' }],
    ['Glob', { pattern: 'src/**' }, { kind: 'file', access: 'read', path: '/p/src' }],
    ['Glob', { pattern: '/etc/*' }, { kind: 'file', access: 'read', path: '/etc' }],
    ['WebFetch', { url: 'https://u:p@X.io./a' }, { kind: 'tool', specifier: 'domain:x.io' }],
    ['WebFetch', { url: 'nothing' }, { kind: 'tool', readOnly: false }],
    ['WebSearch', { query: 'q' }, { kind: 'tool', specifier: 'q', readOnly: true, sends: true }],
    ['Skill', { skill: 'deploy', args: 'now' }, { specifier: 'deploy now', readOnly: false }],
    ['PowerShell', { command: 'ls' }, { kind: 'tool', specifier: 'ls', readOnly: false }],
    ['Agent', { prompt: 'x' }, { specifier: 'general-purpose', readOnly: true }],
    ['TaskCreate', {}, { kind: 'tool', readOnly: true }],
    ['mcp__a__b', { x: 1 }, { kind: 'tool', tool: 'mcp__a__b', readOnly: false }],
    ['__proto__', {}, { kind: 'tool', tool: '__proto__', readOnly: false }],
  ])('%s %j', async (name, input, expected) => {
    const needed = await needsByName(name, input, where);
    expect(needed).toMatchObject({ ok: true, value: [expected] });
  });

  it.each([
    ['Bash', {}, 'Bash needs a text in input.command'],
    ['Bash', { command: 3 }, 'Bash needs a text in input.command'],
    ['Edit', { old_string: 'x' }, 'Edit needs a text in input.file_path'],
    ['NotebookEdit', {}, 'NotebookEdit needs a text in input.notebook_path'],
    ['Read', { file_path: '' }, 'Read needs a text in input.file_path'],
    ['Write', { file_path: '', content: 'x' }, 'Write needs a text in input.file_path'],
    ['NotebookEdit', { notebook_path: '' }, 'NotebookEdit needs a text in input.notebook_path'],
    ['Grep', { path: 3 }, 'Grep needs a text in input.path'],
    ['Read', { file_path: LONG }, 'a path has at most 4096 bytes'],
    ['Write', { file_path: LONG }, 'a path has at most 4096 bytes'],
    ['Edit', { file_path: 'ä'.repeat(2_049) }, 'a path has at most 4096 bytes'],
    ['NotebookEdit', { notebook_path: LONG }, 'a path has at most 4096 bytes'],
    ['Glob', { pattern: '*', path: LONG }, 'a path has at most 4096 bytes'],
    ['Grep', { pattern: 'x', path: LONG }, 'a path has at most 4096 bytes'],
  ])('%s %.80j is no call', async (name, input, message) => {
    expect(await needsByName(name, input, where)).toEqual(err(message));
  });

  it('carry the plain fields of the input, for rules that name one', async () => {
    const input = { skill: 'x', deep: { a: 1 }, count: 3, force: true };
    expect(await needsByName('Skill', input, where)).toMatchObject({
      value: [{ params: { skill: 'x', count: '3', force: 'true' } }],
    });
  });

  it('are those of the tool itself, whoever brings it', async () => {
    const toy = { name: 'Toy', needs: otherNeeds('Toy', () => 'played') };
    const known = createNeedsByName((name) => (name === 'Toy' ? toy : null));
    expect(await known('Toy', {}, where)).toMatchObject({ value: [{ specifier: 'played' }] });
    const own = createNeedsByName(() => ({ name: 'Skill', needs: ownNeeds('Skill') }));
    expect(await own('Skill', {}, where)).toMatchObject({ value: [{ readOnly: true }] });
  });
});

it('a call of which none can be made needs what nothing allows', async () => {
  const bash = findTool(builtin, 'Bash');
  if (bash === null) throw new Error('There is no Bash.');
  expect(await requestsOf(bash, {}, where)).toEqual([
    {
      kind: 'tool',
      tool: 'Bash',
      readOnly: false,
      exactOnly: 'Bash needs a text in input.command',
    },
  ]);
});
