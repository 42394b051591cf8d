import { findCycles, type ImportEdges, importEdges } from './import-graph';
import { MAX_LINES } from './rules';
import { readSources, type SourceFile } from './source-file';

/** A file shorter than this, in lines, is a crumb when only one neighbour imports it. */
const CRUMB_LINES = 60;

/** Sizes and imports of a set of files. Paths are relative to the repository. */
export interface Shape {
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  readonly p90Lines: number;
  readonly maxLines: number;
  /** Files over the cap of test/arch/rules.ts. */
  readonly overCap: readonly string[];
  /** Files that exactly one file imports, which stands in the same folder. */
  readonly oneNeighbour: readonly string[];
  /** Those of `oneNeighbour` that are short enough to live in that neighbour. */
  readonly crumbs: readonly string[];
  /** Import cycles, each as one way round. */
  readonly cycles: readonly (readonly string[])[];
}

/** Reads `src` of the repository at `root` and measures its code; stylesheets and pages are left out. */
export const measureRepository = (root: string): Shape =>
  measureShape(readSources(root, ['src']).filter((f) => /\.tsx?$/.test(f.path)));

/** Measures `files`, with imports between them only. */
export function measureShape(files: readonly SourceFile[]): Shape {
  const sizes = files.map((f) => f.lineCount).sort((a, b) => a - b);
  const edges = importEdges(files);
  const importers = importersByFile(edges);
  const oneNeighbour = files.filter((f) => {
    const [only, ...others] = importers.get(f.path) ?? [];
    return only !== undefined && others.length === 0 && folderOf(only) === folderOf(f.path);
  });
  const paths = (some: readonly SourceFile[]): string[] => some.map((f) => f.path);
  return {
    files: files.length,
    lines: sizes.reduce((sum, size) => sum + size, 0),
    medianLines: quantile(sizes, 0.5),
    p90Lines: quantile(sizes, 0.9),
    maxLines: sizes.at(-1) ?? 0,
    overCap: paths(files.filter((f) => f.lineCount > MAX_LINES)),
    oneNeighbour: paths(oneNeighbour),
    crumbs: paths(oneNeighbour.filter((f) => f.lineCount < CRUMB_LINES)),
    cycles: findCycles(edges),
  };
}

function importersByFile(edges: readonly ImportEdges[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of edges)
    for (const target of to) {
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(from));
    }
  return importers;
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** Returns the value below which the share `q` of the ascending `sizes` lies; 0 when there is none. */
const quantile = (sizes: readonly number[], q: number): number =>
  sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * q))] ?? 0;
