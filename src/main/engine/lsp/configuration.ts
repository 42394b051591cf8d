import type { LanguageServerSetting } from '../settings/plugins/language-servers';

/**
 * Returns the settings of a section, as a server asks for them: what stands under its whole name, under its words one in another,
 * or under names that begin with it. Null where there are none. Pure.
 */
export function sectionOf(settings: LanguageServerSetting['settings'], section: unknown): unknown {
  if (settings === undefined) return null;
  if (typeof section !== 'string' || section === '') return settings;
  if (Object.hasOwn(settings, section)) return settings[section];
  const nested = section
    .split('.')
    .reduce<unknown>(
      (value, word) => (isObject(value) && Object.hasOwn(value, word) ? value[word] : undefined),
      settings,
    );
  if (nested !== undefined) return nested;
  const below = Object.entries(settings).filter(([name]) => name.startsWith(`${section}.`));
  return below.length === 0 ? null : unfolded(below, section.length + 1);
}

/** Puts what stands under `a.b` into objects one in another. */
function unfolded(entries: readonly (readonly [string, unknown])[], from: number): unknown {
  const all: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) {
    const words = name.slice(from).split('.');
    let at = all;
    for (const word of words.slice(0, -1)) {
      const next = isObject(at[word]) ? at[word] : Object.create(null);
      at[word] = next;
      at = next;
    }
    at[words.at(-1) ?? ''] = value;
  }
  return all;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The abilities that servers are told of. Places count in UTF-16 units, which every server knows. */
export const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: false,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
    symbol: { dynamicRegistration: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
  },
} as const;

/** Returns the language of a file as a server is told it; null for one that it does not cover. Pure. */
export function languageOf(
  path: string,
  { languages }: Pick<LanguageServerSetting, 'languages'>,
): string | null {
  const name = path.slice(path.search(/[^\\/]*$/)).toLowerCase();
  const ends = Object.keys(languages).filter((end) => name.endsWith(end));
  const [longest] = ends.sort((a, b) => b.length - a.length);
  return longest === undefined ? null : (languages[longest] ?? null);
}
