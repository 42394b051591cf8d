const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** One escape of `$'…'`: a name, octal, hexadecimal, Unicode, or a control letter. */
const ESCAPE =
  /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))/gs;

/**
 * What `$'…'` means (without the signs around it); null when it has an escape that shells read differently or a
 * NUL, at which they stop.
 */
export function decodeAnsiC(text: string): string | null {
  if (/\\(?![abeEfnrtv\\'"?0-7xuUc])/.test(text.replace(/\\\\/g, ''))) return null;
  const decoded = text.replace(
    ESCAPE,
    (
      whole,
      name?: string,
      octal?: string,
      hex?: string,
      u?: string,
      U?: string,
      control?: string,
    ) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
      const code =
        octal === undefined
          ? Number.parseInt(hex ?? u ?? U ?? '', 16)
          : Number.parseInt(octal, 8) & 0xff;
      // Above ASCII, bytes and characters are not the same in every locale.
      return code > 0 && code < 0x80 ? String.fromCharCode(code) : '\0';
    },
  );
  return decoded.includes('\0') ? null : decoded;
}
