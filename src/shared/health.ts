/** One line of the examination of an installation. `bad` means: something will not work. */
export interface Finding {
  readonly label: string;
  readonly state: 'good' | 'note' | 'bad';
  readonly text: string;
}

/** The state of Lathe's own process. */
export interface HostHealth {
  readonly pid: number;
  /** Milliseconds. */
  readonly upMs: number;
  /** All its memory, that of its heap, and the most its heap may take. Bytes. */
  readonly memory: number;
  readonly heap: number;
  readonly heapLimit: number;
  /** Open files and connections, and how many may be open; null where the system does not tell. */
  readonly openFiles: number | null;
  readonly openFilesLimit: number | null;
  /** The longest time since the last look in which it answered nobody; null at the first look. Milliseconds. */
  readonly longestPauseMs: number | null;
}

/** One session in memory. */
export interface SessionHealth {
  readonly id: string;
  readonly title: string;
  readonly running: boolean;
  /** Rows of its conversation. */
  readonly rows: number;
  /** Prompts that wait for their turn. */
  readonly queued: number;
  /** Characters that are not on the disk yet. */
  readonly unwritten: number;
  /** Windows and tabs that look at it. */
  readonly watchers: number;
  /** Events that the slowest of them has not taken yet. */
  readonly behind: number;
}

/** The use and the backlog of Lathe at the moment. */
export interface HealthView {
  readonly host: HostHealth;
  readonly sessions: readonly SessionHealth[];
  /** The number of sessions that are kept in memory though nobody looks at them and nothing runs in them. */
  readonly idleLimit: number;
  readonly terminals: {
    readonly running: number;
    readonly ended: number;
    readonly processes: number;
    /** Bytes. */
    readonly memory: number;
  };
}
