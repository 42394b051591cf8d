import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../../src/renderer/chat/Markdown';
import { withDollars } from '../../../src/renderer/chat/math';

/** The text of prose, with ⟨formulas⟩; before KaTeX is there they show their source. */
const read = (text: string): string =>
  renderToStaticMarkup(<Markdown text={text} done />)
    .replace(/<span hidden=""><\/span><code>([^<]*)<\/code>/g, '⟨$1⟩')
    .replace(/<[^>]*>/g, '')
    .trim();

describe('formulas', () => {
  it.each([
    ['So $a_1 + b_2$ and $x^*$ are $y^*$.', 'So ⟨a_1 + b_2⟩ and ⟨x^*⟩ are ⟨y^*⟩.'],
    ['It costs $5 and then $10.', 'It costs $5 and then $10.'],
    ['Put $HOME/bin in $PATH.', 'Put $HOME/bin in $PATH.'],
    ['Set $HOME/bin:$PATH first.', 'Set $HOME/bin:$PATH first.'],
    ['`$a$` stays', '$a$ stays'],
    ['Thus \\(n \\le 3\\).', 'Thus ⟨n \\le 3⟩.'],
    ['\\[\n\\frac{a}{b}\n= c\n\\]', '⟨\\frac{a}{b} = c⟩'],
    ['$$\n\\sum_i x_i\n$$', '⟨\\sum_i x_i⟩'],
    ['`\\(a\\)` and \\(b\\)', '\\(a\\) and ⟨b⟩'],
  ])('%j', (text, shown) => expect(read(text)).toBe(shown));

  it('leaves listings alone', () => {
    const code = '```\n\\(a\\) \\[b\\]\n```';
    expect(withDollars(code)).toBe(code);
  });

  it('puts a formula between two dollars on a line of its own', () => {
    const html = renderToStaticMarkup(<Markdown text={'a $$b$$ c'} done />);
    expect(html).toMatch(/class="[^"]*math-block/);
  });
});
