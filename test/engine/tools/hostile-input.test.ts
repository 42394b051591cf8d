import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import { findTool, fixedSource } from '../../../src/main/engine/tools/catalogue';
import { parseToolInput } from '../../../src/main/engine/tools/parse-input';
import { tempFolder } from '../../node/temp-folder';
import { toolEnvironment } from '../../support/tool-environment';
import { runTool } from './builtin/run-tool';

const builtin = [fixedSource('built in', createBuiltinTools())];

/** Names that every object has without being given them. */
const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
];

/** An input that each tool takes. */
const VALID: Readonly<Record<string, Record<string, unknown>>> = {
  Bash: { command: 'ls' },
  Read: { file_path: 'a' },
  Edit: { file_path: 'a', old_string: 'a', new_string: 'b' },
  Write: { file_path: 'a', content: 'x' },
  NotebookEdit: { notebook_path: 'a.ipynb', new_source: '' },
  Glob: { pattern: '*' },
  Grep: { pattern: 'x' },
};

/** Fields other programs have, or a model may make up, to get around a question. */
const SWITCHES = [
  'dangerouslyDisableSandbox',
  'skip_permissions',
  'force',
  'no_verify',
  'mode',
  'trust',
];

describe('THREATS 15: names that every object has are ordinary bad names', () => {
  it.each(INHERITED)('no tool is called %s', (name) => {
    expect(findTool(builtin, name)).toBeNull();
  });

  it.each(Object.keys(VALID))('%s takes no such field, however it got there', (name) => {
    const tool = findTool(builtin, name);
    if (tool === null) throw new Error(name);
    expect(parseToolInput(tool, VALID[name])).toMatchObject({ ok: true });
    for (const field of INHERITED) {
      const text = JSON.stringify(VALID[name]).replace(/}$/, `,"${field}":{"command":"x"}}`);
      const parsed = parseToolInput(tool, JSON.parse(text));
      expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(field) });
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(INHERITED)('%s is a file like any other', async (name) => {
    const folder = await tempFolder();
    const env = toolEnvironment({ project: folder });
    const read = () => runTool(createReadTool(), { file_path: name }, env);
    const write = (content: string) =>
      runTool(createWriteTool(), { file_path: name, content }, env);
    expect((await read()).text).toContain('does not exist');
    await writeFile(join(folder, name), 'old');
    expect((await write('new')).text).toContain('has not been read');
    expect((await read()).text).toBe('     1\told');
    expect((await write('new')).ok).toBe(true);
    expect(await readFile(join(folder, name), 'utf8')).toBe('new');
  });

  it.each(INHERITED)('a rule about %s is about nothing else', (name) => {
    const path = `/p/${name}/a`;
    const context = {
      cwd: '/p',
      home: '/home',
      project: '/p',
      workingDirectories: ['/p'],
      caseInsensitive: false,
    };
    const behaviour = (text: string, of: string) =>
      decide(
        { kind: 'file', tool: 'Read', access: 'read', path: of, realPath: of, identity: null },
        [{ behavior: 'deny', text, source: 'session' }],
        'default',
        context,
      ).behavior;
    expect(behaviour(`Read(./${name}/**)`, path)).toBe('deny');
    expect(behaviour(`Read(./${name}/**)`, '/p/other/a')).toBe('allow');
    expect(behaviour(`${name}(./**)`, path)).toBe('allow');
  });
});

describe('THREATS 15: no field that a tool does not know', () => {
  it.each(Object.keys(VALID).filter((name) => name !== 'Bash'))('%s', (name) => {
    const tool = findTool(builtin, name);
    if (tool === null) throw new Error(name);
    for (const field of SWITCHES) {
      const parsed = parseToolInput(tool, { ...VALID[name], [field]: true });
      expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(`\`${field}\``) });
    }
  });
});

describe('THREATS 15: what is no valid input never runs', () => {
  it('whatever its shape, an input that is not valid is refused with a reason', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(VALID)),
        fc.oneof(
          fc.json().map((text) => JSON.parse(text)),
          fc.dictionary(fc.string(), fc.anything()),
        ),
        (name, input) => {
          const tool = findTool(builtin, name);
          if (tool === null) throw new Error(name);
          const parsed = parseToolInput(tool, input);
          if (!parsed.ok) expect(parsed.error).toContain(`${name} was not run`);
          else expect(tool.input.safeParse(input).success).toBe(true);
        },
      ),
    );
  });

  it.each([
    ['Read', { file_path: 'a\0b' }],
    ['Write', { file_path: 'a\0', content: 'x' }],
    ['NotebookEdit', { notebook_path: '\0.ipynb', new_source: '' }],
    ['Read', { file_path: '' }],
    ['Read', { file_path: ['a'] }],
    ['Read', { file_path: 'a', offset: -1 }],
    ['Read', { file_path: 'a', limit: 1.5 }],
    ['Write', { file_path: 'a' }],
    ['Edit', { file_path: 'a', old_string: 'a' }],
    ['Edit', { file_path: 'a', old_string: 'a', new_string: 'b', replace_all: 'yes' }],
    ['Grep', { pattern: 'x', head_limit: -1 }],
    ['Glob', { pattern: 5 }],
  ])('%s %j', (name, input) => {
    const tool = findTool(builtin, name);
    if (tool === null) throw new Error(name);
    expect(parseToolInput(tool, input)).toMatchObject({ ok: false });
  });
});
