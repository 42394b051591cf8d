import type { RuleBehavior } from '../../../shared/permission';
import { composed } from './paths';
import { parseWildcard, type Wildcard } from './patterns';
import { isFileTool, type ParsedRule } from './rules';

/** The facts about a call by which rules are looked up. */
export interface Lookup {
  /** Texts that patterns of commands may fit. */
  readonly texts?: Iterable<string>;
  /** Patterns that they may overlap with. */
  readonly open?: Iterable<Wildcard>;
  /** Absolute paths that patterns of files may cover. */
  readonly paths?: Iterable<string>;
  /** Words that may name the program of a command rule. */
  readonly words?: Iterable<string>;
  /** Fields of the input that a rule may name. */
  readonly params?: Readonly<Record<string, string>> | undefined;
}

/** Rules, indexed by what their patterns begin with, so that a call is held against few of very many. */
export interface RuleSet {
  /** All rules, in their order. */
  readonly all: readonly ParsedRule[];
  /** Returns, in their order, at least those rules that fit one of the given facts, which are asked for only if need be. */
  select(behavior: RuleBehavior, facts: () => Lookup): readonly ParsedRule[];
}

/** Places of rules by a key, and those that no key can find. */
interface Places {
  readonly byKey: Map<string, number[]>;
  readonly lengths: Set<number>;
  readonly others: number[];
}

interface Index {
  readonly texts: Places;
  readonly segments: Places;
  readonly programs: Places;
  readonly params: Places;
}

/** To hold fewer rules of one kind against a call costs less than to look them up. */
const INDEXED_FROM = 64;

type Find = (facts: () => Lookup) => readonly ParsedRule[];

/** Creates the set. Rules of one kind are indexed when something is first looked up, if they are as many as `indexedFrom`. */
export function createRuleSet(all: readonly ParsedRule[], indexedFrom = INDEXED_FROM): RuleSet {
  const finds = new Map<RuleBehavior, Find>();
  const findFor = (behavior: RuleBehavior): Find => {
    const own = all.filter(({ rule }) => rule.behavior === behavior);
    const find = own.length < indexedFrom ? () => own : findIn(own);
    finds.set(behavior, find);
    return find;
  };
  return {
    all,
    select: (behavior, facts) => (finds.get(behavior) ?? findFor(behavior))(facts),
  };
}

/** Indexes rules and returns the search in them. */
function findIn(rules: readonly ParsedRule[]): Find {
  const index = indexOf(rules);
  return (facts) => {
    const found = placesFor(index, facts());
    return [...found].sort((a, b) => a - b).flatMap((at) => rules[at] ?? []);
  };
}

function indexOf(rules: readonly ParsedRule[]): Index {
  const index = {
    ...{ texts: noPlaces(), segments: noPlaces() },
    ...{ programs: noPlaces(), params: noPlaces() },
  };
  rules.forEach((rule, at) => {
    const colon = rule.specifier?.indexOf(':') ?? -1;
    if (colon > 0) put(index.params, rule.specifier?.slice(0, colon).trim() ?? null, at);
    if (isFileTool(rule.tool)) {
      put(index.segments, segmentOf(rule), at);
      return;
    }
    if (!/^(?:Bash|Monitor)$/.test(rule.tool)) put(index.segments, null, at);
    const head = rule.specifier === null ? '' : headOf(rule.specifier);
    put(index.texts, head, at);
    if (rule.tool === 'Bash') put(index.programs, programIn(head) || null, at);
  });
  return index;
}

const noPlaces = (): Places => ({ byKey: new Map(), lengths: new Set(), others: [] });

function put(places: Places, key: string | null, at: number): void {
  if (key === null) {
    places.others.push(at);
    return;
  }
  const known = places.byKey.get(key);
  if (known) known.push(at);
  else places.byKey.set(key, [at]);
  places.lengths.add(key.length);
}

function placesFor(index: Index, facts: Lookup): ReadonlySet<number> {
  const found = new Set<number>();
  const add = (places: readonly number[] = []) => {
    for (const place of places) found.add(place);
  };
  const { texts, segments, programs, params } = index;
  for (const text of facts.texts ?? [])
    for (const length of texts.lengths)
      if (length <= text.length) add(texts.byKey.get(text.slice(0, length)));
  for (const pattern of facts.open ?? []) {
    const head = literalHead(pattern);
    for (const [key, places] of texts.byKey)
      if (key.startsWith(head) || head.startsWith(key)) add(places);
  }
  if (facts.paths !== undefined) {
    const names = new Set([...facts.paths].flatMap((path) => path.split('/')));
    for (const name of names) add(segments.byKey.get(folded(name)));
    add(segments.others);
  }
  for (const word of facts.words ?? []) addPrograms(programs, word, add);
  if (facts.words !== undefined) add(programs.others);
  for (const name of Object.keys(facts.params ?? {})) add(params.byKey.get(name));
  return found;
}

/** Looks up what stands in a word where the name of a program may begin: at its start, behind a sign or an option's letter. */
function addPrograms(
  { byKey, lengths }: Places,
  word: string,
  add: (places: readonly number[] | undefined) => void,
): void {
  for (let from = 0; from < word.length; from++) {
    const isStart = from === 0 || (from === 2 && word[0] === '-');
    if (!isStart && /[\w.-]/.test(word[from - 1] ?? '')) continue;
    for (const length of lengths)
      if (from + length <= word.length) add(byKey.get(word.slice(from, from + length)));
  }
}

/** Returns the text that a pattern begins with, up to its first star. */
function literalHead(pattern: Wildcard): string {
  let head = '';
  for (const part of pattern) {
    if (part === null) break;
    head += part;
  }
  return head;
}

/** Returns the text that all patterns of a specifier begin with. */
function headOf(specifier: string): string {
  const text = /[: ]\*$/.test(specifier) ? specifier.slice(0, -2) : specifier;
  const star = text.indexOf('*');
  if (star < 0) return text;
  return text[star - 1] === '\\' ? literalHead(parseWildcard(text)) : text.slice(0, star);
}

/** Returns the words that a command rule begins with. */
export const namesOf = ({ patterns: [pattern] }: ParsedRule): readonly string[] =>
  (pattern === undefined ? '' : literalHead(pattern)).trim().split(/\s+/);

/** Returns the name of the program that a command begins with, without its folder; empty when it has none. */
function programIn(head: string): string {
  const [first = ''] = head.trim().split(/\s/, 1);
  return first.slice(first.lastIndexOf('/') + 1);
}

const folded = (name: string): string => composed(name).toLowerCase();

/** Returns the last name without wildcards that each path under a rule must have in it; null when there is none. */
function segmentOf({ specifier }: ParsedRule): string | null {
  if (specifier === null) return null;
  const names = specifier
    .replace(/^~(?=\/|$)/, '')
    .replace(/(?<!\\) +$/, '')
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return null;
  const name = names.findLast((one) => !/[*?[\\]/.test(one));
  return name === undefined ? null : folded(name);
}
