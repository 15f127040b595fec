/** The repository and commit that a file was read from; local includes of it are read there too. */
export interface Origin {
  readonly project: string
  readonly sha: string
}

/** Why an address gave no file. */
export type RemoteFailure =
  | { readonly failure: 'socket' | 'timeout' | 'http' | 'address' }
  | { readonly status: number }

/**
 * How a configuration gets at the files that it includes. The language itself reads nothing; who compiles brings one
 * that reads with the rights of whoever asks.
 */
export interface Resolver {
  /** The content of a file, or null when there is none. */
  read(origin: Origin, path: string): Promise<string | null>
  /** Paths of files that a pattern with `*` covers, sorted. */
  list(origin: Origin, pattern: string): Promise<readonly string[]>
  /** Where a project's files are read; `denied` also for one that is not there. */
  open(project: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'>
  remote(url: string): Promise<{ readonly text: string } | RemoteFailure>
  /** True when a glob of `include:rules:exists` covers a file of the commit. */
  exists(origin: Origin, globs: readonly string[]): Promise<boolean>
  /** A file among the artifacts of a job of the pipeline above, or why there is none; null where there is no such pipeline. */
  artifact?(
    job: string,
    path: string,
  ): Promise<{ readonly text: string } | { readonly problem: string } | null>
  /** The text of a template of the instance, or null. */
  template?: ((name: string) => Promise<string | null>) | undefined
}

/** For a configuration without a project: nothing but addresses and templates can be included. */
export const noProject: Pick<Resolver, 'read' | 'list' | 'open' | 'exists'> = {
  read: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  open: () => Promise.resolve('denied'),
  exists: () => Promise.resolve(false),
}

/** One file that was included, as lint shows it. */
export interface Included {
  readonly type: 'local' | 'file' | 'remote' | 'template' | 'artifact'
  readonly location: string
  /** Where the file was read; null for what is in no repository. */
  readonly origin: Origin | null
  readonly extra: Readonly<Record<string, string>>
  readonly context_project: string | null
  readonly context_sha: string | null
}
