import type { SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

/** The way to search. */
export interface FindOptions {
  readonly regex: boolean;
  readonly matchCase: boolean;
}

/** The matches of a search. `at` counts from 1; null when there are too many to count. */
export interface Matches {
  readonly at: number | null;
  readonly count: number;
  /** The one that was gone to is among the first lines on screen, where it would be covered. */
  readonly isHigh: boolean;
}

/** The search of a terminal's screen and scrollback. */
export interface TerminalSearch {
  /** Goes to a match and marks all of them. */
  find(
    text: string,
    direction: 'next' | 'previous',
    options: FindOptions,
  ): 'found' | 'missing' | 'invalid';
  /** Takes the marks away. */
  end(): void;
}

/** The lines at the top of the screen that the field of a search may cover, in the largest type. */
const COVERED_LINES = 3;

/** Creates the search of a terminal. `changed` is told of its matches; null when it has ended. */
export function createTerminalSearch(
  terminal: Terminal,
  addon: SearchAddon,
  changed: (matches: Matches | null) => void,
): TerminalSearch {
  let searched: FindOptions = { regex: false, matchCase: false };
  addon.onDidChangeResults(({ resultIndex, resultCount }) => {
    const at = resultIndex < 0 ? null : resultIndex + 1;
    const line = terminal.getSelectionPosition()?.start.y ?? Number.POSITIVE_INFINITY;
    const isHigh = line - terminal.buffer.active.viewportY < COVERED_LINES;
    changed({ at, count: resultCount, isHigh });
  });
  return {
    find(text, direction, { regex, matchCase }) {
      const colour = terminal.options.theme?.yellow ?? '#808080';
      const options = {
        regex,
        caseSensitive: matchCase,
        decorations: {
          matchBorder: colour,
          matchOverviewRuler: colour,
          activeMatchBorder: colour,
          activeMatchColorOverviewRuler: colour,
        },
      };
      // The addon counts anew only when the text is another one.
      if (regex !== searched.regex || matchCase !== searched.matchCase) addon.clearDecorations();
      searched = { regex, matchCase };
      try {
        const found =
          direction === 'next' ? addon.findNext(text, options) : addon.findPrevious(text, options);
        return found ? 'found' : 'missing';
      } catch {
        // Half a regular expression.
        addon.clearDecorations();
        return 'invalid';
      }
    },
    end() {
      addon.clearDecorations();
      changed(null);
    },
  };
}
