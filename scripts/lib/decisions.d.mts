export declare const OLDEST_NODE: readonly [major: number, minor: number];
export declare function chooseNode(
  current: string,
  bundled: string | null,
): 'this' | 'bundled' | 'none';
export declare function needsInstall(lockHash: string, installedHash: string | null): boolean;
export declare function withoutOwnPrograms(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
  separator: string,
): Record<string, string | undefined>;
export declare function needsBuild(newestSource: number, builtAt: number | null): boolean;
export declare function missingPackages(hasProgram: (program: string) => boolean): string[];
export declare function packagePlan(
  missing: readonly string[],
  system: { readonly hasApt: boolean; readonly isRoot: boolean },
):
  | { readonly kind: 'nothing' }
  | { readonly kind: 'apt'; readonly packages: readonly string[] }
  | { readonly kind: 'hint'; readonly text: string };

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export declare function summary(outcomes: readonly Outcome[]): Outcome & { readonly line: string };
export declare function countVitest(
  report: {
    readonly numPassedTests: number;
    readonly numFailedTests: number;
    readonly numPendingTests: number;
    readonly numTodoTests: number;
    readonly testResults: readonly {
      readonly status: string;
      readonly assertionResults: readonly unknown[];
    }[];
  } | null,
): Outcome;
export declare function countPlaywright(
  report: {
    readonly errors: readonly unknown[];
    readonly stats: {
      readonly expected: number;
      readonly unexpected: number;
      readonly flaky: number;
      readonly skipped: number;
    };
  } | null,
): Outcome;

export declare function checkFailures(
  checks: readonly { readonly name: string; readonly passed: boolean; readonly output: string }[],
): string[];
export declare function vitestFailures(
  report: {
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
      readonly message: string;
      readonly assertionResults: readonly {
        readonly status: string;
        readonly fullName: string;
        readonly failureMessages: readonly string[];
      }[];
    }[];
  } | null,
  root: string,
): string[];
interface Suite {
  readonly title: string;
  readonly specs?: readonly {
    readonly file: string;
    readonly line: number;
    readonly title: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[];
    }[];
  }[];
  readonly suites?: readonly Suite[];
}
export declare function playwrightFailures(
  report: {
    readonly errors: readonly { readonly message?: string }[];
    readonly suites: readonly Suite[];
  } | null,
): string[];
export declare function failureLines(failures: readonly string[]): string[];

export declare function lockHoles(lock: {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}): string[];
