import { describe, expect, it } from 'vitest';
import { cleanTitle, titleQuestion } from '../../../src/main/engine/sessions/title';

describe('the title in a reply of the model', () => {
  it.each<[string, string, string | null]>([
    ['is its line', 'Fix the login loop', 'Fix the login loop'],
    ['without quotes', '"Fix the login loop"', 'Fix the login loop'],
    ['without typographic quotes', '„Anmeldung reparieren“', 'Anmeldung reparieren'],
    ['with the quotes inside', "Rename 'a' to 'b'", "Rename 'a' to 'b'"],
    ['with quotes at both ends that belong to words', "'a' becomes 'b'", "'a' becomes 'b'"],
    ['without full stop', 'Fix the login loop.', 'Fix the login loop'],
    ['without quotes and full stops, whichever is outside', '"Fix it.".', 'Fix it'],
    ['without a label', 'Title: **Fix the login loop**', 'Fix the login loop'],
    ['without the mark of a heading', '## Fix #12 in C#', 'Fix #12 in C#'],
    ['with the underscores of a name', '__init__ runs twice', '__init__ runs twice'],
    ['without space around and within', '\n  Fix \t the   loop \n', 'Fix the loop'],
    ['without control characters', 'Fix\u0007 the\u001b[31m loop\u0000', 'Fix the[31m loop'],
    [
      'without what turns text around',
      '\u202eFix \u2066the\u2069 loop\u200f\ufeff',
      'Fix the loop',
    ],
    ['with joiners, which are letters', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['in any script', '修复登录循环。', '修复登录循环'],
    [
      'cut at a word when it is too long',
      `${'Mend the harbour '.repeat(4)}and its lights`,
      'Mend the harbour Mend the harbour Mend the harbour Mend…',
    ],
    ['cut in a word that is too long', 'é'.repeat(80), `${'é'.repeat(59)}…`],
    ['is none in an empty reply', '  \n ', null],
    ['is none in signs alone', '"…".', null],
    ['is none in several lines', 'I will fix it.\nFirst I read the file.', null],
    ['is none in an answer', `I cannot name this conversation, because ${'x '.repeat(60)}`, null],
    ['is none in data', '{"title": "Fix it"}', null],
    ['is none in tags', '<title>Fix it</title>', null],
  ])('%s', (_, reply, title) => {
    expect(cleanTitle(reply)).toBe(title);
  });
});

describe('the question for a title', () => {
  it('has the beginning of the prompt and of the answer, no more', () => {
    const { text, system, maxTokens } = titleQuestion('🛥'.repeat(5_000), 'a'.repeat(5_000));
    expect(text.length).toBeLessThan(2_100);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(`<answer>\n${'a'.repeat(500)}\n</answer>`);
    expect(system.length).toBeLessThan(600);
    expect(maxTokens).toBe(40);
  });
});
