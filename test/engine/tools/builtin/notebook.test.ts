import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNotebookEditTool } from '../../../../src/main/engine/tools/builtin/notebook-edit/notebook-edit';
import { createReadTool } from '../../../../src/main/engine/tools/builtin/read/read';
import { tempFolder } from '../../../node/temp-folder';
import { TINY_IMAGES } from '../../../support/images';
import { toolEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const PNG = TINY_IMAGES['image/png'].toString('base64');

const notebook = (minor = 5) => ({
  cells: [
    {
      cell_type: 'markdown',
      id: 'intro',
      metadata: { own: [1.5, { deep: true }] },
      source: ['# Title\n', 'text'],
    },
    {
      cell_type: 'code',
      execution_count: 3,
      id: 'plot',
      metadata: {},
      outputs: [
        { name: 'stdout', output_type: 'stream', text: ['one\n', 'two\n'] },
        {
          data: { 'image/png': PNG, 'text/plain': ['<Figure>'] },
          metadata: {},
          output_type: 'display_data',
        },
        {
          ename: 'ValueError',
          evalue: 'bad',
          output_type: 'error',
          traceback: ['\u001b[31mValueError\u001b[0m: bad'],
        },
      ],
      source: 'print("one")\nprint("two")',
    },
    { cell_type: 'raw', id: 'last', metadata: {}, source: [] },
  ],
  metadata: { kernelspec: { name: 'python3' } },
  nbformat: 4,
  nbformat_minor: minor,
});

async function project(text = `${JSON.stringify(notebook(), null, 1)}\n`) {
  const folder = await tempFolder();
  const path = join(folder, 'n.ipynb');
  await writeFile(path, text);
  const env = toolEnvironment({ project: folder });
  return {
    path,
    read: (input: object = {}) =>
      runTool(createReadTool(), { file_path: 'n.ipynb', ...input }, env),
    edit: (input: object) =>
      runTool(
        createNotebookEditTool(),
        { notebook_path: 'n.ipynb', new_source: '', ...input },
        env,
      ),
    saved: async () => JSON.parse(await readFile(path, 'utf8')),
    text: () => readFile(path, 'utf8'),
  };
}

describe('Read, notebooks', () => {
  it('shows cells with ids, outputs in order, images, and errors without colours', async () => {
    const { read } = await project();
    const { text, view } = await read();
    expect(text).toBe(
      [
        '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>',
        '<cell id="plot" type="code">\nprint("one")\nprint("two")\n</cell>',
        '<output of="plot">\none\ntwo\n</output>',
        '<output of="plot">\n<Figure>\n</output>',
        '[image]',
        '<output of="plot">\nValueError: bad\nValueError: bad\n</output>',
        '<cell id="last" type="raw">\n\n</cell>',
      ].join('\n'),
    );
    expect(view).toMatchObject({ kind: 'generic', detail: 'Notebook, cells 1 to 3 of 3' });
  });

  it.each(['!!! no image', PNG.slice(0, 40), Buffer.from('GIF89a').toString('base64')])(
    'shows no image that a model could not be shown: %s',
    async (image) => {
      const output = { output_type: 'display_data', data: { 'image/png': image }, metadata: {} };
      const cells = [{ cell_type: 'code', id: 'c', metadata: {}, outputs: [output], source: '1' }];
      const { read } = await project(JSON.stringify({ ...notebook(), cells }));
      expect((await read()).text).toContain('\n(An image that is not shown.)\n');
    },
  );

  it('shows some cells, says how to go on, and where the end is', async () => {
    const { read } = await project();
    const some = await read({ offset: 1, limit: 1 });
    expect(some.text).toContain('intro');
    expect(some.text).not.toContain('id="plot"');
    expect(some.text).toContain('Go on with offset 2');
    expect((await read({ offset: 9 })).text).toContain('has 3 cells');
  });

  it('cuts long outputs and stops before a result gets too long', async () => {
    const big = notebook();
    const cell = (i: number) => ({
      cell_type: 'code',
      id: `c${i}`,
      metadata: {},
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'x'.repeat(30_000) }],
      source: '1',
    });
    const cells = Array.from({ length: 20 }, (_, i) => cell(i));
    const { read } = await project(JSON.stringify({ ...big, cells }));
    const { text } = await read();
    expect(text).toContain('20000 more characters are not shown');
    expect(text.length).toBeLessThan(50_000);
    expect(text).toMatch(/Cells 1 to 4 of 20\. Go on with offset 5/);
  });

  it('shows one that is damaged as the text it is', async () => {
    const { read, edit } = await project('{"cells": [');
    expect((await read()).text).toBe('     1\t{"cells": [');
    expect((await edit({ cell_id: 'intro' })).text).toContain('it is not JSON');
  });
});

describe('NotebookEdit', () => {
  it.each([
    ['1 space, as Jupyter', 1],
    ['4 spaces', 4],
    ['tabs', '\t'],
    ['one line', undefined],
  ])('replaces a cell and leaves every other byte: %s', async (_, indent) => {
    const end = indent === undefined ? '' : '\n';
    const { path, read, edit, text } = await project(
      JSON.stringify(notebook(), null, indent) + end,
    );
    await chmod(path, 0o640);
    await read();
    const { ok, text: said, view } = await edit({ cell_id: 'plot', new_source: 'x = 1\n' });
    expect([ok, said]).toEqual([true, 'Changed cell plot in n.ipynb.']);
    const wanted = notebook();
    Object.assign(wanted.cells[1] ?? {}, { source: 'x = 1\n', outputs: [], execution_count: null });
    expect(await text()).toBe(JSON.stringify(wanted, null, indent) + end);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(view).toMatchObject({ kind: 'diff', created: false });
  });

  it('keeps what JSON.parse would lose: numbers as written, and Windows line ends', async () => {
    const raw = JSON.stringify(notebook(), null, 1).replace('1.5', '1.50').replaceAll('\n', '\r\n');
    const { read, edit, text } = await project(raw);
    await read();
    await edit({ cell_id: 'intro', new_source: 'a\nb' });
    expect(await text()).toContain('1.50');
    expect(await text()).not.toMatch(/[^\r]\n/);
  });

  it('inserts behind a cell or first, with an id where the format has ids', async () => {
    const { read, edit, saved } = await project();
    await read();
    await edit({ edit_mode: 'insert', cell_id: 'plot', cell_type: 'code', new_source: 'a\nb' });
    await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'first' });
    const { cells } = await saved();
    expect(cells.map((cell: { source: unknown }) => cell.source).slice(0, 2)).toEqual([
      ['first'],
      ['# Title\n', 'text'],
    ]);
    expect(cells[0]).toEqual({
      cell_type: 'markdown',
      id: cells[0].id,
      metadata: {},
      source: ['first'],
    });
    expect(cells[3]).toMatchObject({
      cell_type: 'code',
      outputs: [],
      execution_count: null,
      source: ['a\n', 'b'],
    });
    expect(cells[0].id).toMatch(/^[0-9a-f]{8}$/);
    const old = await project(JSON.stringify(notebook(4), null, 1));
    await old.read();
    await old.edit({ edit_mode: 'insert', cell_type: 'code', new_source: 'x' });
    expect((await old.saved()).cells[0]).not.toHaveProperty('id');
  });

  it('deletes a cell, and changes the type of one', async () => {
    const { read, edit, saved } = await project();
    await read();
    await edit({ edit_mode: 'delete', cell_id: 'intro' });
    await edit({ cell_id: 'plot', cell_type: 'markdown', new_source: 'words' });
    const { cells } = await saved();
    expect(cells).toEqual([
      { cell_type: 'markdown', id: 'plot', metadata: {}, source: 'words' },
      notebook().cells[2],
    ]);
  });

  it('knows cells without ids by their place', async () => {
    const { cells, ...rest } = notebook(4);
    const bare = cells.map(({ id: _, ...cell }) => cell);
    const { read, edit, saved } = await project(JSON.stringify({ ...rest, cells: bare }, null, 1));
    expect((await read()).text).toContain('<cell id="cell-1" type="code">');
    await edit({ cell_id: 'cell-1', new_source: 'y' });
    expect((await saved()).cells[1].source).toBe('y');
  });

  it.each([
    [{ cell_id: 'none' }, 'Its cells: intro, plot, last'],
    [{ cell_id: '__proto__' }, 'there is no cell'],
    [{}, 'cell_id is missing'],
    [{ edit_mode: 'insert', new_source: 'x' }, 'cell_type is missing'],
    [{ cell_id: 'intro', new_source: '# Title\ntext' }, 'nothing would change'],
    [{ notebook_path: 'n.py', cell_id: 'a' }, 'not a notebook'],
    [{ notebook_path: 'other.ipynb', cell_id: 'a' }, 'does not exist'],
  ])('refuses %j and leaves the file', async (input, words) => {
    const { read, edit, text } = await project();
    const before = await text();
    await read();
    const { ok, text: said } = await edit(input);
    expect(ok).toBe(false);
    expect(said).toContain(words);
    expect(await text()).toBe(before);
  });

  it('needs a read, and another one after a change', async () => {
    const { path, read, edit } = await project();
    expect((await edit({ cell_id: 'plot', new_source: 'x' })).text).toContain('Read it first');
    await read();
    await writeFile(path, JSON.stringify(notebook(4)));
    expect((await edit({ cell_id: 'plot', new_source: 'x' })).text).toContain('changed since');
  });
});
