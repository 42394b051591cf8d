import { expect, it } from 'vitest';
import { hitOf } from '../../src/main/search/hits';
import { parseSearch } from '../../src/main/search/words';
import type { SearchHit } from '../../src/shared/session-search';

const FACTS = { project: '/p', title: 'Lamps', titled: false };

it.each<[SearchHit['who'], string, string]>([
  [
    'assistant',
    '## The lamps\nshow **green**, see `lamps.ts`',
    'The [lamps] show green, see [lamps].ts',
  ],
  ['assistant', 'of lamps 2 ** 3 and `open', 'of [lamps] 2 ** 3 and `open'],
  ['user', '**lamps** are `x`', '**[lamps]** are `x`'],
])('shows what %s said: %s', (who, text, shown) => {
  const { snippet } = hitOf(
    's',
    FACTS,
    { at: 1, who, itemId: 'i', text },
    parseSearch('lamps') ?? [],
  );
  expect(snippet.map((part) => (part.found ? `[${part.text}]` : part.text)).join('')).toBe(shown);
});
