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

/** The repository and commit that a file was read from; local includes of it are read there too. */
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

/** One entry of `include:` in its full form. */
export type Entry =
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'project'; readonly project: string; readonly path: string; readonly ref: string | null }
  | { readonly kind: 'remote'; readonly url: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'artifact'; readonly job: string; readonly path: string }

/** An entry before it is split into files, with its rules. */
export interface UnsplitEntry {
  readonly entry: Hash
  readonly rules: Value | undefined
  readonly location: SourceLocation | undefined
}

const KINDS = ['local', 'project', 'remote', 'template', 'artifact'] as const

/** The entries of `include:`, texts in their full form. Throws LoadError for an invalid entry. */
export function askedFor(include: Value | undefined, location: SourceLocation | undefined): UnsplitEntry[] {
  if (include === undefined || isBlank(include)) return []
  if (!isText(include) && !isHash(include) && !isList(include)) {
    throw new LoadError('include config should be an array or a string', location)
  }
  return (isList(include) ? flat(include) : [include]).map((item) => {
    if (isText(item)) {
      const key = /^https?:\/\//i.test(item) ? 'remote' : 'local'
      return { entry: new Hash().put(key, item, location), rules: undefined, location }
    }
    if (!isHash(item)) throw new LoadError('include config should be an array or a string', location)
    return { entry: item, rules: item.get('rules'), location: [...item.locations.values()][0] ?? location }
  })
}

/** Flattens nested lists, which come from references and anchors. */
function flat(list: readonly Value[], depth = 0): Value[] {
  return list.flatMap((item) => (isList(item) && depth < 10 ? flat(item, depth + 1) : [item]))
}

/** The files an entry names, variables expanded. Throws LoadError with the contract's words (spec ci 4.10). */
export function filesOf(
  { entry, location }: UnsplitEntry,
  lookup: (name: string) => string | undefined,
): Entry[] {
  const kinds = KINDS.filter((kind) => entry.has(kind))
  const refuse = (message: string) => new LoadError(message, location)
  const valid = KINDS.map((kind) => `\`${kind}\``).join(', ')
  if (kinds.length === 0) {
    const text = JSON.stringify(plain(entry))
    throw refuse(`\`${text}\` does not have a valid subkey for include. Valid subkeys are: ${valid}`)
  }
  if (kinds.length > 1) throw refuse(`Each include must use only one of: ${valid}`)
  const kind = kinds[0]!
  const texts = (value: Value | undefined) =>
    singlePath(value, location).map((candidate) => expandText(candidate, lookup, true))
  if (kind === 'project') return projectFiles(entry, texts, location)
  const [path] = texts(entry.get(kind))
  const job = entry.get('job')
  if (kind === 'artifact') return [{ kind, path: path!, job: isText(job) ? texts(job)[0]! : '' }]
  if (kind === 'local') return [{ kind, path: path! }]
  return [kind === 'remote' ? { kind, url: path! } : { kind, name: path! }]
}

function projectFiles(
  entry: Hash,
  texts: (value: Value | undefined) => string[],
  location: SourceLocation | undefined,
): Entry[] {
  const [project] = texts(entry.get('project'))
  const files = entry.get('file')
  if (isBlank(files))
    throw new LoadError('include config must specify the file where to fetch the config from', location)
  const ref = isText(entry.get('ref')) ? texts(entry.get('ref'))[0]! : null
  return (isList(files) ? files : [files!]).map((file) => ({
    kind: 'project',
    project: project!,
    path: texts(file)[0]!,
    ref,
  }))
}

function singlePath(value: Value | undefined, location: SourceLocation | undefined): string[] {
  if (!isText(value)) {
    throw new LoadError(
      `Included file \`${JSON.stringify(plain(value)) ?? ''}\` needs to be a string`,
      location,
    )
  }
  return [value]
}
