import { CI_CONFIG_FILE } from '../../../lib/aliases.ts'
import { build, MAX_JOBS, type Built } from '../build/build.ts'
import { checkLogic } from '../build/logic.ts'
import { Report } from '../entries/node.ts'
import { checkRoot } from '../entries/root.ts'
import { applyExtends, resolveReferences } from '../language/references.ts'
import { expandIncludes } from '../includes/expand.ts'
import type { Included, Origin, Resolver } from '../includes/entry.ts'
import {
  isHash,
  type Hash,
  LoadError,
  Sources,
  type Problem,
  Float,
  isList,
  type List,
  type Value,
} from '../language/values.ts'
import { checkMerged, LIMITS, type Limits, parseYaml, plainScalar } from '../yaml/parse.ts'

/** Writes a configuration as YAML: after `---`, with lists indented as their key and quotes only where needed. */
function dumpYaml(hash: Hash): string {
  const lines: string[] = []
  if (hash.size === 0) return '--- {}\n'
  writeHash(lines, hash, '')
  return `---\n${lines.join('\n')}\n`
}

function writeHash(lines: string[], hash: Hash, indent: string): void {
  for (const [key, value] of hash) {
    const name = `${indent}${scalar(key, indent)}:`
    if (isHash(value) && value.size > 0) {
      lines.push(name)
      writeHash(lines, value, `${indent}  `)
    } else if (isList(value) && value.length > 0) {
      lines.push(name)
      writeList(lines, value, indent)
    } else {
      const text = inline(value, indent)
      lines.push(text === '' ? name : `${name} ${text}`)
    }
  }
}

function writeList(lines: string[], list: List, indent: string): void {
  for (const item of list) {
    const start = lines.length
    if (isHash(item) && item.size > 0) writeHash(lines, item, `${indent}  `)
    else if (isList(item) && item.length > 0) writeList(lines, item, `${indent}  `)
    else {
      const text = inline(item, indent)
      lines.push(text === '' ? `${indent}-` : `${indent}- ${text}`)
      continue
    }
    // The first line of the item follows the dash on the same line.
    lines[start] = `${indent}- ${lines[start]!.slice(indent.length + 2)}`
  }
}

function inline(value: Value, indent: string): string {
  if (value === null) return ''
  if (typeof value === 'string') return scalar(value, indent)
  if (isList(value)) return '[]'
  if (isHash(value)) return '{}'
  if (value instanceof Float && !Number.isFinite(value.value))
    return Number.isNaN(value.value) ? '.nan' : value.value > 0 ? '.inf' : '-.inf'
  return String(value)
}

const PLAIN = /^[A-Za-z0-9_./$(\\+=~^;<][^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]*$/

function scalar(text: string, indent: string): string {
  if (isPlain(text)) return text
  if (isBlock(text)) return block(text, indent)
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text)) return JSON.stringify(text)
  return `'${text.replaceAll("'", "''")}'`
}

/** Whether YAML reads the text back unchanged without quotes. */
function isPlain(text: string): boolean {
  return (
    PLAIN.test(text) &&
    !text.endsWith(' ') &&
    !text.endsWith(':') &&
    !text.includes(': ') &&
    !text.includes(' #') &&
    !/^(?:---|\.\.\.)/.test(text) &&
    !/^(?:y|n)$/i.test(text) &&
    text !== '=' &&
    plainScalar(text) === text &&
    !/^\d{4}-\d\d?-\d\d?/.test(text)
  )
}

/** Whether the text can be written as a block scalar. */
function isBlock(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.includes('\n') && !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text)
}

function block(text: string, indent: string): string {
  const body = text.replace(/\n+$/, '')
  const ending = text.length - body.length
  if (body === '') return JSON.stringify(text)
  const indentation = /^[ \n]/.test(body) ? '2' : ''
  const chomping = ending === 0 ? '-' : ending === 1 ? '' : '+'
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}  ${line}`))
  return [
    `|${indentation}${chomping}`,
    ...lines,
    ...Array.from({ length: Math.max(0, ending - 1) }, () => ''),
  ].join('\n')
}

/** Options of a compilation. */
export interface CompileOptions {
  /** The repository and commit of the configuration, from which local includes are read. */
  readonly origin: Origin | null
  /** The variables that are known before the pipeline exists. Only `include` uses them. */
  readonly variables?: ReadonlyMap<string, string>
  /** Values of masked variables, which errors must not show. */
  readonly masked?: readonly string[]
  /** The size limits, `LIMITS` by default. */
  readonly limits?: Limits
  /** Whether to leave out the merged YAML, which only lint shows. */
  readonly isForPipeline?: boolean
  /** Returns true when the time limit has passed. */
  readonly deadline?: () => boolean
}

/** A compiled configuration. `built` is set if there is no error. */
export interface Compiled {
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  /**
   * The configuration with all includes, extends and references resolved. Null if that failed, and for compilations with
   * `isForPipeline`.
   */
  readonly merged_yaml: string | null
  readonly built: Built | null
  readonly includes: readonly Included[] | null
}

const NO_CONTENT = `Please provide content of ${CI_CONFIG_FILE}`
const MAX_REFERENCED = 300_000
const MAX_WARNINGS = 25
/** The message for includes that take too long. */
export const TOO_LONG = 'Resolving config took longer than expected'

/** Compiles a configuration and reports all its problems (spec ci 4). It never rejects because of the content. */
export async function compileConfig(
  text: string | null,
  resolver: Resolver,
  options: CompileOptions,
): Promise<Compiled> {
  const sources = new Sources()
  const report = new Report(sources)
  let merged_yaml: string | null = null
  let includes: readonly Included[] | null = null
  try {
    const loaded = await load(text, resolver, options, sources)
    if (!options.isForPipeline) merged_yaml = dumpYaml(loaded.merged)
    includes = loaded.included
    const built = checkAndBuild(loaded.merged, report)
    return {
      errors: report.errors,
      warnings: report.warnings.slice(0, MAX_WARNINGS),
      merged_yaml,
      built,
      includes,
    }
  } catch (error) {
    const problem = problemOf(error, sources)
    if (!problem) throw error
    return { errors: [problem], warnings: [], merged_yaml, built: null, includes }
  }
}

async function load(
  text: string | null,
  resolver: Resolver,
  options: CompileOptions,
  sources: Sources,
): Promise<{ merged: Hash; included: readonly Included[] }> {
  if (text === null || text.trim() === '') throw new LoadError(NO_CONTENT)
  const limits = options.limits ?? LIMITS
  const parsed = parseYaml(text, sources.add(null, text), limits)
  if (parsed === null) throw new LoadError(NO_CONTENT)
  if (!isHash(parsed)) throw new LoadError('Invalid configuration format')
  const { config, included } = await expandIncludes(parsed, options.origin, {
    resolver,
    sources,
    lookup: (name) => options.variables?.get(name),
    masked: options.masked ?? [],
    deadline: options.deadline ?? (() => false),
    limits,
  })
  const extended = applyExtends(config)
  let valueCount = 0
  const merged = resolveReferences(extended, () => {
    if (++valueCount > MAX_REFERENCED) throw new LoadError('The parsed YAML is too big')
  })
  checkMerged(merged, limits)
  return { merged, included }
}

/** Checks and builds a merged configuration. Returns null after adding errors to the report. */
function checkAndBuild(merged: Hash, report: Report): Built | null {
  checkRoot(merged, report)
  if (report.errors.length > 0) return null
  const built = build(merged)
  if (!built) {
    report.error(`The number of jobs has exceeded the limit of ${MAX_JOBS}.`, undefined)
    return null
  }
  const problem = checkLogic(built.jobs, built.stages)
  if (!problem) return built
  const job = problem.job === null ? undefined : merged.get(problem.job)
  const jobLocation = problem.job === null ? undefined : merged.locations.get(problem.job)
  const keyLocation = isHash(job) && problem.key ? job.locations.get(problem.key) : undefined
  report.error(problem.message, keyLocation ?? jobLocation)
  return null
}

function problemOf(error: unknown, sources: Sources): Problem | undefined {
  if (error instanceof LoadError) return sources.problem(error.message, error.location)
  // A RangeError means that the nesting is too deep for the stack.
  return error instanceof RangeError ? sources.problem('The parsed YAML is too big', undefined) : undefined
}
