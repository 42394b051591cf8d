import { deadCitations } from './citations';
import { findCycles, type ImportEdges, importEdges, resolveInside } from './import-graph';
import {
  ENGINE_FORBIDDEN,
  ENGINE_LAYERS,
  ENTRIES,
  HOME_PATHS,
  MAX_LINES,
  OWN_PATHS,
  SHARED_FORBIDDEN,
  ZONES,
  type Zone,
} from './rules';
import type { Import, SourceFile } from './source-file';

/** One broken rule, where, and why, for a user. */
export interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const ENGINE = 'src/main/engine/';

/** Holds files against every rule of the table. Pure; an empty answer means: all rules hold. */
export function checkArchitecture(files: readonly SourceFile[]): readonly Violation[] {
  const edges = importEdges(files);
  return [
    ...files.flatMap((f) =>
      f.path.startsWith('src/') ? [...checkImports(f), ...checkShape(f)] : [],
    ),
    ...files.flatMap(checkEverywhere),
    ...deadCitations(files).map((c) =>
      at('comments cite what is here', c.file, c.line, `no reader has ${c.what}`),
    ),
    ...findCycles(edges).map((cycle) =>
      at('no import cycles', cycle[0] ?? '', 1, cycle.join(' → ')),
    ),
    ...findCycles(roomEdges(edges)).map((cycle) =>
      at('engine rooms form no circle', `${ENGINE}${cycle[0]}`, 1, cycle.join(' → ')),
    ),
  ];
}

/** One line per violation, the way editors and terminals can follow: `file:line rule: message`. */
export const describeViolation = (v: Violation): string =>
  `${v.file}:${v.line} [${v.rule}] ${v.message}`;

const at = (rule: string, file: string, line: number, message: string): Violation => ({
  rule,
  file,
  line,
  message,
});

function checkEverywhere(f: SourceFile): Violation[] {
  const found: Violation[] = [];
  if (f.parseError !== undefined) found.push(at('files parse', f.path, 1, f.parseError));
  if (/^(src|test)\//.test(f.path) && f.lineCount > MAX_LINES)
    found.push(at('file size', f.path, f.lineCount, `${f.lineCount} lines, at most ${MAX_LINES}`));
  if (f.isBarrel)
    found.push(at('no barrels', f.path, 1, 'only re-exports: import from the source'));
  f.text.split('\n').forEach((text, i) => {
    const hit = OWN_PATHS.exec(text) ?? (f.path.startsWith('test/') ? null : HOME_PATHS.exec(text));
    if (hit) found.push(at('no machine paths', f.path, i + 1, hit[0]));
  });
  return found;
}

function checkImports(f: SourceFile): Violation[] {
  const zone = ZONES.find((z) => f.path.startsWith(z.folder));
  if (!zone)
    return [at('every file has a zone', f.path, 1, 'no row of test/arch/rules.ts covers it')];
  return f.imports.flatMap((i) => [...checkImport(f.path, zone, i), ...checkLayers(f.path, i)]);
}

function checkImport(file: string, zone: Zone, i: Import): Violation[] {
  const may = (rule: string): Violation[] => [
    at(`${zone.name} may import`, file, i.line, `${i.specifier} is not in the list: ${rule}`),
  ];
  if (!i.specifier.startsWith('.')) {
    return zone.packages.some((p) => matchesPackage(p, i.specifier))
      ? []
      : may(zone.packages.join(', '));
  }
  if (/\.[cm]?[jt]sx?$/.test(i.specifier))
    return [at('no file extensions', file, i.line, `${i.specifier}: leave the extension out`)];
  const target = resolveInside(file, i.specifier);
  const allowed = zone.imports.some((rule) => {
    const folder = rule.replace('(types)', '');
    return (i.typeOnly || folder === rule) && isUnder(target, folder);
  });
  return allowed ? [] : may(zone.imports.join(', '));
}

const matchesPackage = (rule: string, specifier: string): boolean => {
  if (rule.endsWith('*')) return specifier.startsWith(rule.slice(0, -1));
  return specifier === rule || (specifier.startsWith(`${rule}/`) && !rule.startsWith('node:'));
};

const isUnder = (target: string, rule: string): boolean =>
  rule.endsWith('/') ? target.startsWith(rule) : target === rule || target.startsWith(`${rule}/`);

/** The engine room of a path: `src/main/engine/tools/x.ts` → `tools`. */
const roomOf = (path: string): string | null =>
  path.startsWith(ENGINE)
    ? (path.slice(ENGINE.length).split('/')[0]?.replace(/\.ts$/, '') ?? null)
    : null;

const layerOf = (room: string): number => ENGINE_LAYERS.findIndex((layer) => layer.includes(room));

function checkLayers(file: string, i: Import): Violation[] {
  const from = roomOf(file);
  if (from === null) return [];
  if (layerOf(from) < 0)
    return [
      at(
        'every engine room has a layer',
        file,
        i.line,
        `"${from}" is in no layer of test/arch/rules.ts`,
      ),
    ];
  const to = i.specifier.startsWith('.') ? roomOf(resolveInside(file, i.specifier)) : null;
  if (to === null || layerOf(to) <= layerOf(from)) return [];
  return [at('engine layers import leftwards', file, i.line, `${from} may not know ${to}`)];
}

function checkShape(f: SourceFile): Violation[] {
  const inEngine = f.path.startsWith(ENGINE);
  const forbidden = [
    ...(inEngine || f.path.startsWith('src/shared/') ? ENGINE_FORBIDDEN : []),
    ...(f.path.startsWith('src/shared/') ? SHARED_FORBIDDEN : []),
  ];
  return [
    ...f.globals
      .filter((g) =>
        forbidden.some((name) => (name.endsWith('.') ? g.what.startsWith(name) : g.what === name)),
      )
      .map((g) => at('only through ports', f.path, g.line, `${g.what} is forbidden here`)),
    ...f.mutableState.map((s) => at('no module-level state', f.path, s.line, s.what)),
    ...(ENTRIES.has(f.path) ? [] : f.importTimeWork).map((s) =>
      at('no work at import time', f.path, s.line, s.what),
    ),
  ];
}

function roomEdges(edges: readonly ImportEdges[]): ImportEdges[] {
  return edges.flatMap(({ from, to }) => {
    const room = roomOf(from);
    const others = to.map(roomOf).filter((r): r is string => r !== null && r !== room);
    return room === null ? [] : [{ from: room, to: others }];
  });
}
