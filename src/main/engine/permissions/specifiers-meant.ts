/** More alternatives of one rule are not made. */
const MAX_MEANT = 32;

/** Signs that only look like those of a rule, and what they are taken for: editors put them in the place of what is typed. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '–': '-',
    '—': '-',
    '：': ':',
    '＊': '*',
    '∗': '*',
    '“': '"',
    '”': '"',
    '‘': "'",
    '’': "'",
  }),
);

/**
 * Returns what a denial may mean besides the text in its parentheses, where it is written as other programs have it: `{a,b}`, several in
 * one, in quotes, `rm: *`, addresses. None for one that is as it should be. Pure.
 */
export function specifiersMeant(tool: string, specifier: string): readonly string[] {
  // Most rules have none of these signs, and there may be very many.
  if (!/[{,|;"'`^(–—：＊∗“”‘’:/.]/.test(specifier) || specifier.startsWith('!')) return [];
  const read = Object.hasOwn(READERS, tool) ? READERS[tool] : undefined;
  if (read === undefined) return [];
  const plain = unquoted(
    tool,
    specifier.replace(/[–—：＊∗“”‘’]/g, (sign) => LOOKALIKES.get(sign) ?? sign),
  );
  const meant = new Set(alternatives(plain).flatMap(read).slice(0, MAX_MEANT));
  meant.delete(specifier);
  return [...meant].filter((one) => one !== '' && one !== '*');
}

/** Takes away the quotes around the whole of a text, but for the path of a program that holds blanks. */
function unquoted(tool: string, text: string): string {
  const [, , inner] = /^(["'`])(.*)\1$/s.exec(text) ?? [];
  if (inner === undefined || /["'`]/.test(inner)) return text;
  return tool === 'Bash' && /[/\\]/.test(inner) && /\s/.test(inner) && !inner.includes('*')
    ? text
    : inner;
}

/** Returns a text with each `{a,b}` outside of quotes as one of its words. */
function alternatives(text: string): readonly string[] {
  const found: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [all, before = '', words = '', after = ''] =
      /^((?:"[^"]*"|'[^']*'|\\.|\$\{|[^"'\\{$]|\$(?!\{))*)\{([^{}"']*,[^{}"']*)\}(.*)$/s.exec(
        next,
      ) ?? [];
    if (all === undefined) found.push(next);
    else
      waiting.push(
        ...words
          .split(',')
          .map((word) => before + word + after)
          .reverse(),
      );
    if (found.length + waiting.length > MAX_MEANT) return [text];
  }
  return found;
}

/** Takes `rm:*,mv:*` and `rm|mv` apart, and reads `rm: *`, `rm:`, `rm:x` and `^rm` as rules have it. Fields of the input are named so, too. */
function commandsIn(text: string): readonly string[] {
  if (/^[\w.-]+(?:[|;][\w.-]+)+$/.test(text)) return text.split(/[|;]/).map((one) => `${one}:*`);
  return text.split(/(?<=^[^\s"']+:\*)\s*[,;|\s]\s*(?=\S)/).map((part) => {
    if (FIELD.test(part) || /^[^:]*:\*$/.test(part)) return part;
    return part
      .replace(/^\((.*:\*)\)$/s, '$1')
      .replace(/^command\s*:\s*(?=\S)/, '')
      .replace(/^prefix\s*:\s*(\S.*?)(?::?\*)?$/s, '$1:*')
      .replace(/^\^(.*?)(?:\.\*)?\$?$/s, '$1:*')
      .replace(/^([\w./-]+)\s*:(?:\s*\*+|\.\*|(?:\*:)+\*)?[;,&]?$/, '$1:*')
      .replace(/^([\w./-]+):([^\s*/].*)$/s, '$1 $2');
  });
}

/** The fields of a command that rules may name. */
const FIELD = /^(?:run_in_background|timeout|description|dangerouslyDisableSandbox)\s*:/;

/** Takes off what names the field, as `Read(path:x)`, and the end that rules for commands have. */
const pathsIn = (text: string): readonly string[] =>
  text.split(/\s*\|\s*|\s*[,;]\s*(?=~\/|\.{0,2}\/|\*\*|$)/).map((part) =>
    part
      .replace(/^(?:(?:file_?)?path|file|glob|regex)\s*:\s*(?=[^\s/]|\/[^/])/i, '')
      .replace(/^\^/, '')
      .replace(/:\*$/, ''),
  );

/** Reads addresses, hosts and lists of them as `domain:host`. Another field of the input is left alone. */
function hostsIn(text: string): readonly string[] {
  const [, name = '', rest = text] =
    /^(domain|host|hostname|site)\s*[:=]\s*(.*)$/is.exec(text) ?? [];
  if (name === '' && /^[\w-]+\s*:(?!\/\/)/.test(text)) return [];
  return rest
    .replaceAll(/["'`]/g, '')
    .split(/[\s,|;]+/)
    .flatMap((part) => {
      const host = /^(?:[a-z][a-z+.-]*:\/\/)?(?:[^/@]*@)?(\[[0-9a-f:.]+\]|[^\s/:?#"']+)/i.exec(
        part,
      )?.[1];
      if (host === undefined) return [];
      return host.startsWith('.')
        ? [`domain:*${host}`, `domain:${host.slice(1)}`]
        : [`domain:${host}`];
    });
}

const names = (text: string): readonly string[] => text.split(/\s*[,|;]\s*/);

/** The readers of the texts in rules, by tool. */
const READERS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  Bash: commandsIn,
  Monitor: commandsIn,
  WebFetch: hostsIn,
  Agent: names,
  Skill: (text) => names(text).map((name) => name.replace(/^\//, '')),
  ...Object.fromEntries(
    ['Read', 'Grep', 'Glob', 'LSP', 'Edit', 'Write', 'NotebookEdit'].map((tool) => [tool, pathsIn]),
  ),
};
