import { describe, expect, it } from 'vitest';
import { createColourer } from '../../../src/renderer/highlight/colour';
import {
  type ColourWorker,
  createCodeHighlighter,
  linesOf,
} from '../../../src/renderer/highlight/highlighter';
import { grammarOf, languageOf } from '../../../src/renderer/highlight/languages';
import type { ColourRequest } from '../../../src/renderer/highlight/worker';

describe('languages', () => {
  it('knows grammars by their many names and no others', () => {
    expect(grammarOf('TS')).toBe('typescript');
    expect(grammarOf('sh')).toBe('bash');
    expect(grammarOf('python')).toBe('python');
    for (const [path, grammar] of [
      ['/src/App.tsx', 'tsx'],
      ['C:\\code\\main.HPP', 'cpp'],
      ['Makefile', 'make'],
      ['.bashrc', null],
      ['notes.txt', null],
      ['a.b/constructor', null],
    ] as const)
      expect(grammarOf(languageOf(path))).toBe(grammar);
    for (const name of ['', 'constructor', '__proto__', 'nope']) expect(grammarOf(name)).toBeNull();
  });
});

describe('createColourer', () => {
  // A busy machine must not decide whether a line is coloured.
  const colourer = createColourer(600_000);

  it.each([
    ["const a = 'x'; // note\n\nreturn a;"],
    ['\n\n  let b = `t\r\n`;\r\n\r\n'],
    [''],
    ['let wide = "🚢 é";\n\t'],
    [`let long = ${'1 + '.repeat(3000)}1;\nlet b;`],
  ])('keeps every character of %j', async (code) => {
    const lines = linesOf(code, await colourer.colour(code, 'typescript'));
    expect(lines.map((line) => line.map((p) => p.text).join('')).join('\n')).toBe(
      code.replaceAll('\r\n', '\n'),
    );
  });

  it('colours with our variables, and joins pieces that look alike', async () => {
    const code = "const a = 'x'; // note";
    const [line = []] = linesOf(code, await colourer.colour(code, 'typescript'));
    expect(line.find(({ text }) => text.startsWith('const'))?.color).toBe(
      'var(--code-token-keyword)',
    );
    expect(line.at(-1)).toMatchObject({ text: '// note', color: 'var(--code-token-comment)' });
    expect(line.every((piece, at) => piece.color !== line[at + 1]?.color)).toBe(true);
  });
});

/** Workers that answer only when told to. */
function heldWorkers() {
  const requests: ColourRequest[] = [];
  const workers: (ColourWorker & { ended: boolean })[] = [];
  const deadlines: { readonly pass: () => void; readonly signal: AbortSignal }[] = [];
  const highlighter = createCodeHighlighter({
    startWorker: () => {
      const worker: ColourWorker & { ended: boolean } = {
        ended: false,
        onmessage: null,
        onerror: null,
        postMessage: (request) => requests.push(request),
        terminate: () => {
          worker.ended = true;
        },
      };
      workers.push(worker);
      return worker;
    },
    wait: (_, signal) => new Promise((pass) => deadlines.push({ pass, signal })),
  });
  const answer = () => {
    const { id = 0, code = '' } = requests.at(-1) ?? {};
    const look = { color: 'red', italic: false, bold: false };
    const colours = { looks: [look], runs: Uint32Array.of(code.length, 0) };
    workers.at(-1)?.onmessage?.(new MessageEvent('message', { data: { id, colours } }));
  };
  const asked = () => requests.map(({ code }) => code);
  return { highlighter, workers, deadlines, answer, asked };
}

const { signal } = new AbortController();
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('createCodeHighlighter', () => {
  it('leaves the unknown and the huge plain, and starts no worker for them', async () => {
    const { highlighter, workers } = heldWorkers();
    expect(await highlighter.highlight('x', 'brainfog', signal)).toBeNull();
    expect(await highlighter.highlight('x'.repeat(60_001), 'ts', signal)).toBeNull();
    expect(workers).toHaveLength(0);
  });

  it('asks for one at a time, the newest first, and leaves out what nobody wants any more', async () => {
    const { highlighter, answer, asked } = heldWorkers();
    const gone = new AbortController();
    const first = highlighter.highlight('first', 'ts', signal);
    const second = highlighter.highlight('second', 'ts', gone.signal);
    const third = highlighter.highlight('third', 'ts', signal);
    const fourth = highlighter.highlight('fourth', 'ts', signal);
    gone.abort();
    expect(await second).toBeNull();
    for (const one of [first, fourth, third]) {
      answer();
      expect(await one).not.toBeNull();
    }
    expect(asked()).toEqual(['first', 'fourth', 'third']);
  });

  it('colours the same code once', async () => {
    const { highlighter, answer, asked } = heldWorkers();
    const first = highlighter.highlight('same', 'ts', signal);
    answer();
    const lines = await first;
    expect(await highlighter.highlight('same', 'TypeScript', signal)).toEqual(lines);
    expect(asked()).toEqual(['same']);
  });

  it('keeps the colours of a bounded amount of code', async () => {
    const { highlighter, answer, asked } = heldWorkers();
    const codes = Array.from({ length: 25 }, (_, i) => `${i}`.padEnd(50_000, 'x'));
    for (const code of [...codes, codes[24] ?? '', codes[0] ?? '']) {
      const lines = highlighter.highlight(code, 'ts', signal);
      answer();
      await lines;
    }
    expect(asked()).toHaveLength(26);
    expect(asked().at(-1)).toBe(codes[0]);
  });

  it('replaces a worker that hangs, and goes on with the next', async () => {
    const { highlighter, workers, deadlines, answer } = heldWorkers();
    const hung = highlighter.highlight('hung', 'ts', signal);
    const next = highlighter.highlight('next', 'ts', signal);
    deadlines[0]?.pass();
    expect(await hung).toBeNull();
    answer();
    expect((await next)?.flat()[0]).toMatchObject({ text: 'next', color: 'red' });
    expect(workers.map(({ ended }) => ended)).toEqual([true, false]);
    expect(deadlines[1]?.signal.aborted).toBe(true);
  });

  it('replaces a worker that fails', async () => {
    const { highlighter, workers } = heldWorkers();
    const failed = highlighter.highlight('failed', 'ts', signal);
    workers[0]?.onerror?.(new Event('error') as ErrorEvent);
    expect(await failed).toBeNull();
    void highlighter.highlight('next', 'ts', signal);
    await settled();
    expect(workers).toHaveLength(2);
  });

  it('shows code plain where no worker can be had', async () => {
    const highlighter = createCodeHighlighter({
      startWorker: () => {
        throw new Error('refused');
      },
      wait: async () => {},
    });
    expect(await highlighter.highlight('a', 'ts', signal)).toBeNull();
    expect(await highlighter.highlight('b', 'ts', signal)).toBeNull();
  });
});
