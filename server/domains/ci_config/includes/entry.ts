import {
  Hash,
  isBlank,
  isHash,
  isList,
  isText,
  plain,
  type SourceLocation,
  type Value,
  LoadError,
} from '../language/values.ts'
import { expandText } from '../language/variables.ts'

/** The repository and commit that a file was read from. Its local includes are read from there too. */
export interface Origin {
  readonly project: string
  readonly sha: string
}

/** The reason why a URL could not be read. */
export type RemoteFailure =
  | { readonly failure: 'socket' | 'timeout' | 'http' | 'address' }
  | { readonly status: number }

/**
 * Reads the files that a configuration includes. The compiler itself reads no files; the caller passes a resolver that
 * reads with the permissions of the actor.
 */
export interface Resolver {
  /** The content of a file, or null when there is none. */
  read(origin: Origin, path: string): Promise<string | null>
  /** The paths of the files that a pattern with `*` may match, sorted. */
  list(origin: Origin, pattern: string): Promise<readonly string[]>
  /** Resolves a project and a ref to a commit. `denied` if the project is unknown or the actor may not read it. */
  open(project: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'>
  /** Fetches a URL. */
  remote(url: string): Promise<{ readonly text: string } | RemoteFailure>
  /** Whether a glob of `include:rules:exists` matches a file of the commit. */
  exists(origin: Origin, globs: readonly string[]): Promise<boolean>
  /** A file from the artifacts of a job of the parent pipeline, or an error. Null if there is no parent pipeline. */
  artifact?(
    job: string,
    path: string,
  ): Promise<{ readonly text: string } | { readonly problem: string } | null>
  /** The text of a template of the instance, or null. */
  template?: ((name: string) => Promise<string | null>) | undefined
}

/** The resolver of a configuration without a project, which can include only URLs and templates. */
export const noProject: Pick<Resolver, 'read' | 'list' | 'open' | 'exists'> = {
  read: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  open: () => Promise.resolve('denied'),
  exists: () => Promise.resolve(false),
}

/** An included file, as lint shows it. */
export interface Included {
  readonly type: 'local' | 'file' | 'remote' | 'template' | 'artifact'
  readonly location: string
  /** The repository and commit of the file. Null if the file is not in a repository. */
  readonly origin: Origin | null
  readonly extra: Readonly<Record<string, string>>
  readonly context_project: string | null
  readonly context_sha: string | null
}

/** One file to include. */
export type IncludeFile =
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'project'; readonly project: string; readonly path: string; readonly ref: string | null }
  | { readonly kind: 'remote'; readonly url: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'artifact'; readonly job: string; readonly path: string }

/** An entry of `include:` with its rules. It may name several files. */
export interface IncludeEntry {
  readonly entry: Hash
  readonly rules: Value | undefined
  readonly location: SourceLocation | undefined
}

const KEYS = ['local', 'project', 'remote', 'template', 'artifact'] as const

/** The entries of `include:`. Throws LoadError for an invalid one. */
export function includeEntries(
  include: Value | undefined,
  location: SourceLocation | undefined,
): IncludeEntry[] {
  if (include === undefined || isBlank(include)) return []
  if (!isText(include) && !isHash(include) && !isList(include)) {
    throw new LoadError('include config should be an array or a string', location)
  }
  return (isList(include) ? flatten(include) : [include]).map((item) => {
    if (isText(item)) {
      const key = /^https?:\/\//i.test(item) ? 'remote' : 'local'
      return { entry: new Hash().put(key, item, location), rules: undefined, location }
    }
    if (!isHash(item)) throw new LoadError('include config should be an array or a string', location)
    return { entry: item, rules: item.get('rules'), location: [...item.locations.values()][0] ?? location }
  })
}

/** Flattens nested lists, which come from references and anchors. */
function flatten(list: readonly Value[], depth = 0): Value[] {
  return list.flatMap((item) => (isList(item) && depth < 10 ? flatten(item, depth + 1) : [item]))
}

/** The files that an entry names, with variables expanded. Throws LoadError with the contract's message (spec ci 4.10). */
export function filesOf(
  { entry, location }: IncludeEntry,
  lookup: (name: string) => string | undefined,
): IncludeFile[] {
  const kinds = KEYS.filter((kind) => entry.has(kind))
  const refuse = (message: string) => new LoadError(message, location)
  const valid = KEYS.map((kind) => `\`${kind}\``).join(', ')
  if (kinds.length === 0) {
    const json = JSON.stringify(plain(entry))
    throw refuse(`\`${json}\` does not have a valid subkey for include. Valid subkeys are: ${valid}`)
  }
  if (kinds.length > 1) throw refuse(`Each include must use only one of: ${valid}`)
  const kind = kinds[0]!
  const expand = (value: Value | undefined) => expandText(requireText(value, location), lookup, true)
  if (kind === 'project') return projectFiles(entry, expand, location)
  const path = expand(entry.get(kind))
  const job = entry.get('job')
  if (kind === 'artifact') return [{ kind, path, job: isText(job) ? expand(job) : '' }]
  if (kind === 'local') return [{ kind, path }]
  return [kind === 'remote' ? { kind, url: path } : { kind, name: path }]
}

function projectFiles(
  entry: Hash,
  expand: (value: Value | undefined) => string,
  location: SourceLocation | undefined,
): IncludeFile[] {
  const project = expand(entry.get('project'))
  const files = entry.get('file')
  if (isBlank(files))
    throw new LoadError('include config must specify the file where to fetch the config from', location)
  const ref = isText(entry.get('ref')) ? expand(entry.get('ref')) : null
  return (isList(files) ? files : [files!]).map((file) => ({
    kind: 'project',
    project,
    path: expand(file),
    ref,
  }))
}

function requireText(value: Value | undefined, location: SourceLocation | undefined): string {
  if (!isText(value)) {
    throw new LoadError(
      `Included file \`${JSON.stringify(plain(value)) ?? ''}\` needs to be a string`,
      location,
    )
  }
  return value
}
