/**
 * Returns a function that gives its last answer again while it is asked about the very same things, by identity. `make` has
 * to be pure.
 */
export function lastAnswer<Parts extends readonly unknown[], Answer>(
  make: (...parts: Parts) => Answer,
): (...parts: Parts) => Answer {
  let last: { readonly parts: Parts; readonly answer: Answer } | null = null;
  return (...parts) => {
    const same =
      last?.parts.length === parts.length && last.parts.every((part, at) => part === parts[at]);
    if (last === null || !same) last = { parts, answer: make(...parts) };
    return last.answer;
  };
}
