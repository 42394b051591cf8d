import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNTOUCHED } from '../../../src/main/engine/context/layer';
import { budgetOf, contextLimits } from '../../../src/main/engine/context/limits';
import { createToolResultBudget } from '../../../src/main/engine/context/tool-result-budget';
import { project } from '../../../src/main/engine/messages/projection';
import { createNodeFiles } from '../../../src/main/node/files';
import type { Message, ResultContent } from '../../../src/shared/message';
import { tempFolder } from '../../node/temp-folder';
import { noCompaction, WARM } from './support';

const files = createNodeFiles();
const budget = budgetOf(1000, contextLimits(200_000, 8192), WARM);
const answer: Message = { role: 'assistant', id: 'a', model: 'm', content: [] };

const result = (id: string, content: readonly ResultContent[]): Message => ({
  role: 'user',
  id: `${id}:result`,
  content: [{ type: 'tool_result', tool_use_id: id, content: [...content] }],
});
const text = (value: string): readonly ResultContent[] => [{ type: 'text', text: value }];
const lengthsIn = (messages: readonly Message[]): readonly number[] =>
  messages.flatMap((message) =>
    message.role !== 'user'
      ? []
      : message.content.map((block) =>
          block.type !== 'tool_result'
            ? 0
            : block.content.reduce((sum, b) => sum + (b.type === 'text' ? b.text.length : 0), 0),
        ),
  );

/** Returns what is sent of these results after the layer. */
async function sent(results: readonly Message[], folder?: string) {
  const layer = createToolResultBudget(files, folder ?? (await tempFolder()));
  const messages = [answer, ...results];
  const outcome = await layer.apply(messages, budget, noCompaction, new AbortController().signal);
  if (!('edits' in outcome)) throw new Error('This layer asks no model.');
  return { ...outcome, messages: project(messages, outcome.edits) };
}

describe('all results of one message', () => {
  it('share what there is; the longest go to files, the others stay', async () => {
    const folder = await tempFolder();
    const results = [
      result('short', text('s'.repeat(20_000))),
      ...Array.from({ length: 5 }, (_, i) => result(`c${i}`, text(`${i}`.repeat(45_000)))),
    ];
    const { messages, edits, freed } = await sent(results, folder);
    expect(edits).toHaveLength(2);
    expect(lengthsIn(messages).slice(0, 1)).toEqual([20_000]);
    expect(lengthsIn(messages).filter((length) => length === 45_000)).toHaveLength(3);
    expect(lengthsIn(messages).reduce((sum, length) => sum + length, 0)).toBeLessThan(200_000);
    expect(freed).toBeGreaterThan(10_000);
    const [edit] = edits;
    if (edit?.kind !== 'replace_result') throw new Error('no result was replaced');
    const file = join(folder, 'tool-results', `${edit.callId}.txt`);
    expect(JSON.stringify(edit.content)).toContain(file);
    expect(await readFile(file, 'utf8')).toHaveLength(45_000);
  });

  it.each([
    [8, 48_060],
    [5, 40_000],
    [20, 30_000],
    [4, 50_000],
    [300, 2_000],
  ])(
    '%i results of %i characters are no longer than that, previews and paths included',
    async (count, length) => {
      const words = 'words \n'.repeat(length / 7);
      const { messages } = await sent(
        Array.from({ length: count }, (_, i) => result(`toolu_${i}`, text(words))),
      );
      const total = lengthsIn(messages).reduce((sum, each) => sum + each, 0);
      expect(total).toBeLessThanOrEqual(200_000);
    },
  );

  it('stay as they are within it, images not counted', async () => {
    const image: ResultContent = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'x'.repeat(500_000) },
    };
    const results = [result('a', [image]), result('b', text('x'.repeat(200_000)))];
    expect(await sent(results)).toMatchObject(UNTOUCHED);
  });

  it('are looked at once: those of earlier answers stay', async () => {
    const old = Array.from({ length: 9 }, (_, i) => result(`old${i}`, text('x'.repeat(50_000))));
    const messages = [...old, answer, result('new', text('y'))];
    const layer = createToolResultBudget(files, await tempFolder());
    const signal = new AbortController().signal;
    expect(await layer.apply(messages, budget, noCompaction, signal)).toBe(UNTOUCHED);
  });

  it('keep images of what went to a file', async () => {
    const image: ResultContent = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    };
    const { messages } = await sent([result('a', [...text('x'.repeat(250_000)), image])]);
    expect(JSON.stringify(messages)).toContain('"AAAA"');
    expect(lengthsIn(messages)[0]).toBeLessThan(3_000);
  });
});
