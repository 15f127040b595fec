import { globOf } from '../language/patterns.ts'
import { isTrue } from '../language/expressions.ts'
import {
  deepMerge,
  Hash,
  isHash,
  isList,
  isText,
  isTexts,
  type SourceLocation,
  type Value,
  LoadError,
  type Sources,
} from '../language/values.ts'
import { parseYaml, TOO_BIG, type Limits } from '../yaml/parse.ts'
import {
  includeEntries,
  filesOf,
  type IncludeEntry,
  type IncludeFile,
  type Included,
  type Origin,
  type Resolver,
} from './entry.ts'

/** Everything that reading includes needs. */
export interface IncludeOptions {
  readonly resolver: Resolver
  readonly sources: Sources
  /** The variables that are known before the pipeline exists. */
  readonly lookup: (name: string) => string | undefined
  readonly masked?: readonly string[]
  /** Returns true when the time limit has passed. */
  readonly deadline: () => boolean
  readonly limits: Limits
}

/**
 * Reads the files that a configuration includes, recursively (spec ci 4.10), and merges them: later files take
 * precedence over earlier ones, and the configuration over all files. Throws LoadError.
 */
export async function expandIncludes(
  config: Hash,
  origin: Origin | null,
  options: IncludeOptions,
): Promise<{ config: Hash; included: Included[] }> {
  const reader = new Reader(options)
  try {
    return { config: await reader.expand(config, origin), included: reader.included }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    const message = (options.masked ?? []).reduce(
      (text, value) => text.replaceAll(value, '[MASKED]'),
      error.message,
    )
    throw new LoadError(message, error.location)
  }
}

/** An included file that was read. */
interface IncludedFile {
  readonly text: string
  readonly origin: Origin | null
  readonly included: Included
  /** The name of the file in error messages. */
  readonly name: string
}

class Reader {
  readonly included: Included[] = []
  /** The number of characters of all included files so far. */
  #totalChars = 0
  readonly #options: IncludeOptions
  readonly #origins = new Map<string, Origin | 'denied' | 'no_ref'>()
  /** The location of the current entry, for errors. */
  #location: SourceLocation | undefined

  constructor(options: IncludeOptions) {
    this.#options = options
  }

  async expand(config: Hash, origin: Origin | null): Promise<Hash> {
    if (!config.has('include')) return config
    const location = config.locations.get('include')
    let merged = new Hash()
    for (const includeEntry of includeEntries(config.get('include'), location)) {
      if (!(await this.#applies(includeEntry, origin))) continue
      for (const file of filesOf(includeEntry, this.#options.lookup)) {
        this.#location = includeEntry.location
        for (const match of await this.#matchesOf(file, origin))
          merged = deepMerge(merged, await this.#content(match, origin))
      }
    }
    const ownConfig = config.copy()
    ownConfig.delete('include')
    return deepMerge(merged, ownConfig)
  }

  /** Whether the rules of an entry include it. The first matching rule decides; without a match it is not included. */
  async #applies({ rules, location }: IncludeEntry, origin: Origin | null): Promise<boolean> {
    if (rules === undefined || rules === null) return true
    if (!isList(rules)) throw new LoadError('include:rules config should be an array', location)
    for (const rule of rules) {
      if (!isHash(rule)) throw new LoadError('include:rules:rule config should be a hash', location)
      const unknown = [...rule.keys()].filter((key) => !['if', 'exists', 'when', 'changes'].includes(key))
      if (unknown.length > 0) {
        throw new LoadError(
          `include:rules:rule config contains unknown keys: ${unknown.join(', ')}`,
          location,
        )
      }
      const [condition, exists] = [rule.get('if'), rule.get('exists')]
      if (isText(condition) && !isTrue(condition, this.#options.lookup)) continue
      if (isTexts(exists) && !(origin && (await this.#options.resolver.exists(origin, exists)))) continue
      return rule.get('when') !== 'never'
    }
    return false
  }

  /** The local files that an entry with a wildcard matches. Any other entry itself. */
  async #matchesOf(entry: IncludeFile, origin: Origin | null): Promise<IncludeFile[]> {
    if (entry.kind !== 'local' || !entry.path.includes('*')) return [entry]
    this.#checkExtension(entry.path)
    if (!origin) throw this.#refuse(`Local file \`${entry.path}\` does not have project!`)
    const paths = await this.#options.resolver.list(origin, entry.path.replace(/^\/+/, ''))
    const glob = globOf(entry.path.replace(/^\/+/, ''))
    const matches = paths.filter((path) => glob.covers(path))
    if (matches.length === 0) throw this.#refuse(`Local file \`${entry.path}\` does not exist!`)
    return matches.map((path) => ({ kind: 'local', path }))
  }

  /** Reads, parses and expands an included file. */
  async #content(entry: IncludeFile, origin: Origin | null): Promise<Hash> {
    const limit = this.#options.limits.includes
    if (this.included.length >= limit) throw this.#refuse(`Maximum of ${limit} nested includes are allowed!`)
    if (this.#options.deadline()) throw this.#refuse('Resolving config took longer than expected')
    const file = await this.#find(entry, origin)
    if (this.#options.deadline()) throw this.#refuse('Resolving config took longer than expected')
    this.included.push(file.included)
    this.#totalChars += file.text.length
    const { totalBytes } = this.#options.limits
    if (totalBytes > 0 && this.#totalChars > totalBytes) throw new LoadError(TOO_BIG)
    const value = this.#parse(file)
    const location = this.#location
    const expanded = await this.expand(value, file.origin)
    this.#location = location
    return expanded
  }

  #parse({ text, name }: IncludedFile): Hash {
    let value: Value
    try {
      value = parseYaml(text, this.#options.sources.add(name, text), this.#options.limits)
    } catch (error) {
      if (!(error instanceof LoadError) || !error.message.startsWith('(<unknown>)')) throw error
      throw new LoadError(`Included file \`${name}\` does not have valid YAML syntax!`, error.location)
    }
    if (!isHash(value)) throw this.#refuse(`\`${name}\`: Invalid configuration format`)
    return value
  }

  async #find(entry: IncludeFile, origin: Origin | null): Promise<IncludedFile> {
    const context = { context_project: origin?.project ?? null, context_sha: origin?.sha ?? null }
    if (entry.kind === 'template') return this.#template(entry.name, context)
    if (entry.kind === 'remote') return this.#remote(entry.url, context)
    if (entry.kind === 'project') return this.#ofProject(entry, context)
    if (entry.kind === 'artifact') return this.#ofJob(entry, origin, context)
    this.#checkExtension(entry.path)
    if (!origin) throw this.#refuse(`Local file \`${entry.path}\` does not have project!`)
    const path = entry.path.replace(/^\/+/, '')
    const text = await this.#options.resolver.read(origin, path)
    this.#checkText(text, `Local file \`${entry.path}\``)
    const included: Included = { type: 'local', location: path, origin, extra: {}, ...context }
    return { text: text!, origin, included, name: entry.path }
  }

  async #ofProject(
    { project, path, ref }: IncludeFile & { kind: 'project' },
    context: Pick<Included, 'context_project' | 'context_sha'>,
  ): Promise<IncludedFile> {
    this.#checkExtension(path)
    const origin = await this.#open(project, ref)
    if (origin === 'denied') {
      throw this.#refuse(
        `Project \`${project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
      )
    }
    if (origin === 'no_ref')
      throw this.#refuse(`Project \`${project}\` reference \`${ref ?? 'HEAD'}\` does not exist!`)
    const repositoryPath = path.replace(/^\/+/, '')
    const text = await this.#options.resolver.read(origin, repositoryPath)
    this.#checkText(text, `Project \`${project}\` file \`${path}\``)
    const extra = { project: origin.project, ref: ref ?? 'HEAD' }
    const included: Included = { type: 'file', location: repositoryPath, origin, extra, ...context }
    return { text: text!, origin, included, name: path }
  }

  async #open(project: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'> {
    const key = `${project}\n${ref ?? ''}`
    const cached = this.#origins.get(key)
    const opened = cached ?? (await this.#options.resolver.open(project, ref))
    this.#origins.set(key, opened)
    return opened
  }

  async #remote(
    url: string,
    context: Pick<Included, 'context_project' | 'context_sha'>,
  ): Promise<IncludedFile> {
    const refuse = (text: string) => this.#refuse(`Remote file \`${url}\` ${text}`)
    if (!/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) throw refuse('does not have a valid address!')
    this.#checkExtension(new URL(url).pathname, url)
    const answer = await this.#options.resolver.remote(url)
    if ('status' in answer)
      throw refuse(`could not be fetched because of HTTP code \`${answer.status}\` error!`)
    if ('failure' in answer) {
      if (answer.failure === 'address') throw refuse('does not have a valid address!')
      const reasons = { socket: 'a socket error', timeout: 'a timeout error', http: 'HTTP error' }
      throw refuse(`could not be fetched because of ${reasons[answer.failure]}!`)
    }
    if (answer.text.trim() === '') throw refuse('is empty!')
    const included: Included = { type: 'remote', location: url, origin: null, extra: {}, ...context }
    return { text: answer.text, origin: null, included, name: url }
  }

  async #ofJob(
    { job, path }: IncludeFile & { kind: 'artifact' },
    origin: Origin | null,
    context: Pick<Included, 'context_project' | 'context_sha'>,
  ): Promise<IncludedFile> {
    this.#checkExtension(path)
    if (job === '') throw this.#refuse('Job must be provided when including configs from artifacts')
    const artifact = (await this.#options.resolver.artifact?.(job, path)) ?? null
    if (artifact === null) {
      throw this.#refuse('Including configs from artifacts is only allowed when triggering child pipelines')
    }
    if ('problem' in artifact) throw this.#refuse(artifact.problem)
    this.#checkText(artifact.text, `Artifact file \`${path}\``)
    const included: Included = {
      type: 'artifact',
      location: path,
      origin: null,
      extra: { job_name: job },
      ...context,
    }
    return { text: artifact.text, origin, included, name: path }
  }

  async #template(
    name: string,
    context: Pick<Included, 'context_project' | 'context_sha'>,
  ): Promise<IncludedFile> {
    const text = (await this.#options.resolver.template?.(name)) ?? null
    if (text === null) throw this.#refuse(`Template file \`${name}\` is not a valid location!`)
    const included: Included = { type: 'template', location: name, origin: null, extra: {}, ...context }
    return { text, origin: null, included, name }
  }

  #checkExtension(path: string, displayPath = path): void {
    if (!/\.ya?ml$/i.test(path))
      throw this.#refuse(`Included file \`${displayPath}\` does not have YAML extension!`)
  }

  #checkText(text: string | null, name: string): void {
    if (text === null) throw this.#refuse(`${name} does not exist!`)
    if (text.trim() === '') throw this.#refuse(`${name} is empty!`)
  }

  #refuse(message: string): LoadError {
    return new LoadError(message, this.#location)
  }
}
