/**
 * Splits permission rules as written on a command line: at commas and spaces, but never inside parentheses.
 * `Bash(git log *),Edit Read` gives three rules.
 */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of text) {
    if (depth === 0 && (character === ',' || /\s/.test(character))) {
      rules.push(rule);
      rule = '';
      continue;
    }
    if (character === '(') depth += 1;
    if (character === ')' && depth > 0) depth -= 1;
    rule += character;
  }
  rules.push(rule);
  return rules.map((part) => part.trim()).filter((part) => part !== '');
}
