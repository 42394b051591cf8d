import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { takesPdf } from '../../../../src/main/engine/model/catalog';
import { createReadTool } from '../../../../src/main/engine/tools/builtin/read/read';
import { parsePages } from '../../../../src/main/engine/tools/builtin/read/read-pdf';
import type { ToolContent, ToolOutcome } from '../../../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../../../src/main/node/files';
import { tempFolder } from '../../../node/temp-folder';
import { toolEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const read = createReadTool();

/** A PDF whose pages can be told apart by their width. */
async function pdfOf(pages: number, password?: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (let page = 1; page <= pages; page += 1) document.addPage([100 + page, 50]);
  if (password !== undefined) document.encrypt({ userPassword: password, ownerPassword: password });
  return document.save();
}

async function project(bytes: Uint8Array | string, takes = true) {
  const folder = await tempFolder();
  await writeFile(join(folder, 'a.pdf'), bytes);
  const env = toolEnvironment({ project: folder, takesPdf: () => takes });
  return {
    folder,
    run: (input: object = {}) => runTool(read, { file_path: 'a.pdf', ...input }, env),
  };
}

/** The widths of the pages the model is given. */
async function givenPages(outcome: ToolOutcome<unknown>): Promise<readonly number[]> {
  const content = outcome.ok ? (outcome.output as { content: ToolContent }).content : [];
  const [block] = content;
  if (block?.type !== 'document') throw new Error('no document');
  const document = await PDFDocument.load(Buffer.from(block.source.data, 'base64'));
  return document.getPages().map((page) => page.getWidth() - 100);
}

describe('Read, PDF', () => {
  it('gives a short one whole, unchanged', async () => {
    const bytes = await pdfOf(3);
    const { run } = await project(bytes);
    const { outcome, view } = await run();
    expect(outcome).toMatchObject({
      output: {
        content: [
          {
            type: 'document',
            title: 'a.pdf, pages 1 to 3 of 3',
            source: {
              media_type: 'application/pdf',
              data: Buffer.from(bytes).toString('base64'),
            },
          },
        ],
      },
    });
    expect(view).toMatchObject({ kind: 'generic', detail: 'PDF, pages 1 to 3 of 3' });
  });

  it.each([
    ['3', [3]],
    ['2-4', [2, 3, 4]],
    ['11-', [11, 12]],
    ['10-25', [10, 11, 12]],
  ])('gives pages %s', async (pages, given) => {
    const { run } = await project(await pdfOf(12));
    expect(await givenPages((await run({ pages })).outcome)).toEqual(given);
  });

  it('asks for pages of a long one', async () => {
    const { run } = await project(await pdfOf(12));
    const { ok, text } = await run();
    expect(ok).toBe(false);
    expect(text).toContain('has 12 pages');
    expect(text).toContain('"1-5"');
  });

  it.each<[string, string | (() => Promise<Uint8Array>), object, string]>([
    ['protected', () => pdfOf(2, 'secret'), {}, 'protected by a password'],
    ['cut short', async () => (await pdfOf(2)).slice(0, 200), {}, 'damaged'],
    ['a PDF by its first bytes only', '%PDF-1.7 and then nothing', {}, 'damaged'],
    ['without such a page', () => pdfOf(2), { pages: '5' }, 'no page 5: it has 2 pages'],
    ['asked for too many pages', () => pdfOf(2), { pages: '1-21' }, 'at most 20 at once'],
    ['asked for no pages', () => pdfOf(2), { pages: 'all' }, 'must be like'],
  ])('says why it cannot be read: %s', async (_, make, input, words) => {
    const { run } = await project(typeof make === 'string' ? make : await make());
    const { ok, text } = await run(input);
    expect(ok).toBe(false);
    expect(text).toContain(words);
  });

  it('refuses pages of what is no PDF, one that is too large, and a model that takes none', async () => {
    const { run } = await project('text');
    expect((await run({ pages: '1' })).text).toContain('not a PDF');
    const large = await project('%PDF-1.7');
    await truncate(join(large.folder, 'a.pdf'), 100 * 1024 * 1024);
    expect((await large.run()).text).toContain('the limit is 64.0 MiB');
    const other = await project(await pdfOf(1), false);
    expect((await other.run()).text).toContain('not known to read PDFs');
  });

  it('survives damage anywhere: an answer or a clear error, never a throw', async () => {
    const { folder, run } = await project('');
    const whole = await pdfOf(2);
    for (let at = 9; at < whole.length; at += 37) {
      const damaged = Uint8Array.from(whole);
      damaged.fill(0x28, at, at + 20);
      await writeFile(join(folder, 'a.pdf'), damaged);
      const { outcome } = await run({ pages: '1' });
      if (!outcome.ok) expect(outcome.message).toContain('a.pdf cannot be read');
    }
    expect((await createNodeFiles().stat(join(folder, 'a.pdf'))).ok).toBe(true);
  });
});

it.each([
  ['claude-opus-5-5', true],
  ['claude-3-5-sonnet-20241022', true],
  ['us.anthropic.claude-sonnet-4-20250514-v1:0', true],
  ['claude-3-opus-20240229', false],
  ['claude-2.1', false],
  ['qwen3-coder', false],
])('%s takes PDFs: %s', (model, takes) => {
  expect(takesPdf(model)).toBe(takes);
});

it.each([
  ['7', { first: 7, last: 7 }],
  [' 2 - 3 ', { first: 2, last: 3 }],
  ['4-', { first: 4, last: 23 }],
  ['1-20', { first: 1, last: 20 }],
  ['0', null],
  ['-3', null],
  ['3-2', null],
  ['1-21', null],
  ['1,2', null],
  ['', null],
])('pages %j', (asked, range) => {
  const parsed = parsePages(asked);
  expect(parsed.ok ? parsed.value : null).toEqual(range);
});
