import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairHistory, repairServerTools } from '../../../src/main/engine/messages/repair';
import type { ApiMessage } from '../../../src/main/engine/model/model-client';
import type { Message } from '../../../src/shared/message';
import { runs } from '../../support/runs';
import { history } from './arbitraries';
import {
  asHistory,
  assistant,
  isComplete,
  normalize,
  refused,
  result,
  think,
  use,
  user,
} from './builders';

describe('any history at all', () => {
  it('becomes one the API accepts', () => {
    fc.assert(
      fc.property(history, (h) => {
        expect(refused(normalize([...h, user('go on')], { context: 'facts' }))).toBeNull();
        const asItIs = normalize(h, { context: 'facts' });
        if (isComplete(asItIs)) expect(refused(asItIs)).toBeNull();
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is repaired once and for all', () => {
    fc.assert(
      fc.property(history, (h) => {
        const once = normalize(h);
        expect(repairHistory(once)).toEqual(once);
        expect(repairServerTools(once)).toEqual(once);
      }),
      { numRuns: runs(500) },
    );
  });

  it('normalised twice is what it was after once', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 4 }), (h, maxImages) => {
        const once = normalize(h, { maxImages });
        expect(normalize(asHistory(once), { maxImages })).toEqual(once);
      }),
      { numRuns: runs(500) },
    );
  });

  it('keeps every call, text and image that is not blank, and is left unchanged itself', () => {
    fc.assert(
      fc.property(history, (h) => {
        const before = JSON.stringify(h);
        const recent = h.slice(
          Math.max(
            0,
            h.findLastIndex((m) => m.role === 'boundary'),
          ),
        );
        const sent = JSON.stringify(normalize(h));
        expect(JSON.stringify(h)).toBe(before);
        const calls = recent.flatMap((m) =>
          m.role === 'assistant'
            ? m.content.filter((b) => b.type === 'tool_use').map((b) => b.id)
            : [],
        );
        const legal = (id: string) => id.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';
        for (const id of new Set(calls)) expect(sent).toContain(`"id":"${legal(id)}`);
        for (const m of recent) {
          if (m.role !== 'user' && m.role !== 'assistant') continue;
          for (const b of m.content)
            if (b.type === 'text' && b.text.trim() !== '')
              expect(sent).toContain(JSON.stringify(b.text.toWellFormed()));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('a healthy history only ever grows at its end (the cache and thinking depend on it)', () => {
    const turns = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(turns, (calls) => {
        const h: Message[] = [];
        let before: readonly ApiMessage[] = [];
        for (const [turn, n] of calls.entries()) {
          h.push(user(`prompt ${turn}`));
          const ids = Array.from({ length: n }, (_, i) => `c${turn}_${i}`);
          h.push(assistant(think(`t${turn}`), `answer ${turn}`, ...ids.map(use)));
          if (n > 0) h.push(user(...ids.map((id) => result(id))), assistant(`done ${turn}`));
          const now = normalize(h, { context: 'facts' });
          expect(now.slice(0, before.length)).toEqual(before);
          before = now;
        }
      }),
    );
  });
});
