import { describe, expect, it } from 'vitest';
import type { SessionFeed } from '../../src/shared/contract';
import { assembleSnapshot, snapshotPieces } from '../../src/shared/snapshot';
import { emptyTranscript, type Item, type Transcript } from '../../src/shared/transcript';

const row = (at: number, kind: 'prompt' | 'text'): Item =>
  kind === 'prompt'
    ? { kind, id: `row ${at}`, text: `${at}`, at }
    : { kind, id: `row ${at}`, text: `${at}`, done: true };

/** A conversation of `count` rows, with a prompt at every `each`th. */
const conversation = (count: number, each: number): Transcript => ({
  ...emptyTranscript('s', 'e'),
  seq: count,
  committed: Array.from({ length: count }, (_, at) => row(at, at % each === 0 ? 'prompt' : 'text')),
});

/** Returns what a subscriber has after all pieces. */
function received(pieces: readonly SessionFeed[]): Transcript | null {
  const [first, ...rest] = pieces;
  if (first?.type !== 'snapshot') return null;
  if (first.older === 0) return first.transcript;
  const assembly = assembleSnapshot(first.transcript, first.older);
  let whole: Transcript | null = null;
  for (const piece of rest) {
    expect(whole).toBeNull();
    if (piece.type === 'older') whole = assembly.add(piece.items);
  }
  return whole;
}

describe('snapshotPieces', () => {
  it.each([0, 1, 99, 100, 101, 350, 351, 9_999])('of %i rows make the same again', (count) => {
    const t = conversation(count, 7);
    expect(received([...snapshotPieces(t)])).toEqual(t);
  });

  it.each([
    ['at a prompt', conversation(10_000, 7), 9_898],
    ['in the middle of a query that is very long', conversation(10_000, 9_000), 9_900],
    ['not at all when it is short', conversation(100, 7), 0],
  ])('cut %s', (_, t, older) => {
    const [first] = snapshotPieces(t);
    expect(first).toMatchObject({ type: 'snapshot', older });
    if (first?.type === 'snapshot') expect(first.transcript.committed[0]).toBe(t.committed[older]);
  });

  it('are small, so that none of them holds up a page', () => {
    for (const piece of snapshotPieces(conversation(10_000, 7)))
      if (piece.type === 'older') expect(piece.items.length).toBeLessThanOrEqual(250);
  });
});
