import { type OutputReader, plainText } from './output-reader';
import type { TaskProgress } from './task-runner';

/** Output whose file may lack the end, which is read from memory then. */
export interface UnsavedOutput extends OutputReader {
  /** Takes in the size of the output, and its end where that is in no file. */
  heard(progress: Pick<TaskProgress, 'bytes' | 'unsaved'>): void;
}

/** The end of an output that no file has, and the byte of the output it begins at. */
interface Known {
  readonly begin: number;
  readonly tail: Uint8Array;
  readonly why: string;
}

const NEWLINE = 10;

/** Makes a reader of a file go on with what is left in memory where the disk takes no more. */
export function withUnsaved(file: OutputReader): UnsavedOutput {
  let known: Known | null = null;
  /** Everything before this byte of the output has been given, apart from an unfinished line. */
  let given = 0;
  let lastPartial = '';
  let reading: Promise<unknown> = Promise.resolve();

  const readNext: OutputReader['readNew'] = async () => {
    const saved = await file.readNew();
    if (known === null) {
      lastPartial = saved.text === '' ? lastPartial : partialOf(saved.text);
      return saved;
    }
    const { begin, tail, why } = known;
    const seen = Math.max(given, file.offset());
    const lost = Math.max(begin - seen, 0);
    const left = tail.subarray(Math.max(seen - begin, 0));
    const text = plainText(new TextDecoder().decode(left));
    // What is left begins with the line that the file breaks off in.
    const before =
      lost === 0
        ? withoutPartial(saved.text)
        : `${saved.text.replace(/[^\n]$/, '$&\n')}[${lost} bytes of output are gone: ${why}]\n`;
    const isKnown = before === '' && text === lastPartial;
    given = Math.max(seen, begin + tail.lastIndexOf(NEWLINE) + 1);
    lastPartial = partialOf(text);
    return {
      text: isKnown ? '' : before + text,
      skippedBytes: saved.skippedBytes,
      unsaved: why,
    };
  };

  return {
    readNew: () => {
      const next = reading.then(readNext);
      reading = next;
      return next;
    },
    offset: file.offset,
    heard: ({ bytes, unsaved }) => {
      if (unsaved === undefined) return;
      const tail = new TextEncoder().encode(unsaved.tail);
      known = { begin: bytes - tail.byteLength, tail, why: unsaved.why };
    },
  };
}

const partialOf = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

const withoutPartial = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);
