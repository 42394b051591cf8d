import { EventEmitter } from 'node:events';

/** An event that remembers whether it was prevented. */
export function preventable<T extends object>(fields: T) {
  let prevented = false;
  return {
    ...fields,
    preventDefault: () => {
      prevented = true;
    },
    get defaultPrevented() {
      return prevented;
    },
  };
}

/** The `app` module, with everything that was done to it in `record`. */
export class AppDouble extends EventEmitter {
  readonly record = {
    name: '',
    paths: new Map<string, string>(),
    lockData: undefined as unknown,
    exitCode: null as number | null,
    /** The words of the starts that follow when it has exited. */
    relaunches: [] as (readonly string[])[],
    protocolClients: [] as (readonly unknown[])[],
    recents: [] as string[],
    badge: 0,
  };
  /** The entry's module has run: what comes before `ready` can no longer be said for sure. */
  entryRan = false;
  isReady = false;
  readonly #ready: Promise<void>;
  #becomeReady = () => {};
  constructor(
    /** Whether this process is the first. */
    readonly first: boolean,
    readonly isPackaged: boolean,
  ) {
    super();
    this.#ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
  }
  /** Electron says ready some time after the entry's module has run. */
  becomeReady(): void {
    this.entryRan = true;
    setImmediate(() => {
      this.isReady = true;
      this.#becomeReady();
    });
  }
  whenReady = () => this.#ready;
  setName = (name: string) => {
    this.record.name = name;
  };
  setPath = (name: string, path: string) => {
    if (this.entryRan && name === 'userData') throw new Error('userData is set too late');
    this.record.paths.set(name, path);
  };
  requestSingleInstanceLock = (data: unknown) => {
    this.record.lockData = data;
    return this.first;
  };
  setAsDefaultProtocolClient = (...args: readonly unknown[]) =>
    this.record.protocolClients.push(args) > 0;
  getVersion = () => '0.1.0';
  getName = () => this.record.name;
  getPath = (name: string) => this.record.paths.get(name) ?? '';
  getPreferredSystemLanguages = () => ['de-CH', 'xx', 'fr'];
  addRecentDocument = (path: string) => this.record.recents.unshift(path);
  clearRecentDocuments = () => {
    this.record.recents.length = 0;
  };
  setBadgeCount = (count: number) => {
    this.record.badge = count;
    return true;
  };
  relaunch = ({ args }: { readonly args: readonly string[] }) => {
    if (this.record.exitCode !== null) throw new Error('It has exited');
    this.record.relaunches.push(args);
  };
  quit = () => {
    const event = preventable({});
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  };
  /** No window is asked: each is gone without a `close`. */
  exit = (code = 0) => {
    this.record.exitCode ??= code;
    // It comes after `exit` too, unlike `will-quit`.
    this.emit('quit', {}, code);
    this.emit('double:exit');
  };
}
