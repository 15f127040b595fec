/** The repository and commit that a file was read from; local includes of it are read there too. */
export interface Origin {
  readonly project: string
  readonly sha: string
}

/** Why a URL gave no file. */
export type RemoteFailure =
  | { readonly failure: 'socket' | 'timeout' | 'http' | 'address' }
  | { readonly status: number }

/**
 * How a configuration reads the files that it includes. The language itself reads nothing; the caller passes a resolver
 * that reads with the permissions of the actor.
 */
export interface Resolver {
  /** The content of a file, or null when there is none. */
  read(origin: Origin, path: string): Promise<string | null>
  /** Paths of files that a pattern with `*` covers, sorted. */
  list(origin: Origin, pattern: string): Promise<readonly string[]>
  /** The repository and commit of a project's files; `denied` also for an unknown project. */
  open(project: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'>
  remote(url: string): Promise<{ readonly text: string } | RemoteFailure>
  /** True when a glob of `include:rules:exists` covers a file of the commit. */
  exists(origin: Origin, globs: readonly string[]): Promise<boolean>
  /** A file from the artifacts of a job of the parent pipeline, or a problem; null if there is no parent pipeline. */
  artifact?(
    job: string,
    path: string,
  ): Promise<{ readonly text: string } | { readonly problem: string } | null>
  /** The text of a template of the instance, or null. */
  template?: ((name: string) => Promise<string | null>) | undefined
}

/** For a configuration without a project, which can include URLs and templates only. */
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
  /** The repository and commit of the file; null for a file outside of repositories. */
  readonly origin: Origin | null
  readonly extra: Readonly<Record<string, string>>
  readonly context_project: string | null
  readonly context_sha: string | null
}
