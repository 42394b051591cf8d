import { describe, expect, it } from 'vitest';
import { titleFromPrompt } from '../../../src/main/engine/sessions/list';
import type { UserBlock } from '../../../src/shared/message';
import { pastedText } from '../../../src/shared/paste';

const text = (words: string): UserBlock => ({ type: 'text', text: words });
const image: UserBlock = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};

describe('the title of a prompt', () => {
  it.each<[string, readonly UserBlock[], string]>([
    ['its first line', [text('\n Mend it. \nNow.')], 'Mend it.'],
    ['60 characters of two units', [text('🪔'.repeat(60))], '🪔'.repeat(60)],
    ['cut where they are more', [text('🪔'.repeat(5e5))], `${'🪔'.repeat(59)}…`],
    ['cut at 60 characters', [text('é'.repeat(70))], `${'é'.repeat(59)}…`],
    ['its words, not what it brings', [text('Why?'), image, text(pastedText('log\nline'))], 'Why?'],
    ['of a paste alone, the first words of that', [text(''), text(pastedText('\n log\nx'))], 'log'],
    ['of an image alone', [text(''), image], 'Image'],
    ['of nothing', [text(' ')], ''],
  ])('is %s', (_, prompt, title) => {
    expect(titleFromPrompt(prompt)).toBe(title);
  });
});
