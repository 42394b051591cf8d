export declare function withLock<T>(work: () => Promise<T>): Promise<T>;
