/** Languages whose code is coloured, each by a grammar of its own file. */
const GRAMMARS = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'docker',
  'elixir',
  'go',
  'graphql',
  'html',
  'ini',
  'java',
  'javascript',
  'json',
  'jsonc',
  'jsx',
  'kotlin',
  'lua',
  'make',
  'markdown',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'toml',
  'tsx',
  'typescript',
  'vue',
  'xml',
  'yaml',
  'zig',
] as const;

export type Grammar = (typeof GRAMMARS)[number];

/** Other names that people and file endings give them. */
const OTHER_NAMES: ReadonlyMap<string, Grammar> = new Map([
  ['sh', 'bash'],
  ['shell', 'bash'],
  ['zsh', 'bash'],
  ['console', 'bash'],
  ['c++', 'cpp'],
  ['cc', 'cpp'],
  ['hpp', 'cpp'],
  ['h', 'c'],
  ['htm', 'html'],
  ['exs', 'elixir'],
  ['kts', 'kotlin'],
  ['cs', 'csharp'],
  ['c#', 'csharp'],
  ['patch', 'diff'],
  ['dockerfile', 'docker'],
  ['ex', 'elixir'],
  ['golang', 'go'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['kt', 'kotlin'],
  ['makefile', 'make'],
  ['md', 'markdown'],
  ['ps1', 'powershell'],
  ['py', 'python'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['ts', 'typescript'],
  ['mts', 'typescript'],
  ['svg', 'xml'],
  ['yml', 'yaml'],
]);

/** Returns the name by which a file's language is known: its ending, or its name when it has none. */
export function languageOf(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(dot + 1) : name).toLowerCase();
}

/** Returns the grammar that a code block's language name means, or null. */
export function grammarOf(language: string): Grammar | null {
  const name = language.toLowerCase();
  const other = OTHER_NAMES.get(name);
  if (other !== undefined) return other;
  return GRAMMARS.find((grammar) => grammar === name) ?? null;
}
