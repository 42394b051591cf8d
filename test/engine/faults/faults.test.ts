import { describe, expect, it } from 'vitest';
import { play, type Row } from './play';
import { STATUS_ROWS } from './rows-status';
import { STREAM_ROWS } from './rows-stream';

const ROWS: readonly Row[] = [...STATUS_ROWS, ...STREAM_ROWS];

describe('every fault is met', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const played = await play(row);
    expect({ steps: played.steps, asked: played.asked, delays: played.delays }).toEqual({
      steps: row.steps,
      asked: row.asked,
      delays: row.delays ?? [],
    });
    expect(played.ran).toEqual(row.ran ?? []);
    expect(new Set(played.ran).size).toBe(played.ran.length);
    expect(played.refusals).toEqual([]);
    expect(played.after).toBe('still there');
    if (row.line.source !== '^$') expect(played.lines.join('\n')).toMatch(row.line);
    for (const line of played.lines) expect(line).not.toMatch(/\n|test-key/);
  });
});
