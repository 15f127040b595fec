/** One error or warning: the message of the contract, and the location of its cause. */
export interface Problem {
  readonly message: string
  /** The file of the cause. Null for the configuration itself. */
  readonly file: string | null
  /** Counted from 1. Null if the cause has no location. */
  readonly line: number | null
  readonly column: number | null
}

/** An error that ends the compilation. It is then the only error in the list (spec ci 4.1). */
export class LoadError extends Error {
  readonly location: SourceLocation | undefined

  constructor(message: string, location?: SourceLocation) {
    super(message)
    this.name = 'LoadError'
    this.location = location
  }
}

/** The files of a configuration. They turn locations into lines and columns. */
export class Sources {
  readonly #files: { name: string | null; text: string; lines: number[] | undefined }[] = []

  /** Adds a file and returns its index. The name is null for the configuration itself. */
  add(name: string | null, text: string): number {
    return this.#files.push({ name, text, lines: undefined }) - 1
  }

  /** Makes a problem with the line and column of a location. */
  problem(message: string, location: SourceLocation | undefined): Problem {
    const file = location ? this.#files[location.file] : undefined
    if (!location || !file) return { message, file: null, line: null, column: null }
    file.lines ??= lineStarts(file.text)
    const line = lastAtMost(file.lines, location.offset)
    return { message, file: file.name, line: line + 1, column: location.offset - file.lines[line]! + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The index of the last start that is not after the offset, by binary search. */
function lastAtMost(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Failure reasons of CI jobs, which runners or the instance set (spec ci 1.15). */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'forward_deployment_failure',
  'user_blocked',
  'project_deleted',
  'ci_quota_exceeded',
  'pipeline_loop_detected',
  'no_matching_runner',
  'trace_size_exceeded',
  'builds_disabled',
  'environment_creation_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'ip_restriction_failure',
] as const

/** Further failure reasons of trigger jobs (spec ci 1.15). */
export const BRIDGE_FAILURE_REASONS = [
  'insufficient_bridge_permissions',
  'downstream_bridge_project_not_found',
  'invalid_bridge_trigger',
  'bridge_pipeline_is_child_pipeline',
  'downstream_pipeline_creation_failed',
  'secrets_provider_not_found',
  'reached_max_descendant_pipelines_depth',
] as const

/** A location: the index of the file in `Sources`, and the offset in its text. */
export interface SourceLocation {
  readonly file: number
  readonly offset: number
}

/** A value of a configuration. Values never change, so that aliases can share them. */
export type Value = string | number | bigint | boolean | null | Float | Reference | List | Hash

/** A list. */
export type List = readonly Value[]

/** A mapping that keeps the order of its keys and their locations. */
export class Hash extends Map<string, Value> {
  readonly locations = new Map<string, SourceLocation>()
  /** The keys that are not texts in the YAML file: `10`, `on`, `null`. */
  nonTextKeys: Set<string> | undefined

  /** Sets a key together with its location. */
  put(key: string, value: Value, location: SourceLocation | undefined): this {
    if (location) this.locations.set(key, location)
    return this.set(key, value)
  }

  /** A shallow copy. */
  copy(): Hash {
    const copied = new Hash()
    for (const [key, value] of this) copied.put(key, value, this.locations.get(key))
    copied.nonTextKeys = this.nonTextKeys
    return copied
  }
}

/** A floating-point number, which is written as `1.0`, not as `1`. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  toString(): string {
    if (Number.isNaN(this.value)) return 'NaN'
    if (!Number.isFinite(this.value)) return this.value > 0 ? 'Infinity' : '-Infinity'
    const text = String(this.value)
    return /[.e]/.test(text) ? text.replace(/^(-?\d)e/, '$1.0e') : `${text}.0`
  }
}

/** A `!reference [a, b]` that has not been replaced by the value at its path yet. */
export class Reference {
  readonly path: readonly Value[]

  constructor(path: readonly Value[]) {
    this.path = path
  }

  toString(): string {
    return `!reference [${this.path.map((part) => JSON.stringify(String(part))).join(', ')}]`
  }
}

export const isHash = (value: unknown): value is Hash => value instanceof Hash

export const isList = (value: unknown): value is List => Array.isArray(value)

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))

export const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isText)

export const isScalar = (value: unknown): value is string | number | bigint | boolean | Float =>
  isText(value) || isInteger(value) || typeof value === 'boolean' || value instanceof Float

/** Whether a value is blank: null, undefined, false, an empty list or mapping, or a text of whitespace. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true
  if (isText(value)) return value.trim() === ''
  if (isList(value)) return value.length === 0
  return isHash(value) && value.size === 0
}

/** Converts a value to the text of a variable. */
export function textOf(value: Value | undefined): string {
  if (value === null || value === undefined) return ''
  return isHash(value) || isList(value) ? JSON.stringify(plain(value)) : String(value)
}

/** Converts a value to JSON. Keys such as `__proto__` stay ordinary keys. */
export function plain(value: Value | undefined): unknown {
  if (isHash(value)) {
    const object: Record<string, unknown> = {}
    for (const [key, item] of value) {
      Object.defineProperty(object, key, {
        value: plain(item),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return object
  }
  if (isList(value)) return value.map(plain)
  if (value instanceof Float) return Number.isFinite(value.value) ? value.value : value.toString()
  if (value instanceof Reference) return value.toString()
  return typeof value === 'bigint' ? value.toString() : (value ?? null)
}

/** Merges mappings recursively. Other values of `overrides` replace those of `base` (spec ci 4.10, 4.11). */
export function deepMerge(base: Hash, overrides: Hash): Hash {
  const merged = base.copy()
  for (const [key, value] of overrides) {
    const existing = merged.get(key)
    const combined = isHash(existing) && isHash(value) ? deepMerge(existing, value) : value
    merged.put(key, combined, overrides.locations.get(key))
  }
  if (overrides.nonTextKeys)
    merged.nonTextKeys = new Set([...(base.nonTextKeys ?? []), ...overrides.nonTextKeys])
  return merged
}

export { secondsOf } from '../../../lib/text/durations.ts'

/** Periods in seconds, for the limits of keywords. */
const DAY = 24 * 60 * 60

export const WEEK = 7 * DAY

export const MONTH = 30 * DAY
