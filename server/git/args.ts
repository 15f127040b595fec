import { GitInputError } from './errors.ts'
import { checkPath, isObjectId, isRefName, isRevision } from './names.ts'

type ArgKind = 'ref' | 'sha' | 'revision' | 'path' | 'value' | 'option'

/** One checked argument. Only the functions in this file create them. */
class Arg {
  readonly #kind: ArgKind
  readonly #text: string

  constructor(kind: ArgKind, text: string) {
    if (text.includes('\0')) throw new GitInputError('A null character is not allowed.')
    if (!text.isWellFormed()) throw new GitInputError('The text is not valid Unicode.')
    this.#kind = kind
    this.#text = text
  }

  get kind(): ArgKind {
    return this.#kind
  }

  get text(): string {
    return this.#text
  }
}

/** A complete argument list for git. Only the template tag `git` creates one, so it contains no unchecked text. */
export class Args {
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words
  }

  get words(): readonly string[] {
    return this.#words
  }
}

export type { Arg }
type Interpolation = Arg | Args | readonly Arg[] | null

/** A full ref name (`refs/…`) or `HEAD`. */
export function ref(name: string): Arg {
  if (name !== 'HEAD' && !isRefName(name)) throw new GitInputError('The ref name is invalid.')
  return new Arg('ref', name)
}

/** The beginning of ref names, such as `refs/heads/` or `refs/heads/feature`. */
export function refPrefix(prefix: string): Arg {
  if (!isRefName(prefix.replace(/\/$/, '')) && prefix !== 'refs/')
    throw new GitInputError('The ref prefix is invalid.')
  return new Arg('ref', prefix)
}

/** A complete object id. */
export function sha(id: string): Arg {
  if (!isObjectId(id)) throw new GitInputError('The object id is invalid.')
  return new Arg('sha', id)
}

/** A revision in the notation of git; see isRevision. */
export function revision(text: string): Arg {
  if (!isRevision(text)) throw new GitInputError('The revision is invalid.')
  return new Arg('revision', text)
}

/** A path inside the repository. It may begin with `-`, so it is only allowed after `--`. */
export function path(text: string): Arg {
  return new Arg('path', checkPath(text))
}

/** Any text, or a whole number ≥ 0. It may begin with `-` only after other text, as in `--option=-x`. */
export function value(content: string | number): Arg {
  if (typeof content === 'number' && !(Number.isSafeInteger(content) && content >= 0)) {
    throw new GitInputError('The number is invalid.')
  }
  return new Arg('value', String(content))
}

/** An option that the code chooses: `option('--topo-order')`, `option('--author', name)` for `--author=<name>`. */
export function option(flag: `-${string}`, content?: string | number): Arg {
  if (!/^--?[A-Za-z][A-Za-z-]*$/.test(flag)) throw new TypeError(`Not an option: ${flag}`)
  return new Arg('option', content === undefined ? flag : `${flag}=${value(content).text}`)
}

/**
 * Builds an argument list. Literal text is split at white space. An interpolation is one argument, or part of one where
 * it touches literal text (`--max-count=${value(20)}`, `${sha(a)}..${sha(b)}`). A list becomes one argument per item,
 * null becomes none. Throws GitInputError when an interpolated text could be read as an option.
 */
export function git(literals: TemplateStringsArray, ...parts: readonly Interpolation[]): Args {
  const words: string[] = []
  let word: string | null = null
  const finish = () => {
    if (word !== null) words.push(word)
    word = null
  }
  literals.forEach((literal, index) => {
    for (const token of literal.split(/(\s+)/)) {
      if (/^\s+$/.test(token)) finish()
      else if (token !== '') word = (word ?? '') + token
    }
    const part = parts[index]
    if (part === undefined || part === null) return
    if (part instanceof Args || Array.isArray(part)) {
      if (word !== null) throw new TypeError('A list of arguments must not touch other text.')
      words.push(...spread(part as Args | readonly Arg[], words))
    } else {
      word = append(word, part as Arg, words)
    }
  })
  finish()
  return new Args(words)
}

function spread(part: Args | readonly Arg[], before: readonly string[]): readonly string[] {
  return part instanceof Args ? part.words : part.map((arg) => append(null, arg, before))
}

function append(word: string | null, arg: Arg, before: readonly string[]): string {
  if (arg.kind === 'path' && !(word === null ? before.includes('--') : /^[^-].*:$/.test(word))) {
    throw new TypeError('A path must follow -- or <revision>:')
  }
  if (word === null && arg.text === '') throw new GitInputError('An empty value is not allowed.')
  const isBare = word === null && arg.kind !== 'path' && arg.kind !== 'option'
  if (isBare && arg.text.startsWith('-')) throw new GitInputError('A value may not begin with a dash.')
  return (word ?? '') + arg.text
}
